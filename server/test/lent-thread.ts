import { syncBuiltinESMExports } from 'node:module';
import threads, { type MessagePort } from 'node:worker_threads';

/** What a thread that is used again runs next, and what stands there for its own `workerData` and `parentPort`. */
export interface Loan {
  module: string;
  workerData: unknown;
  port: MessagePort;
}

let loans = 0;

threads.parentPort?.on('message', async ({ module, workerData, port }: Loan) => {
  Object.assign(threads, { workerData, parentPort: port });
  syncBuiltinESMExports();
  // Anew each time: what it keeps belongs to one database.
  await import(`${module}?${loans}`);
  loans += 1;
});
