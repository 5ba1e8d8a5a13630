import { createVerify, generateKeyPairSync } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FakeClock } from '../../../test/fake-clock.ts';
import { listening } from '../../../test/listening.ts';
import { createUpstreamClient, type UpstreamClient } from '../../platform/http/client.ts';
import { createGuard } from '../../platform/http/guard.ts';
import { createSystemClient } from '../../platform/http/system-client.ts';
import { SignFault, type SignTools } from '../sign.ts';
import { readServiceAccount, signWithGoogleToken } from './google-token.ts';
import { createSignTools } from './tools.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const account = {
  type: 'service_account',
  project_id: 'p1',
  client_email: 'a@p1.example',
  private_key: pem,
  private_key_id: 'k1',
};
const startMs = Date.UTC(2026, 10, 20, 12);

let server: Server;
let client: UpstreamClient;
let tools: SignTools;
let clock: FakeClock;
/** Bodies that the token service got, and what it says. */
let asked: string[] = [];
let answer: { status: number; body: string };

beforeEach(async () => {
  asked = [];
  answer = { status: 200, body: JSON.stringify({ access_token: 'token-1', expires_in: 3599, token_type: 'Bearer' }) };
  server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      asked.push(`${req.method} ${req.url} ${req.headers['content-type']} ${Buffer.concat(chunks).toString()}`);
      res.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
    });
  });
  const port = await listening(server);
  const guard = createGuard({ allowPrivate: [], rewrite: [`www.googleapis.com=http://127.0.0.1:${port}`] });
  client = createUpstreamClient({ guard, connectTimeoutMs: 1000 });
  clock = new FakeClock(startMs);
  tools = createSignTools({ clock, http: createSystemClient(client) });
});

afterEach(async () => {
  await client.close();
  await new Promise((resolve) => server.close(resolve));
});

function signed(key: string = JSON.stringify(account)) {
  const channel = { id: 1, baseUrl: '', key, organization: '', other: '' };
  const url = new URL('https://aiplatform.googleapis.com/');
  const request = { channel, model: 'm', stream: false, protocol: 'x', url, headers: {}, body: Buffer.alloc(0) };
  return Promise.resolve(signWithGoogleToken(request, tools));
}

test('the assertion is what the published protocol asks for, and its signature verifies', async () => {
  expect((await signed()).headers).toEqual({ authorization: 'Bearer token-1' });
  const [line = ''] = asked;
  expect(line).toMatch(/^POST \/oauth2\/v4\/token application\/x-www-form-urlencoded /);
  const form = new URLSearchParams(line.split(' ').at(-1));
  expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
  const [header = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.');
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as unknown;
  expect(read(header)).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'k1' });
  const iat = startMs / 1000;
  expect(read(claims)).toEqual({
    iss: 'a@p1.example',
    scope: 'https://www.googleapis.com/auth/cloud-platform',
    aud: 'https://www.googleapis.com/oauth2/v4/token',
    iat,
    exp: iat + 2100,
  });
  const verifier = createVerify('RSA-SHA256').update(`${header}.${claims}`);
  expect(verifier.verify(publicKey, Buffer.from(signature, 'base64url'))).toBe(true);
});

describe('tokens', () => {
  test('are kept for 30 minutes less a minute, and many calls share one exchange', async () => {
    await Promise.all([signed(), signed(), signed()]);
    clock.advanceMs(28 * 60_000);
    await signed();
    expect(asked).toHaveLength(1);
    clock.advanceMs(61_000);
    await signed();
    expect(asked).toHaveLength(2);
  });

  test('of another key are others', async () => {
    await signed();
    await signed(JSON.stringify({ ...account, private_key_id: 'k2' }));
    expect(asked).toHaveLength(2);
  });

  test('that were refused are asked for again, and the refusal names neither key nor answer', async () => {
    answer = { status: 400, body: '{"error":"invalid_grant","error_description":"secret detail"}' };
    const fault = await signed().catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(SignFault);
    expect(fault).toMatchObject({ isKeyBad: true, message: 'the token service answered with status 400' });
    answer = { status: 200, body: '{"access_token":"token-2","expires_in":100}' };
    expect((await signed()).headers).toEqual({ authorization: 'Bearer token-2' });
  });

  test('of a service that is down are the service’s trouble, not the key’s', async () => {
    answer = { status: 503, body: 'busy' };
    expect(await signed().catch((error: unknown) => error)).toMatchObject({ isKeyBad: false });
    await new Promise((resolve) => server.close(resolve));
    expect(await signed().catch((error: unknown) => error)).toMatchObject({ isKeyBad: false });
    expect(asked).toHaveLength(1);
  });
});

test.each(['', 'sk-1', '[]', 'null', '{"client_email":"a"}'])('%j is no service account', async (key) => {
  expect(readServiceAccount(key)).toBeUndefined();
  expect(await signed(key).catch((error: unknown) => error)).toMatchObject({ isKeyBad: true });
});

test('a private key that cannot be read is the key’s fault, and is not repeated', async () => {
  const fault = await signed(JSON.stringify({ ...account, private_key: 'no key at all' })).catch((error: unknown) => error);
  expect(fault).toMatchObject({ isKeyBad: true });
  expect(String(fault)).not.toContain('no key at all');
});
