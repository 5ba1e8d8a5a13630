import cluster from 'node:cluster';
import { startWorkers } from '../src/main-workers.ts';
import { openLine } from '../src/platform/workers/line.ts';

/** Two workers that only say that they are there. One is frozen: prints how it ended, and ends when another came in its place. */
if (cluster.isWorker) openLine().tell('ready', { port: 0 });
else {
  await startWorkers({ WORKERS: 2, PORT: 0, HOST: '127.0.0.1' }, { error: () => undefined }, { againMs: 0, pingMs: 100 });
  const frozen = Object.values(cluster.workers ?? {})[0];
  frozen?.once('exit', (_code, signal) => {
    console.log(signal);
    cluster.on('message', (_worker, { kind }: { kind?: string }) => kind === 'ready' && process.exit());
  });
  frozen?.process.kill('SIGSTOP');
}
