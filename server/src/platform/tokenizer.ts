import { Worker } from 'node:worker_threads';
import type { CountRequest, Encoding } from './tokenizer-worker.ts';

/** Counts tokens away from the main loop. `counted` is false when the byte heuristic had to answer. */
export interface Tokenizer {
  count(model: string, texts: string[]): Promise<{ counts: number[]; counted: boolean }>;
  close(): Promise<void>;
}

const timeoutMs = 5_000;
const maxPending = 256;
const bytesPerToken = 4;

/** The worker starts with the first text and is replaced when it dies; a full queue or a slow answer falls back to bytes / 4. */
export function createTokenizer(): Tokenizer {
  let worker: Worker | undefined;
  let nextId = 0;
  const pending = new Map<number, (counts: number[] | undefined) => void>();

  const fail = () => {
    worker = undefined;
    for (const resolve of pending.values()) resolve(undefined);
    pending.clear();
  };
  const start = () => {
    const started = new Worker(new URL('./tokenizer-worker.ts', import.meta.url));
    started.unref();
    started.on('message', ({ id, counts }: { id: number; counts: number[] | undefined }) => pending.get(id)?.(counts));
    const left = () => worker === started && fail();
    started.on('error', left);
    started.on('exit', left);
    return started;
  };
  const ask = (encoding: Encoding, texts: string[]) =>
    new Promise<number[] | undefined>((resolve) => {
      const id = nextId++;
      const timer = setTimeout(() => {
        // It is stuck: what waits behind must not wait, too.
        void worker?.terminate();
        fail();
      }, timeoutMs);
      const settle = (counts: number[] | undefined) => {
        clearTimeout(timer);
        pending.delete(id);
        resolve(counts);
      };
      pending.set(id, settle);
      worker ??= start();
      worker.postMessage({ id, encoding, texts } satisfies CountRequest);
    });

  return {
    async count(model, texts) {
      const counts = pending.size < maxPending ? await ask(encodingOf(model), texts) : undefined;
      return counts === undefined ? { counts: texts.map(estimate), counted: false } : { counts, counted: true };
    },
    async close() {
      await worker?.terminate();
    },
  };
}

/** Contract 6.8, with the newer families on the newer table. */
function encodingOf(model: string): Encoding {
  return /^(gpt-3\.5|gpt-4(?!o|\.)|text-embedding)/.test(model) ? 'cl100k_base' : 'o200k_base';
}

function estimate(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken);
}
