import { createGatherer } from '@tollgate/wire';
import type { Clock } from '../clock.ts';
import { type Log, redactText } from '../log.ts';
import { type UpstreamClient, UpstreamFault } from './client.ts';

export interface SystemRequest {
  readonly url: URL | string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | undefined;
  /** For the whole exchange; default 5 s. */
  readonly timeoutMs?: number;
  /** Largest answer; default 64 KiB. */
  readonly maxBytes?: number;
  /** Gives the exchange up; it then fails like one that timed out. */
  readonly signal?: AbortSignal | undefined;
  /** The http, https or socks5 address to go through. */
  readonly proxy?: string | undefined;
}

export interface SystemAnswer {
  readonly status: number;
  readonly text: string;
}

/** Short calls to services that the operator named: sign-in providers, the bot check. Redirects are not followed. */
export interface SystemClient {
  /** Throws UpstreamFault: kind `refused` by the guard, `timeout`, `protocol` for an answer that is too large, else the network's. */
  request(request: SystemRequest): Promise<SystemAnswer>;
}

const defaultTimeoutMs = 5_000;
const defaultMaxBytes = 65_536;

/** Sends through the guarded client, so that the rules for targets hold here too. */
export function createSystemClient(upstream: Pick<UpstreamClient, 'send'>): SystemClient {
  return {
    request: (request) =>
      new Promise((resolve, reject) => {
        const url = typeof request.url === 'string' ? URL.parse(request.url) : request.url;
        if (url === null) return reject(new UpstreamFault('refused', 'not an address'));
        exchange(upstream, url, request, resolve, reject);
      }),
  };
}

const tellEveryMs = 60_000;
const maxAddresses = 100;
/** What a visitor sent may be wrong: that is no failure of the service. */
const badRequest = 400;

/**
 * The same client, whose failures leave a line in the log: of each address one a minute, which counts those that left none.
 * Not with what was asked or answered: both hold secrets.
 */
export function loggedClient(client: SystemClient, { clock, log }: { clock: Clock; log: Pick<Log, 'warn'> }): SystemClient {
  const told = new Map<string, { atMs: number; unlogged: number }>();
  const tell = (target: URL | string, reason: string): void => {
    const url = URL.parse(String(target));
    const address = url === null ? '' : `${url.origin}${url.pathname}`;
    const last = told.get(address);
    const nowMs = clock.monotonicMs();
    if (last !== undefined && nowMs - last.atMs < tellEveryMs) {
      last.unlogged += 1;
      return;
    }
    if (told.size >= maxAddresses) told.clear();
    told.set(address, { atMs: nowMs, unlogged: 0 });
    log.warn({ address, reason, unlogged: last?.unlogged ?? 0 }, 'a service that sign-ins depend on failed');
  };
  return {
    async request(request) {
      try {
        const answer = await client.request(request);
        if (answer.status >= 300 && answer.status !== badRequest) tell(request.url, `status ${answer.status}`);
        return answer;
      } catch (error) {
        tell(request.url, redactText(error instanceof Error ? error.message : String(error)));
        throw error;
      }
    },
  };
}

function exchange(
  upstream: Pick<UpstreamClient, 'send'>,
  url: URL,
  request: SystemRequest,
  resolve: (answer: SystemAnswer) => void,
  reject: (fault: UpstreamFault) => void,
): void {
  const { timeoutMs = defaultTimeoutMs, maxBytes = defaultMaxBytes, signal } = request;
  if (signal?.aborted === true) {
    reject(new UpstreamFault('timeout', 'given up'));
    return;
  }
  const gathered = createGatherer(maxBytes);
  let status = 0;
  const finish = (settle: () => void) => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abandon);
    settle();
  };
  const give = (kind: 'timeout' | 'protocol', message: string) =>
    finish(() => {
      call.abort();
      reject(new UpstreamFault(kind, message));
    });
  const abandon = () => give('timeout', 'given up');
  signal?.addEventListener('abort', abandon, { once: true });
  const timer = setTimeout(() => give('timeout', `no answer within ${timeoutMs} ms`), timeoutMs);
  const call = upstream.send(
    {
      url,
      method: request.method ?? 'GET',
      headers: { 'user-agent': 'tollgate', ...request.headers },
      body: request.body === undefined ? undefined : Buffer.from(request.body),
      proxy: request.proxy,
      firstByteTimeoutMs: timeoutMs,
      idleTimeoutMs: timeoutMs,
    },
    {
      head: (said) => {
        status = said;
      },
      data: (chunk) => {
        if (!gathered.add(chunk)) give('protocol', `the answer exceeds ${maxBytes} bytes`);
      },
      end: () => finish(() => resolve({ status, text: gathered.take().toString('utf8') })),
      fault: (fault) => finish(() => reject(fault)),
    },
  );
}
