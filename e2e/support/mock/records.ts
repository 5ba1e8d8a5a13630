import type { IncomingHttpHeaders } from 'node:http';

/** One request that the mock received, updated while it is answered. */
export interface MockRequest {
  readonly id: number;
  readonly method: string;
  /** Path and query as they came. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The parsed body; {} when it is no JSON object. */
  readonly json: Readonly<Record<string, unknown>>;
  readonly receivedAtMs: number;
  /** 0 until the status line is sent. */
  status: number;
  /** Body bytes handed to the connection. */
  bytesSent: number;
  /** The client closed before the answer was complete. */
  aborted: boolean;
  /** Unix milliseconds; 0 while the answer is open. */
  endedAtMs: number;
}

export interface Records {
  /** Oldest first; bounded, the oldest go first. */
  list(): readonly MockRequest[];
  add(request: MockRequest): void;
  /** To be called after every change of a record. */
  changed(): void;
  clear(): void;
  /** Resolves with the first record that fits, now or later; rejects after `timeoutMs`. */
  waitFor(fits: (request: MockRequest) => boolean, timeoutMs?: number): Promise<MockRequest>;
  /** Rejects everybody who still waits. */
  close(): void;
}

interface Waiter {
  readonly fits: (request: MockRequest) => boolean;
  readonly resolve: (request: MockRequest) => void;
  readonly reject: (reason: Error) => void;
  readonly timer: NodeJS.Timeout;
}

/** A bounded list of records on which tests can wait. */
export function createRecords(maxRecords: number): Records {
  let records: MockRequest[] = [];
  const waiters = new Set<Waiter>();

  function changed(): void {
    for (const waiter of waiters) {
      const found = records.find(waiter.fits);
      if (found === undefined) continue;
      settle(waiter);
      waiter.resolve(found);
    }
  }

  function settle(waiter: Waiter): void {
    clearTimeout(waiter.timer);
    waiters.delete(waiter);
  }

  function fail(waiter: Waiter, reason: string): void {
    settle(waiter);
    const seen = records.map(({ method, path, status, aborted }) => `${method} ${path} ${status}${aborted ? ' aborted' : ''}`);
    waiter.reject(new Error(`${reason}; seen: ${seen.slice(-20).join(', ') || 'nothing'}`));
  }

  return {
    list: () => records,
    add(request) {
      records.push(request);
      if (records.length > maxRecords) records.shift();
      changed();
    },
    changed,
    clear() {
      records = [];
    },
    waitFor(fits, timeoutMs = 10_000) {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => fail(waiter, `no such request within ${timeoutMs} ms`), timeoutMs);
        const waiter: Waiter = { fits, resolve, reject, timer };
        waiters.add(waiter);
        changed();
      });
    },
    close() {
      for (const waiter of waiters) fail(waiter, 'the mock was closed');
    },
  };
}
