import cluster, { type Worker } from 'node:cluster';

/**
 * How a worker process speaks with the process that started it. Nothing here throws; what is not answered in time is undefined,
 * and when nothing at all was heard meanwhile, so is what is asked until something is: each call would wait as long.
 */
export interface Line {
  ask<T>(kind: string, ...values: readonly unknown[]): Promise<T | undefined>;
  tell(kind: string, ...values: readonly unknown[]): void;
  on(kind: string, listener: (...values: readonly unknown[]) => void): void;
}

/** Where a process stands among the workers of one server. */
export interface WorkerPlace {
  /** From 1. */
  readonly index: number;
  readonly workers: number;
  /**
   * Each of them listens by itself, and the kernel shares connections among them. Elsewhere the first process hands them
   * on, and forgets one that it was handing to a worker that died.
   */
  readonly sharesPort: boolean;
  readonly line: Line;
}

/** By kind: what the first process does when a worker, known by its number, says it. What it returns is the answer. */
// biome-ignore lint/suspicious/noExplicitAny: each kind has values of its own, from our own code
export type Listeners = Readonly<Record<string, (from: number, ...values: any[]) => unknown>>;

interface Message {
  readonly tollgate: 'ask' | 'tell' | 'answer';
  readonly id?: number;
  readonly kind?: string;
  readonly values: readonly unknown[];
}

/** Longer than that nobody waits for the first process. */
const answerTimeoutMs = 1_000;
const maxUnanswered = 8_192;

/** The line of this worker process. */
export function openLine(): Line {
  const waiting = new Map<number, (value: unknown) => void>();
  let asked = 0;
  let heard = 0;
  let isSilent = false;
  const send = (message: Message) => {
    if (process.connected) process.send?.(message, undefined, undefined, ignore);
  };
  const tell = (kind: string, ...values: readonly unknown[]) => send({ tollgate: 'tell', kind, values });
  const listeners = new Map<string, (...values: readonly unknown[]) => void>([['ping', () => tell('alive')]]);
  process.on('message', (message: Message) => {
    heard += 1;
    isSilent = false;
    if (message?.tollgate === 'tell') listeners.get(message.kind ?? '')?.(...message.values);
    else if (message?.tollgate === 'answer') waiting.get(message.id ?? 0)?.(message.values[0]);
  });
  return {
    ask(kind, ...values) {
      if (isSilent || waiting.size >= maxUnanswered || !process.connected) return Promise.resolve(undefined);
      asked += 1;
      const id = asked;
      return new Promise((resolve) => {
        const end = (value: unknown) => {
          clearTimeout(timer);
          waiting.delete(id);
          // JSON has no undefined.
          resolve((value ?? undefined) as never);
        };
        const heardBefore = heard;
        const timer = setTimeout(() => {
          isSilent = heard === heardBefore;
          end(undefined);
        }, answerTimeoutMs);
        waiting.set(id, end);
        send({ tollgate: 'ask', id, kind, values });
      });
    },
    tell,
    on: (kind, listener) => void listeners.set(kind, listener),
  };
}

/** Hears all workers, in the first process. Returns how all of them are told something. */
export function hearWorkers(listeners: Listeners): (kind: string, ...values: readonly unknown[]) => void {
  cluster.on('message', async (worker: Worker, message: Message) => {
    const listener = listeners[message?.kind ?? ''];
    if (listener === undefined) return;
    const value = await listener(worker.id, ...message.values);
    if (message.tollgate === 'ask') sendTo(worker, { tollgate: 'answer', id: message.id, values: [value] });
  });
  return (kind, ...values) => {
    for (const worker of Object.values(cluster.workers ?? {})) if (worker) sendTo(worker, { tollgate: 'tell', kind, values });
  };
}

function sendTo(worker: Worker, message: Message): void {
  if (worker.isConnected()) worker.send(message, undefined, undefined, ignore);
}

/** A worker that is gone is noticed by its end. */
function ignore(): void {}
