import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FakeClock } from '../../../test/fake-clock.ts';
import { listening } from '../../../test/listening.ts';
import { createUpstreamClient, type UpstreamClient } from '../../platform/http/client.ts';
import { createGuard } from '../../platform/http/guard.ts';
import { createSystemClient } from '../../platform/http/system-client.ts';
import { type Signed, SignFault, type SignTools, type Unsigned } from '../sign.ts';
import { baiduSigner } from './baidu-token.ts';
import { tc3Authorization, tc3Signer } from './tc3.ts';
import { createSignTools } from './tools.ts';
import { xunfeiSigner } from './xunfei-hmac.ts';
import { zhipuSigner } from './zhipu-jwt.ts';

const nowMs = Date.UTC(2026, 10, 20, 12, 34, 56, 789);
const still: SignTools = {
  nowMs,
  token: () => Promise.reject(new Error('no token wanted')),
  post: () => Promise.reject(new Error('no exchange wanted')),
};

function unsigned(key: string, url: string, more: Partial<Unsigned> = {}): Unsigned {
  const channel = { id: 1, baseUrl: '', key, organization: '', other: '' };
  const call = { channel, model: 'm', stream: false, protocol: 'p' };
  return {
    ...call,
    url: new URL(url),
    headers: { 'content-type': 'application/json' },
    body: Buffer.from('{"a":"你"}'),
    ...more,
  };
}

const faultOf = async (run: () => Signed | Promise<Signed>): Promise<unknown> => {
  try {
    return await run();
  } catch (error) {
    return error;
  }
};

describe('TC3-HMAC-SHA256', () => {
  test('gives the signature of the vendor’s published example', () => {
    const authorization = tc3Authorization({
      secretId: 'AKIDz8krbsJ5yKBZQpn74WFkmLPx3EXAMPLE',
      secretKey: 'Gu5t9xGARNpq86cd98joQYCN3EXAMPLE',
      service: 'cvm',
      path: '/',
      query: '',
      headers: { 'content-type': 'application/json; charset=utf-8', host: 'cvm.tencentcloudapi.com' },
      body: '{"Limit": 1, "Filters": [{"Values": ["\\u672a\\u547d\\u540d"], "Name": "instance-name"}]}',
      timestamp: 1_551_113_065,
    });
    expect(authorization).toBe(
      'TC3-HMAC-SHA256 Credential=AKIDz8krbsJ5yKBZQpn74WFkmLPx3EXAMPLE/2019-02-25/cvm/tc3_request, ' +
        'SignedHeaders=content-type;host, Signature=72e494ea809ad7a8c8f7a4507b9bddcbaa8e581f516e8da2f66e2c5a96525168',
    );
  });

  test('signs the body, its type, the host and the action of a call', async () => {
    const sign = tc3Signer({ service: 'hunyuan', action: 'ChatCompletions', version: '2023-09-01' });
    const { headers = {} } = await sign(unsigned('100|AKID|top', 'https://hunyuan.tencentcloudapi.com/'), still);
    const seconds = String(Math.floor(nowMs / 1000));
    expect(headers).toMatchObject({
      'x-tc-action': 'ChatCompletions',
      'x-tc-version': '2023-09-01',
      'x-tc-timestamp': seconds,
    });
    const sha = (text: string) => createHash('sha256').update(text).digest('hex');
    const mac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
    const names = 'content-type;host;x-tc-action';
    const lines = 'content-type:application/json\nhost:hunyuan.tencentcloudapi.com\nx-tc-action:chatcompletions\n';
    const canonical = ['POST', '/', '', lines, names, sha('{"a":"你"}')].join('\n');
    const scope = '2026-11-20/hunyuan/tc3_request';
    const key = ['2026-11-20', 'hunyuan', 'tc3_request'].reduce<string | Buffer>(mac, 'TC3top');
    const signature = mac(key, ['TC3-HMAC-SHA256', seconds, scope, sha(canonical)].join('\n')).toString('hex');
    expect(headers.authorization).toBe(
      `TC3-HMAC-SHA256 Credential=AKID/${scope}, SignedHeaders=${names}, Signature=${signature}`,
    );
  });

  test('a key of another form is at fault, and is not told', async () => {
    const sign = tc3Signer({ service: 's', action: 'A', version: 'v' });
    const fault = await faultOf(() => sign(unsigned('only-one-part', 'https://x.example/'), still));
    expect(fault).toMatchObject({ isKeyBad: true, message: expect.not.stringContaining('only-one-part') });
  });
});

describe('the JWT of a key id.secret', () => {
  test('is signed with the secret, lives for a day and counts in milliseconds', async () => {
    const { headers = {} } = await zhipuSigner({ plainToo: false })(unsigned('the-id.the-secret', 'https://x.example/'), still);
    const [scheme, token = ''] = (headers.authorization ?? '').split(' ');
    const [head = '', payload = '', signature] = token.split('.');
    const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
    expect(scheme).toBe('Bearer');
    expect(decode(head)).toEqual({ alg: 'HS256', sign_type: 'SIGN' });
    expect(decode(payload)).toEqual({ api_key: 'the-id', exp: nowMs + 86_400_000, timestamp: nowMs });
    expect(signature).toBe(createHmac('sha256', 'the-secret').update(`${head}.${payload}`).digest('base64url'));
  });

  test('the messages API gets the key itself', async () => {
    const request = unsigned('the-id.the-secret', 'https://x.example/', { protocol: 'anthropic-messages' });
    const authorization = 'Bearer the-id.the-secret';
    expect(await zhipuSigner({ plainToo: true })(request, still)).toEqual({ headers: { authorization } });
  });

  test('a key without a dot goes as it is where the upstream takes it, else it is malformed', async () => {
    const request = unsigned('plainkey', 'https://x.example/');
    expect(await zhipuSigner({ plainToo: true })(request, still)).toEqual({ headers: { authorization: 'Bearer plainkey' } });
    expect(await faultOf(() => zhipuSigner({ plainToo: false })(request, still))).toMatchObject({ isKeyBad: true });
  });
});

describe('the query of a signed socket', () => {
  test('proves host, date and request line', async () => {
    const { url } = await xunfeiSigner(unsigned('app|the-secret|the-key', 'wss://spark-api.xf-yun.com/v3.5/chat'), still);
    const query = url?.searchParams ?? new URLSearchParams();
    expect(query.get('date')).toBe('Fri, 20 Nov 2026 12:34:56 GMT');
    expect(query.get('host')).toBe('spark-api.xf-yun.com');
    const origin = `host: spark-api.xf-yun.com\ndate: ${query.get('date')}\nGET /v3.5/chat HTTP/1.1`;
    const signature = createHmac('sha256', 'the-secret').update(origin).digest('base64');
    expect(Buffer.from(query.get('authorization') ?? '', 'base64').toString()).toBe(
      `api_key="the-key", algorithm="hmac-sha256", headers="host date request-line", signature="${signature}"`,
    );
  });

  test('a key with a part missing is at fault', async () => {
    const request = unsigned('app|secret', 'wss://spark-api.xf-yun.com/v3.5/chat');
    expect(await faultOf(() => xunfeiSigner(request, still))).toMatchObject({ isKeyBad: true });
  });
});

describe('an access token for a key and its secret', () => {
  let server: Server;
  let client: UpstreamClient;
  let base = '';
  let asked: string[] = [];
  let answer: (count: number) => { status: number; body: string };
  const clock = new FakeClock(nowMs);
  let tools: SignTools;

  beforeEach(async () => {
    asked = [];
    answer = (count) => ({ status: 200, body: JSON.stringify({ access_token: `24.t${count}`, expires_in: 2_592_000 }) });
    server = createServer(({ method, url }, response) => {
      asked.push(`${method} ${url}`);
      const { status, body } = answer(asked.length);
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    });
    base = `http://127.0.0.1:${await listening(server)}`;
    client = createUpstreamClient({
      guard: createGuard({ allowPrivate: ['127.0.0.0/8'], rewrite: [] }),
      connectTimeoutMs: 2_000,
    });
    tools = createSignTools({ clock, http: createSystemClient(client) });
  });

  afterEach(async () => {
    await client.close();
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  const sign = async (key: string) => {
    const plain = unsigned(key, `${base}/chat/completions_pro`);
    const { url } = await baiduSigner({ ...plain, channel: { ...plain.channel, baseUrl: `${base}/` } }, tools);
    return url?.searchParams.get('access_token');
  };

  test('is asked for once, shared and kept until an hour before its end', async () => {
    expect(await Promise.all([sign('id|secret'), sign('id|secret'), sign('id|secret')])).toEqual(['24.t1', '24.t1', '24.t1']);
    expect(asked).toEqual(['POST /oauth/2.0/token?grant_type=client_credentials&client_id=id&client_secret=secret']);
    clock.advanceMs(2_592_000_000 - 3_600_000 - 61_000);
    expect(await sign('id|secret')).toBe('24.t1');
    clock.advanceMs(2_000);
    expect(await sign('id|secret')).toBe('24.t2');
  });

  test('belongs to its key alone', async () => {
    expect([await sign('id|one'), await sign('id|two'), await sign('id|one')]).toEqual(['24.t1', '24.t2', '24.t1']);
  });

  test('a refused key is at fault, a failing service is not; neither is remembered nor told', async () => {
    answer = () => ({ status: 401, body: '{"error":"invalid_client","error_description":"unknown client id"}' });
    const refused = await sign('id|hidden').catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(SignFault);
    expect(refused).toMatchObject({ isKeyBad: true, message: expect.not.stringContaining('hidden') });
    answer = () => ({ status: 502, body: '<html>' });
    expect(await sign('id|hidden').catch((error: unknown) => error)).toMatchObject({ isKeyBad: false });
    answer = () => ({ status: 200, body: '{"access_token":"late","expires_in":2592000}' });
    expect(await sign('id|hidden')).toBe('late');
  });

  test('a key without a secret is at fault before anybody is asked', async () => {
    expect(await sign('id').catch((error: unknown) => error)).toMatchObject({ isKeyBad: true });
    expect(asked).toEqual([]);
  });
});
