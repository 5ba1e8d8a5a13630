import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from './clock.ts';
import { within } from './within.ts';
import type { Line } from './workers/line.ts';

/** Liveness and readiness (contract 16.1). */
export interface Health {
  /** Answers `/healthz` and `/readyz`. */
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
  /** From now on this process is not ready. */
  drain(): void;
  /** Whether something looks at the readiness and needs a moment to see a change. */
  isWatched(): boolean;
}

interface Parts {
  readonly clock: Clock;
  /** Resolves while the database answers. */
  readonly ping: () => Promise<unknown>;
  readonly pingTimeoutMs?: number;
  /** What the machine's clock says minus the database's; absent where there is only one. */
  readonly clockAheadMs?: () => number;
  /** Of a worker: who looks at the readiness sees one of them and means all. */
  readonly line?: Line | undefined;
}

export const healthPaths: readonly string[] = ['/healthz', '/readyz'];

/** Anybody may ask: one look at the database serves everyone for this long. */
const freshMs = 1_000;
const watchedMs = 60_000;
/** How often the other workers are told of it. */
const tellMs = 5_000;
/** A machine that is so far off has more wrong than its clock; certificates and signatures fail on it. */
const longestSkewMs = 60_000;

/** `/healthz`: 200 while the process runs. `/readyz`: 200, or 503 with its reasons, `database`, `clock` or `draining`. */
export function createHealth({ clock, ping, pingTimeoutMs = 2_000, clockAheadMs = () => 0, line }: Parts): Health {
  let draining = false;
  let watchedAtMs = Number.NEGATIVE_INFINITY;
  line?.on('watched', () => {
    watchedAtMs = clock.monotonicMs();
  });
  let look: { atMs: number; works: Promise<boolean> } | undefined;

  const databaseWorks = (): Promise<boolean> => {
    const nowMs = clock.monotonicMs();
    if (look === undefined || nowMs - look.atMs > freshMs) {
      const answered = ping().then(
        () => true,
        () => false,
      );
      const works = within(answered, pingTimeoutMs, () => false);
      look = { atMs: nowMs, works };
    }
    return look.works;
  };
  const reasons = async (): Promise<string[]> => [
    ...((await databaseWorks()) ? [] : ['database']),
    ...(Math.abs(clockAheadMs()) > longestSkewMs ? ['clock'] : []),
    ...(draining ? ['draining'] : []),
  ];
  return {
    handle(request, response) {
      if (request.method !== 'GET' && request.method !== 'HEAD') return tell(response, 405, { status: 'method_not_allowed' });
      if (request.url?.startsWith('/healthz') === true) return tell(response, 200, { status: 'ok' });
      if (clock.monotonicMs() - watchedAtMs > tellMs) line?.tell('watched');
      watchedAtMs = clock.monotonicMs();
      void reasons().then((found) =>
        found.length === 0
          ? tell(response, 200, { status: 'ready' })
          : tell(response, 503, { status: 'not_ready', reasons: found }),
      );
    },
    drain() {
      draining = true;
    },
    isWatched: () => clock.monotonicMs() - watchedAtMs < watchedMs,
  };
}

function tell(response: ServerResponse, status: number, body: object): void {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  response.writeHead(status, headers).end(`${JSON.stringify(body)}\n`);
}
