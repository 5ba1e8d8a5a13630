import type { Status } from '@tollgate/contract';
import type { Page } from 'playwright-core';
import type { Browser } from '../browser.ts';
import { type Console, signIn } from '../console-client.ts';
import { type Gateway, startGateway } from '../gateway.ts';
import { jsonAnswer } from '../mock/dialect.ts';
import { type MockUpstream, startMockUpstream } from '../mock-upstream.ts';
import { postJson } from '../post-json.ts';
import { type GitHub, startGitHub } from '../stand-ins/github.ts';
import { type LinuxDo, startLinuxDo } from '../stand-ins/linuxdo.ts';
import { type OidcProvider, startOidc } from '../stand-ins/oidc.ts';
import { type SmtpSink, startSmtp } from '../stand-ins/smtp.ts';
import { startTurnstile, type Turnstile } from '../stand-ins/turnstile.ts';
import { startWeb, type Web } from '../stand-ins/web.ts';
import { startWeChat, type WeChatServer } from '../stand-ins/wechat.ts';

export const client = { id: 'client-1', secret: 'secret-of-the-client' };
export const password = 'correct-horse-9';
export const model = 'gpt-4o-mini';
export const claude = 'claude-3-7-sonnet-20250219';
export const gemini = 'gemini-2.0-flash';

/** Everything that options may be felt by. */
export interface Scene {
  readonly gateway: Gateway;
  readonly root: Console;
  readonly upstream: MockUpstream;
  /** The operator's worker, the payment page, the card service and whatever else is only called. */
  readonly web: Web;
  readonly github: GitHub;
  readonly linuxdo: LinuxDo;
  readonly oidc: OidcProvider;
  readonly wechat: WeChatServer;
  readonly turnstile: Turnstile;
  readonly smtp: SmtpSink;
  /** Of root, without a limit. */
  readonly key: string;
  close(): Promise<void>;
}

const message = {
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'm', stop_reason: 'end_turn', stop_sequence: null },
  content: [{ type: 'text', text: 'yes' }],
  usage: { input_tokens: 30, output_tokens: 9 },
};
const candidates = { candidates: [{ content: { role: 'model', parts: [{ text: 'yes' }] }, finishReason: 'STOP' }] };

export async function openScene(): Promise<Scene> {
  const upstream = await startMockUpstream({
    dialects: [
      ['POST /messages', () => jsonAnswer(200, message)],
      ['POST /models/gemini-2.0-flash:generateContent', () => jsonAnswer(200, candidates)],
    ],
  });
  const web = await startWeb(({ path }) =>
    path === '/v1/checkout/sessions'
      ? { body: { id: 'cs_1', object: 'checkout.session', url: 'https://checkout.example/1', amount_total: 3000 } }
      : { headers: { 'content-type': 'image/png' }, body: '\x89PNG\r\n\x1a\na picture' },
  );
  const [github, linuxdo, oidc] = [await startGitHub(client), await startLinuxDo(client), await startOidc(client)];
  const [wechat, turnstile] = [await startWeChat(client.secret), await startTurnstile(client.secret)];
  const smtp = await startSmtp({ user: 'gate@example.org', password: 'mail-password' });
  const rewrite = [...github.rewrite, ...linuxdo.rewrite, ...oidc.rewrite, ...wechat.rewrite, ...turnstile.rewrite];
  const gateway = await startGateway({ EGRESS_REWRITE: [...rewrite, `api.stripe.com=${web.origin}`].join(',') });
  const root = await gateway.root();
  await root.addChannel({ name: 'main', base_url: upstream.url, key: 'sk-upstream-0001', models: model });
  const more = [
    { name: 'unpriced', type: 1, models: 'house-model' },
    { name: 'claude', type: 14, models: `${claude},${claude}-thinking` },
    { name: 'gemini', type: 24, models: gemini },
  ];
  for (const channel of more) await root.addChannel({ ...channel, base_url: upstream.url, key: `sk-${channel.name}-0001` });
  const { key } = await root.addToken({ name: 'scene' });
  const servers = [web, github, linuxdo, oidc, wechat, turnstile, smtp, upstream];
  return {
    ...{ gateway, root, upstream, web, github, linuxdo, oidc, wechat, turnstile, smtp, key },
    async close() {
      await gateway.stop();
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}

export type Json = Record<string, unknown>;

/** What an effect may look at. */
export interface Sight extends Scene {
  readonly page: Page;
  readonly browser: Browser;
}

/** A member of the public status. */
export const status =
  (field: keyof Status) =>
  async ({ gateway }: Sight): Promise<unknown> => {
    const answer = await fetch(`${gateway.url}/api/status`);
    return ((await answer.json()) as { data: Status }).data[field];
  };

/** An answer of the console API to nobody. */
export async function ask({ gateway }: Pick<Sight, 'gateway'>, path: string, body?: unknown): Promise<Json> {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const answer = await fetch(gateway.url + path, { ...init, headers: { 'content-type': 'application/json' } });
  return (await answer.json()) as Json;
}

let people = 0;

/** Registers somebody new and signs in. */
export async function newcomer(sight: Pick<Sight, 'gateway'>, more: Json = {}): Promise<Console> {
  people += 1;
  const username = `person${people}`;
  const answer = await ask(sight, '/api/user/register', { username, password, ...more });
  if (answer.success !== true) throw new Error(`registration: ${String(answer.message)}`);
  return signIn(sight.gateway.url, username, password);
}

/** A relay call; answers status, body and what the upstream got. */
export async function relay(
  { gateway, key }: Pick<Sight, 'gateway' | 'key'>,
  body: Json,
  own = key,
): Promise<{ status: number; json: Json }> {
  const asked = { model, messages: [{ role: 'user', content: 'hi' }], ...body };
  const answer = await postJson(`${gateway.url}/v1/chat/completions`, own, asked);
  return { status: answer.status, json: (await answer.json()) as Json };
}

export const codeOf = ({ json }: { json: Json }): unknown => (json.error as Json | undefined)?.code;

/** The last request that an upstream of this scene got. */
export const lastAsked = ({ upstream }: Pick<Sight, 'upstream'>) => upstream.requests().at(-1);

/** One option, what is entered, what is looked at, and what is seen then. */
export interface Row {
  readonly key: string;
  readonly to: string | ((scene: Scene) => string);
  see(sight: Sight): Promise<unknown>;
  readonly is: unknown;
}

export const row = (key: string, to: Row['to'], see: Row['see'], is: unknown): Row => ({ key, to, see, is });

export const on = (key: string, see: Row['see'], is: unknown): Row => row(key, 'true', see, is);
export const off = (key: string, see: Row['see'], is: unknown): Row => row(key, 'false', see, is);

/** Looks once for all rows of a batch that judge the same call; a second attempt of a row looks again. */
export function once<Seen>(look: (sight: Sight) => Promise<Seen>): (sight: Sight) => Promise<Seen> {
  const seen = new WeakMap<Sight, Promise<Seen>>();
  return (sight) => {
    const known = seen.get(sight) ?? look(sight);
    seen.set(sight, known);
    return known;
  };
}

/** Options whose effects are looked at one after the other. */
export interface Batch {
  readonly name: string;
  readonly rows: readonly Row[];
  /** Set as well, and looked at elsewhere. */
  readonly given?: Readonly<Record<string, Row['to']>>;
  /** Made before the options are set. */
  prepare?(sight: Sight): Promise<void>;
}
