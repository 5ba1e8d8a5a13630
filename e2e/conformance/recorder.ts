/** One call that an SDK made, as it went over the wire. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly requestId: string;
  /** Of `X-Tollgate-Losses`. */
  readonly losses: readonly string[];
  readonly isStream: boolean;
}

export interface Recorder {
  readonly exchanges: readonly Exchange[];
  clear(): void;
  stop(): void;
}

/** Watches the fetch that every SDK uses; it changes nothing. */
export function startRecorder(origin: string): Recorder {
  const original = globalThis.fetch;
  let exchanges: Exchange[] = [];
  globalThis.fetch = async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const answer = await original(input, init);
    if (url.startsWith(origin) && !url.startsWith(`${origin}/api/`)) {
      const { headers, status } = answer;
      exchanges.push({
        method: init?.method ?? (input instanceof Request ? input.method : 'GET'),
        path: new URL(url).pathname,
        status,
        requestId: headers.get('x-oneapi-request-id') ?? '',
        losses: (headers.get('x-tollgate-losses') ?? '').split(',').filter((name) => name !== ''),
        isStream: (headers.get('content-type') ?? '').startsWith('text/event-stream'),
      });
    }
    return answer;
  };
  return {
    get exchanges() {
      return exchanges;
    },
    clear() {
      exchanges = [];
    },
    stop() {
      globalThis.fetch = original;
    },
  };
}
