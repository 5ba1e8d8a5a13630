import { createHash, generateKeyPairSync, verify } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Console } from '../../e2e/support/console-client.ts';
import { type Gateway, startGateway } from '../../e2e/support/gateway.ts';
import { postJson } from '../../e2e/support/post-json.ts';
import type { Framing } from '../src/providers/index.ts';
import { fixture, framedFixture } from './fixture-kit.ts';
import { listening } from './listening.ts';
import { expectedAuthorization } from './sigv4-check.ts';

type Json = Record<string, unknown>;
interface Arrived {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const account = JSON.stringify({
  project_id: 'p1',
  client_email: 'a@p1.example',
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
});
const secret = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
const aws = `AKIDEXAMPLE|${secret}|us-east-1`;
const bearer = { authorization: 'Bearer k' };
const googleKey = { 'x-goog-api-key': 'k' };

interface Vendor {
  readonly type: number;
  readonly model: string;
  readonly dialect: string;
  /** Where it is asked at once, and in a stream. */
  readonly places: readonly [once: string, streamed: string];
  readonly key?: string;
  readonly other?: string;
  readonly framing?: Framing;
  readonly headers?: Readonly<Record<string, string>>;
  /** The kind of its recorded refusal. */
  readonly refusal: string;
}

const same = (place: string): readonly [string, string] => [place, place];
const published = '/v1/projects/p1/locations/europe-west4/publishers';

/** The vendors' streams, whole answers and errors are those that the laws of the dialects run over. */
const vendors: readonly Vendor[] = [
  {
    type: 3,
    model: 'gpt-4.1-mini',
    dialect: 'openai-chat',
    places: same('/openai/deployments/gpt-41-mini/chat/completions?api-version=2024-06-01'),
    other: '2024-06-01',
    headers: { 'api-key': 'k' },
    refusal: 'invalid-key.401',
  },
  { type: 4, model: 'llama3.3:70b', dialect: 'openai-chat', places: same('/v1/chat/completions'), refusal: 'invalid-key.401' },
  {
    type: 11,
    model: 'PaLM-2',
    dialect: 'palm-message',
    places: same('/v1beta2/models/chat-bison-001:generateMessage'),
    framing: 'json',
    headers: googleKey,
    refusal: 'key.400',
  },
  {
    type: 14,
    model: 'claude-opus-4-8',
    dialect: 'anthropic-messages',
    places: same('/v1/messages'),
    headers: { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' },
    refusal: 'overloaded.529',
  },
  {
    type: 24,
    model: 'gemini-2.5-flash',
    dialect: 'gemini-generate',
    places: ['/v1beta/models/gemini-2.5-flash:generateContent', '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse'],
    headers: googleKey,
    refusal: 'quota.429',
  },
  {
    type: 33,
    model: 'claude-opus-4-1-20250805',
    dialect: 'anthropic-messages',
    places: [
      '/model/us.anthropic.claude-opus-4-1-20250805-v1%3A0/invoke',
      '/model/us.anthropic.claude-opus-4-1-20250805-v1%3A0/invoke-with-response-stream',
    ],
    key: aws,
    framing: 'aws-event-stream',
    refusal: 'overloaded.529',
  },
  {
    type: 33,
    model: 'amazon.nova-pro-v1:0',
    dialect: 'bedrock-converse',
    places: ['/model/amazon.nova-pro-v1%3A0/converse', '/model/amazon.nova-pro-v1%3A0/converse-stream'],
    key: aws,
    framing: 'aws-event-stream',
    refusal: 'throttled.429',
  },
  {
    type: 34,
    model: 'command-a-03-2025',
    dialect: 'cohere-chat',
    places: same('/v2/chat'),
    headers: bearer,
    refusal: 'limited.429',
  },
  {
    type: 39,
    model: '@cf/meta/llama-3.1-8b-instruct',
    dialect: 'openai-chat',
    places: same('/client/v4/accounts/acc/ai/v1/chat/completions'),
    other: 'acc',
    headers: bearer,
    refusal: 'invalid-key.401',
  },
  {
    type: 41,
    model: 'claude-sonnet-4-5-20250929',
    dialect: 'anthropic-messages',
    places: [
      `${published}/anthropic/models/claude-sonnet-4-5@20250929:rawPredict`,
      `${published}/anthropic/models/claude-sonnet-4-5@20250929:streamRawPredict?alt=sse`,
    ],
    key: account,
    other: 'europe-west4',
    headers: { authorization: 'Bearer traded' },
    refusal: 'overloaded.529',
  },
];

const contentTypes: Readonly<Record<Framing, string>> = {
  sse: 'text/event-stream',
  json: 'application/json; charset=UTF-8',
  'json-lines': 'application/x-ndjson',
  'aws-event-stream': 'application/vnd.amazon.eventstream',
};

let upstream: Server;
let gateway: Gateway;
let root: Console;
let key = '';
let refuses = false;
let arrived: Arrived[] = [];
let current: Vendor | undefined;
const channels = new Map<Vendor, number>();

function answerTo(path: string): { readonly status: number; readonly type: string; readonly body: Buffer } {
  const json = 'application/json';
  if (path === '/oauth2/v4/token')
    return { status: 200, type: json, body: Buffer.from('{"access_token":"traded","expires_in":3599}') };
  if (current === undefined || !current.places.includes(path)) return { status: 404, type: 'text/plain', body: Buffer.from('') };
  const { dialect, framing = 'sse', refusal, places } = current;
  if (refuses) return { status: Number(refusal.split('.').at(-1)), type: json, body: fixture(dialect, `${refusal}.error.json`) };
  const isStream = places[0] === places[1] ? /"stream":\s*true/.test(arrived.at(-1)?.body.toString() ?? '') : path === places[1];
  if (!isStream) return { status: 200, type: json, body: fixture(dialect, 'text.json') };
  return { status: 200, type: contentTypes[framing], body: framedFixture(framing, dialect, 'text') };
}

beforeAll(async () => {
  upstream = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = request.url ?? '';
    arrived.push({ path, headers: request.headers, body: Buffer.concat(chunks) });
    const { status, type, body } = answerTo(path);
    response.writeHead(status, { 'content-type': type }).end(body);
  });
  const address = `http://127.0.0.1:${await listening(upstream)}`;
  gateway = await startGateway({ EGRESS_REWRITE: `www.googleapis.com=${address}` });
  root = await gateway.root();
  await root.call('PUT', '/api/option/', { key: 'SelfUseModeEnabled', value: 'true' });
  await root.call('PUT', '/api/option/', { key: 'RetryTimes', value: '0' });
  for (const vendor of vendors) {
    const { type, model, key: own = 'k', other = '' } = vendor;
    channels.set(vendor, (await root.addChannel({ type, models: model, key: own, base_url: address, other })).id);
  }
  key = (await root.addToken()).key;
});

afterAll(async () => {
  await gateway.stop();
  upstream.closeAllConnections();
  upstream.close();
  await once(upstream, 'close');
});

beforeEach(() => {
  refuses = false;
  arrived = [];
});

async function ask(path: string, body: Json): Promise<{ status: number; text: string }> {
  const answer = await postJson(gateway.url + path, key, body);
  return { status: answer.status, text: await answer.text() };
}

const messages = [{ role: 'user', content: 'hi' }];

/** What the vendor's recorded answer says. */
function said({ dialect }: Vendor): string {
  const texts = [
    ...fixture(dialect, 'text.json')
      .toString()
      .matchAll(/"(?:text|content)": ("(?:[^"\\]|\\.)*")/g),
  ];
  return JSON.parse(texts[0]?.[1] ?? '""') as string;
}

/** Header, signature or token, as they came through the socket. */
function expectCredential({ key: own, headers = {} }: Vendor) {
  const request = arrived.at(-1);
  expect(request?.headers).toMatchObject(headers);
  if (own !== aws || request === undefined) return;
  const flat = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const url = new URL(request.path, 'http://any.example');
  expect(flat.authorization).toBe(expectedAuthorization({ method: 'POST', url, headers: flat, body: request.body }, secret));
}

describe.each(vendors.map((vendor) => ({ ...vendor, vendor })))(
  'type $type with $model',
  ({ vendor, model, places, refusal }) => {
    beforeEach(() => {
      current = vendor;
    });

    test('answers at once, with the right credential', async () => {
      const answer = await ask('/v1/chat/completions', { model, messages });
      expect([answer.status, answer.text]).toMatchObject([200, expect.stringContaining('"choices"')]);
      expect(arrived.at(-1)?.path).toBe(places[0]);
      expectCredential(vendor);
      const { choices, usage } = JSON.parse(answer.text);
      expect(choices[0]).toMatchObject({ message: { role: 'assistant', content: said(vendor) }, finish_reason: 'stop' });
      if (vendor.dialect !== 'palm-message') expect(usage.total_tokens).toBeGreaterThan(0);
    });

    test('answers in a stream', async () => {
      const answer = await ask('/v1/chat/completions', {
        model,
        messages,
        stream: true,
        stream_options: { include_usage: true },
      });
      expect([answer.status, answer.text]).toMatchObject([200, expect.stringMatching(/data: \[DONE\]\s*$/)]);
      expect(arrived.at(-1)?.path).toBe(places[1]);
      expectCredential(vendor);
      const chunks = answer.text.split('\n\n').flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6))] : []));
      expect(chunks.map(({ choices }) => choices[0]?.delta?.content ?? '').join('')).toBe(said(vendor));
      expect(chunks.at(-1)?.usage?.total_tokens).toBeGreaterThan(0);
    });

    test('answers who speaks another dialect', async () => {
      const answer = await ask('/v1/messages', { model, messages, max_tokens: 50 });
      expect([answer.status, answer.text]).toMatchObject([200, expect.stringContaining('"message"')]);
      expect(JSON.parse(answer.text).content).toEqual([expect.objectContaining({ type: 'text', text: said(vendor) })]);
    });

    test('is tested as it is asked', async () => {
      const { body } = await root.raw('GET', `/api/channel/test/${channels.get(vendor)}?model=${encodeURIComponent(model)}`);
      expect(body).toMatchObject(vendor.dialect === 'palm-message' ? { message: 'usage is nil' } : { success: true });
    });

    test('a refusal keeps its status and comes in the caller’s dialect', async () => {
      refuses = true;
      const answer = await ask('/v1/chat/completions', { model, messages });
      expect([answer.status, answer.text]).toEqual([Number(refusal.split('.').at(-1)), expect.stringMatching(/^\{"error":/)]);
    });
  },
);

test('the assertion that was traded for a token verifies, and was traded once', async () => {
  current = vendors.at(-1);
  const traded = () => arrived.filter(({ path }) => path === '/oauth2/v4/token');
  const fresh = JSON.stringify({
    ...(JSON.parse(account) as Json),
    private_key_id: createHash('sha256').update('k2').digest('hex'),
  });
  const { id } = await root.addChannel({
    type: 41,
    models: 'claude-sonnet-4-5-20250929',
    key: fresh,
    base_url: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`,
    other: 'europe-west4',
  });
  for (let k = 0; k < 2; k += 1) {
    const { body } = await root.raw('GET', `/api/channel/test/${id}`);
    expect(body).toMatchObject({ success: true });
  }
  expect(traded()).toHaveLength(1);
  const [header = '', claims = '', signature = ''] = (
    new URLSearchParams(traded()[0]?.body.toString()).get('assertion') ?? ''
  ).split('.');
  expect(verify('sha256', Buffer.from(`${header}.${claims}`), publicKey, Buffer.from(signature, 'base64url'))).toBe(true);
});

test('nothing that was written held a credential', () => {
  expect(gateway.output()).not.toContain(secret);
  expect(gateway.output()).not.toContain('PRIVATE KEY');
});
