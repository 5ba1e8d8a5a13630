import {
  type Channel,
  type ChannelInput,
  type Envelope,
  type LogEntry,
  never,
  type PageOf,
  type Token,
  type User,
} from '@tollgate/contract';
import { shapeFault } from '../../server/test/answer-shapes.ts';

/** The console API as a signed-in user. Every call throws unless the answer says success. */
export interface Console {
  readonly userId: number;
  /** What proves who calls, for requests made by hand. */
  readonly headers: Readonly<Record<string, string>>;
  call<T>(method: string, path: string, body?: unknown): Promise<T>;
  /** The same without judging the answer. */
  raw(method: string, path: string, body?: unknown): Promise<{ status: number; body: Envelope }>;
  self(): Promise<User>;
  addChannel(input: Partial<ChannelInput>): Promise<Channel>;
  /** Makes a token; the key comes with its `sk-`. */
  addToken(input?: Partial<Token>): Promise<Token>;
  setOption(key: string, value: unknown): Promise<void>;
  logs(query?: string): Promise<LogEntry[]>;
}

/** Signs in; throws with the server's text. Answers of another version's server need not be as this one describes them. */
export async function signIn(url: string, username: string, password: string, isOurs = true): Promise<Console> {
  const answer = await fetch(`${url}/api/user/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  });
  const body = (await answer.json()) as Envelope<User>;
  if (!body.success || body.data === undefined) throw new Error(`sign-in failed: ${body.message}`);
  const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  return consoleFor(url, body.data.id, cookie, isOurs);
}

/** What the cookie of root's session holds where a database began as the tests' template. */
export const rootSession = 'root'.padEnd(43, '0');

/** Root in the session that is there already; where there is none or it has ended, by a sign-in. */
export async function asRoot(url: string, password: string, isOurs: boolean): Promise<Console> {
  const cookie = `session=${rootSession}`;
  const headers = { cookie, 'new-api-user': '1' };
  const answer = await fetch(`${url}/api/user/self`, { headers });
  const { data } = (await answer.json()) as Envelope<User>;
  return answer.ok && data !== undefined ? consoleFor(url, data.id, cookie, isOurs) : signIn(url, 'root', password, isOurs);
}

function consoleFor(url: string, userId: number, cookie: string, isOurs: boolean): Console {
  const raw: Console['raw'] = async (method, path, body) => {
    const answer = await fetch(url + path, {
      method,
      headers: { cookie, 'new-api-user': String(userId), ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const envelope = (await answer.json()) as Envelope;
    const fault = isOurs ? shapeFault(method, path, envelope) : undefined;
    if (fault !== undefined) throw new Error(`not as described: ${fault}`);
    return { status: answer.status, body: envelope };
  };
  const call: Console['call'] = async <T>(method: string, path: string, body?: unknown) => {
    const answer = await raw(method, path, body);
    if (!answer.body.success) throw new Error(`${method} ${path}: ${answer.status} ${answer.body.message}`);
    return answer.body.data as T;
  };
  return {
    userId,
    headers: { cookie, 'new-api-user': String(userId) },
    raw,
    call,
    self: () => call<User>('GET', '/api/user/self'),
    async addChannel(input) {
      await call('POST', '/api/channel/', {
        type: 1,
        name: 'upstream',
        key: 'upstream-key-0001',
        group: 'default',
        models: 'gpt-4o-mini',
        ...input,
      });
      return newest(await call<Channel[]>('GET', '/api/channel/?p=0&page_size=100&id_sort=true'));
    },
    async addToken(input) {
      const wanted = { name: 'test', unlimited_quota: true, remain_quota: 0, expired_time: never, ...input };
      await call('POST', '/api/token/', wanted);
      const rows = await call<Token[]>('GET', '/api/token/?p=0&size=100');
      // Others may be made at the same time.
      const token = newest(rows.filter(({ name }) => name === wanted.name));
      return { ...token, key: `sk-${token.key}` };
    },
    setOption: (key, value) =>
      call('PUT', '/api/option/', { key, value: typeof value === 'object' ? JSON.stringify(value) : value }),
    logs: async (query = 'type=2') => (await call<PageOf<LogEntry>>('GET', `/api/log/?p=1&page_size=100&${query}`)).items,
  };
}

function newest<T>(rows: readonly T[]): T {
  const [first] = rows;
  if (first === undefined) throw new Error('nothing was created');
  return first;
}
