import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Envelope, LoginUser } from '@tollgate/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Console } from './support/console-client.ts';
import { signIn } from './support/console-client.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import { startMockUpstream } from './support/mock-upstream.ts';
import { ofTest } from './support/of-test.ts';
import { type GitHub, startGitHub } from './support/stand-ins/github.ts';
import { type SmtpSink, startSmtp } from './support/stand-ins/smtp.ts';

const client = { id: 'client-1', secret: 'secret-of-the-client' };
const password = 'correct-horse-9';
let [smtp, github, gateway, root]: [SmtpSink?, GitHub?, Gateway?, Console?] = [];

beforeAll(async () => {
  smtp = await startSmtp({ user: 'gate@example.org', password: 'mail-password' });
  github = await startGitHub(client);
  gateway = await startGateway({ EGRESS_REWRITE: github.rewrite.join(',') });
  root = await gateway.root();
  const options = {
    SMTPServer: '127.0.0.1',
    SMTPPort: smtp.port,
    SMTPAccount: 'gate@example.org',
    SMTPToken: 'mail-password',
    ServerAddress: gateway.url,
    EmailVerificationEnabled: true,
    GitHubClientId: client.id,
    GitHubClientSecret: client.secret,
    GitHubOAuthEnabled: true,
  };
  for (const [key, value] of Object.entries(options)) await root.setOption(key, value);
});
afterAll(async () => {
  await gateway?.stop();
  await Promise.all([smtp?.close(), github?.close()]);
});

function there() {
  if (!smtp || !github || !gateway || !root) throw new Error('the servers are not there');
  return { smtp, github, gateway, root };
}

async function send<T>(path: string, body?: unknown, cookie = ''): Promise<{ body: Envelope<T>; cookies: string[] }> {
  const init = {
    method: body === undefined ? 'GET' : 'POST',
    headers: { cookie, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    body: body === undefined ? null : JSON.stringify(body),
  };
  const answer = await fetch(there().gateway.url + path, init);
  return { body: (await answer.json()) as Envelope<T>, cookies: answer.headers.getSetCookie() };
}

test('a stranger proves an address, registers, forgets the password and gets a new one by mail', async () => {
  const { smtp, gateway } = there();
  expect((await send('/api/verification?email=ann@example.org')).body.success).toBe(true);
  const code = />(\d{6})<\/p>/.exec((await smtp.mail(1)).html)?.[1];
  const registration = { username: 'ann', password, email: 'ann@example.org', verification_code: code };
  expect((await send('/api/user/register', registration)).body).toEqual({ success: true, message: '' });
  const ann = await signIn(gateway.url, 'Ann@Example.org', password);

  expect((await send('/api/reset_password?email=ann@example.org')).body.success).toBe(true);
  const link = /<a href="([^"]*)"/.exec((await smtp.mail(2)).html)?.[1]?.replaceAll('&amp;', '&') ?? '';
  expect(link.startsWith(`${gateway.url}/user/reset?`)).toBe(true);
  const { body } = await send<string>('/api/user/reset', Object.fromEntries(new URL(link).searchParams));
  expect((await ann.raw('GET', '/api/user/self')).status).toBe(401);
  expect((await signIn(gateway.url, 'ann', body.data ?? '')).userId).toBe(ann.userId);
  for (const secret of [code ?? '-', link, password, body.data ?? '-']) expect(gateway.output()).not.toContain(secret);
});

test('a stranger comes in by a provider that the guarded client was sent to', async () => {
  const { github } = there();
  const page = await send<string>('/api/oauth/authorize?provider=github');
  const { code, state } = github.agree(page.body.data ?? '', { id: 583231, login: 'octocat', name: null });
  const path = `/api/oauth/github?code=${code}&state=${state}`;
  expect((await send(path)).body.message).toBe('state is empty or not same');
  const done = await send<LoginUser>(path, undefined, page.cookies[0]?.split(';')[0]);
  expect(done.body.data).toMatchObject({ display_name: 'octocat', role: 1 });
  expect(done.cookies.some((cookie) => /^session=[\w-]{43};.*HttpOnly; SameSite=Strict$/.test(cookie))).toBe(true);
});

/** Sends all but the end of a body; resolves when the server has begun to take it. */
async function sendSlowly(path: string, body: unknown, headers: Readonly<Record<string, string>>) {
  const whole = JSON.stringify(body);
  const length = String(Buffer.byteLength(whole));
  const more = { 'content-type': 'application/json', 'content-length': length, expect: '100-continue' };
  const sending = request(there().gateway.url + path, { method: 'POST', headers: { ...headers, ...more } });
  const answer = once(sending, 'response') as Promise<[IncomingMessage]>;
  const begun = once(sending, 'continue');
  sending.write(whole.slice(0, 1));
  await begun;
  return async () => {
    sending.end(whole.slice(1));
    const [incoming] = await answer;
    return `${incoming.statusCode} ${await text(incoming)}`;
  };
}

test('who is thrown out while a body is on its way has nothing of it', async () => {
  const { gateway, root } = there();
  const upstream = await ofTest(startMockUpstream());
  await root.addChannel({ base_url: upstream.url, models: 'gpt-4o-mini' });
  await root.addChannel({ type: 36, base_url: upstream.url, models: 'suno_music', key: 'suno-key-12345678' });
  await root.setOption('ModelPrice', { suno_music: 0.01 });
  const member = async (username: string, role = 1) => {
    await root.call('POST', '/api/user/', { username, password, role });
    return signIn(gateway.url, username, password);
  };
  const [boss, bob] = [await member('boss', 10), await member('bob')];
  await root.call('PUT', '/api/user/', { id: bob.userId, quota: 5_000_000 });
  const authorization = `Bearer ${(await bob.addToken()).key}`;
  const chat = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] };
  const bodies = [
    await sendSlowly('/api/redemption/', { name: 'farewell', quota: 5_000_000, count: 3 }, boss.headers),
    await sendSlowly('/v1/chat/completions', chat, { authorization }),
    await sendSlowly('/suno/submit/music', { prompt: 'a song' }, { authorization }),
    await sendSlowly('/pg/chat/completions', { ...chat, group: 'default' }, bob.headers),
  ];
  // By now all four have been let in.
  for (const each of [boss, bob]) await each.self();
  await root.call('POST', '/api/user/manage', { id: boss.userId, action: 'demote' });
  await root.call('POST', '/api/user/manage', { id: bob.userId, action: 'disable' });
  const answers = await Promise.all(bodies.map((finish) => finish()));
  expect(answers).toEqual([
    expect.stringMatching(/^401 .*"success":false/),
    expect.stringMatching(/^403 .*用户已被封禁/),
    expect.stringMatching(/^403 .*用户已被封禁/),
    expect.stringMatching(/^401 /),
  ]);
  expect(await root.call('GET', '/api/redemption/?p=0&page_size=10')).toEqual([]);
  expect(upstream.requests()).toEqual([]);
});
