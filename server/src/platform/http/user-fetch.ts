import { createGatherer } from '@tollgate/wire';
import type { UpstreamClient, UpstreamFault, UpstreamRequest } from './client.ts';
import { mediaTypeOf } from './media-type.ts';
import { UserFetchRefused, vettedAddress, type Worker, workerOrder } from './user-address.ts';

/** What an address turned out to be. */
export interface UserFile {
  /** Without parameters, lower case. */
  readonly mediaType: string;
  readonly bytes: Buffer;
}

/** Fetches what a user named by address, until `signal` aborts. Rejects with UserFetchRefused; its text may be shown to that user. */
export type UserFetch = (url: string, worker?: Worker, signal?: AbortSignal) => Promise<UserFile>;

export interface UserFetchParts {
  /** Reaches public addresses only, whatever channels may reach. */
  readonly outside: Pick<UpstreamClient, 'send'>;
  /** Reaches the worker. */
  readonly upstream: Pick<UpstreamClient, 'send'>;
  readonly maxBytes: number;
  /** Of one file, redirects included; default 15 s. */
  readonly timeoutMs?: number;
}

const usualTimeoutMs = 15_000;
const maxRedirects = 3;
/** Of all users together. */
const maxParallel = 64;
const maxWaiting = 512;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** The fetcher for addresses that users name. */
export function createUserFetch(parts: UserFetchParts): UserFetch {
  const enter = createGate();
  return async (text, worker, signal) => {
    const url = vettedAddress(text);
    const timeoutMs = parts.timeoutMs ?? usualTimeoutMs;
    const late = AbortSignal.timeout(timeoutMs);
    const deadline = signal === undefined ? late : AbortSignal.any([late, signal]);
    const leave = await enter(deadline);
    try {
      return worker === undefined
        ? await follow(parts, url, deadline)
        : fileOf(await exchange(parts.upstream, throughWorker(url, worker), parts.maxBytes, deadline));
    } finally {
      leave();
    }
  };
}

async function follow({ outside, maxBytes }: UserFetchParts, first: URL, deadline: AbortSignal): Promise<UserFile> {
  let url = first;
  for (let hops = 0; hops <= maxRedirects; hops += 1) {
    const answer = await exchange(outside, { url, method: 'GET', body: undefined }, maxBytes, deadline);
    if (answer.location === undefined) return fileOf(answer);
    const next = URL.parse(answer.location, url.href);
    // The whole address is judged anew, and nothing of the last exchange goes along.
    url = vettedAddress(next?.href ?? '');
  }
  throw new UserFetchRefused(`it redirects more than ${maxRedirects} times`);
}

function throughWorker(url: URL, worker: Worker): Asking {
  const order = workerOrder(worker, { url, method: 'GET' });
  return { url: order.url, method: 'POST', body: Buffer.from(order.body) };
}

type Asking = Pick<UpstreamRequest, 'url' | 'method' | 'body'>;

interface Answer {
  readonly status: number;
  readonly contentType: string;
  /** Of a redirect. */
  readonly location: string | undefined;
  readonly bytes: Buffer;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** One exchange within the bounds; a body that is of no use is not read. */
function exchange(
  client: Pick<UpstreamClient, 'send'>,
  asking: Asking,
  maxBytes: number,
  deadline: AbortSignal,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const gathered = createGatherer(maxBytes);
    let head: Omit<Answer, 'bytes'> = { status: 0, contentType: '', location: undefined };
    const settle = (action: () => void) => {
      deadline.removeEventListener('abort', onDeadline);
      action();
    };
    const give = (action: () => void) =>
      settle(() => {
        call.abort();
        action();
      });
    const refuse = (reason: string) => give(() => reject(new UserFetchRefused(reason)));
    const onDeadline = () => refuse('it took too long');
    deadline.addEventListener('abort', onDeadline, { once: true });
    const content: Record<string, string> = asking.body === undefined ? {} : { 'content-type': 'application/json' };
    const call = client.send(
      {
        ...asking,
        headers: { 'user-agent': 'tollgate', accept: '*/*', 'accept-encoding': 'identity', ...content },
        pool: 'user',
        firstByteTimeoutMs: usualTimeoutMs,
        idleTimeoutMs: usualTimeoutMs,
      },
      {
        head(status, headers) {
          head = { status, contentType: first(headers, 'content-type'), location: locationOf(status, headers) };
          const refusal = refusalOf(status, headers, maxBytes);
          if (head.location !== undefined) give(() => resolve({ ...head, bytes: Buffer.alloc(0) }));
          else if (refusal !== undefined) refuse(refusal);
        },
        data(chunk) {
          if (!gathered.add(chunk)) refuse(tooLarge(maxBytes));
        },
        end: () => settle(() => resolve({ ...head, bytes: gathered.take() })),
        fault: (fault) => settle(() => reject(new UserFetchRefused(faultText(fault)))),
      },
    );
    if (deadline.aborted) onDeadline();
  });
}

function locationOf(status: number, headers: Headers): string | undefined {
  return redirects.has(status) ? first(headers, 'location') : undefined;
}

/** Why an answer's body is not worth reading; undefined = it is. */
function refusalOf(status: number, headers: Headers, maxBytes: number): string | undefined {
  if (status !== 200) return `it answered with status ${status}`;
  const encoding = first(headers, 'content-encoding').trim().toLowerCase();
  if (encoding !== '' && encoding !== 'identity') return 'it is compressed';
  if (Number(first(headers, 'content-length')) > maxBytes) return tooLarge(maxBytes);
  return undefined;
}

function tooLarge(maxBytes: number): string {
  return `it is larger than ${Math.floor(maxBytes / (1024 * 1024))} MB`;
}

/** Nothing of a driver's text, and nothing that tells a private network's names from its doors. */
function faultText({ kind }: UpstreamFault): string {
  if (kind === 'refused') return 'the address is not allowed';
  return kind === 'timeout' ? 'it took too long' : 'it cannot be reached';
}

function fileOf({ status, contentType, bytes }: Answer): UserFile {
  // A worker follows by itself.
  if (status !== 200) throw new UserFetchRefused(`it answered with status ${status}`);
  const mediaType = mediaTypeOf(contentType, bytes);
  if (mediaType === undefined) throw new UserFetchRefused('it is no picture, sound or PDF');
  return { mediaType, bytes };
}

function first(headers: Headers, name: string): string {
  const value = headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? '';
}

/** Lets a number in at once; the others wait in a line, which is bounded, too. */
function createGate(): (deadline: AbortSignal) => Promise<() => void> {
  const waiting = new Set<() => void>();
  let inside = 0;
  const leave = () => {
    const [next] = waiting;
    if (next === undefined) inside -= 1;
    else next();
  };
  return async (deadline) => {
    if (inside < maxParallel) {
      inside += 1;
      return leave;
    }
    if (waiting.size >= maxWaiting) throw new UserFetchRefused('too many files are fetched at the moment');
    await new Promise<void>((resolve, reject) => {
      const enter = () => {
        waiting.delete(enter);
        deadline.removeEventListener('abort', give);
        resolve();
      };
      const give = () => {
        waiting.delete(enter);
        reject(new UserFetchRefused('it took too long'));
      };
      waiting.add(enter);
      deadline.addEventListener('abort', give, { once: true });
    });
    return leave;
  };
}
