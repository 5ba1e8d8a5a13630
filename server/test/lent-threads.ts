import { EventEmitter } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import { isProxy } from 'node:util/types';
import threads, { MessageChannel, type MessagePort, Worker, type WorkerOptions } from 'node:worker_threads';
import type { Loan } from './lent-thread.ts';

/**
 * Tests open some thousand databases, one after the other, and a thread costs ten times what opening its connection does. So
 * database threads are used again: the same code in it, run anew, between channels of their own. One that fails or is ended in
 * the midst of its work is gone, as it is for the product.
 */
const lent = '/storage/sqlite/worker.ts';
/** What is compiled for a loan stays with its thread. */
const maxLoans = 100;
const maxIdle = 4;

interface Idle {
  worker: Worker;
  loans: number;
}

const idle = new Map<string, Idle[]>();

/** A `Worker` as far as the product uses one. */
class LentThread extends EventEmitter {
  readonly #port: MessagePort;
  readonly #worker: Worker;
  readonly #give: () => void;
  #isClosing = false;

  constructor(module: string, { workerData, resourceLimits }: WorkerOptions) {
    super();
    const kind = JSON.stringify(resourceLimits);
    const same = idle.get(kind) ?? [];
    idle.set(kind, same);
    const { worker, loans } = same.pop() ?? { worker: startIdle(resourceLimits), loans: 0 };
    const { port1, port2 } = new MessageChannel();
    const fail = (error: unknown): void => void this.emit('error', error);
    const end = (): void => void this.emit('exit');
    worker.on('error', fail).on('exit', end).ref();
    port1.on('message', (message) => this.emit('message', message));
    worker.postMessage({ module, workerData, port: port2 } satisfies Loan, [port2]);
    this.#worker = worker;
    this.#port = port1;
    this.#give = () => {
      worker.off('error', fail).off('exit', end).unref();
      if (loans + 1 < maxLoans && same.length < maxIdle) same.push({ worker, loans: loans + 1 });
      else void worker.terminate();
    };
  }

  postMessage(message: { op: string }): void {
    this.#isClosing ||= message.op === 'close';
    this.#port.postMessage(message);
  }

  async terminate(): Promise<void> {
    if (!this.#isClosing) return void (await this.#worker.terminate());
    await new Promise((resolve) => this.#port.once('close', resolve));
    this.#give();
  }
}

function startIdle(resourceLimits: WorkerOptions['resourceLimits']): Worker {
  return new Worker(new URL('./lent-thread.ts', import.meta.url), { execArgv: [], ...(resourceLimits && { resourceLimits }) });
}

// Files share a process.
if (!isProxy(threads.Worker)) {
  const construct = (target: typeof Worker, [module, options]: [URL, WorkerOptions]) =>
    String(module).endsWith(lent) ? new LentThread(module.href, options) : new target(module, options);
  Object.assign(threads, { Worker: new Proxy(Worker, { construct }) });
  syncBuiltinESMExports();
}
