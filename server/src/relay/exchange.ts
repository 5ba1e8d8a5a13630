import { createGatherer, parseJson } from '@tollgate/wire';
import { type UpstreamClient, UpstreamFault, type UpstreamRequest } from '../platform/http/client.ts';

export interface WholeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
}

export interface ExchangeLimits {
  /** For the whole exchange. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

type Asking = Omit<UpstreamRequest, 'firstByteTimeoutMs' | 'idleTimeoutMs'>;

/** One request and its whole answer. Rejects with UpstreamFault. */
export function exchange(client: Pick<UpstreamClient, 'send'>, asking: Asking, limits: ExchangeLimits): Promise<WholeAnswer> {
  return new Promise((resolve, reject) => {
    const gathered = createGatherer(limits.maxBytes);
    let head: Omit<WholeAnswer, 'bytes'> = { status: 0, headers: {} };
    const settle = (action: () => void) => {
      clearTimeout(timer);
      action();
    };
    const give = (fault: UpstreamFault) =>
      settle(() => {
        call.abort();
        reject(fault);
      });
    const timer = setTimeout(() => give(new UpstreamFault('timeout', 'no whole answer in time')), limits.timeoutMs);
    const times = { firstByteTimeoutMs: limits.timeoutMs, idleTimeoutMs: limits.timeoutMs };
    const call = client.send(
      { ...asking, ...times },
      {
        head: (status, headers) => {
          head = { status, headers };
        },
        data: (chunk) => {
          if (!gathered.add(chunk)) give(new UpstreamFault('protocol', 'the answer is too large'));
        },
        end: () => settle(() => resolve({ ...head, bytes: gathered.take() })),
        fault: (fault) => settle(() => reject(fault)),
      },
    );
  });
}

const shortestSecret = 8;

/** JSON of an answer's body, without the credential that it may echo; undefined = it is none, or one that cannot be spelled again. */
export function jsonOf({ bytes }: Pick<WholeAnswer, 'bytes'>, secret: string): unknown {
  const text = bytes.toString('utf8');
  return parseJson(secret.length < shortestSecret ? text : text.replaceAll(secret, '***'));
}
