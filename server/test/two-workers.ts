import cluster from 'node:cluster';
import { startWorkers } from '../src/main-workers.ts';
import { openLine } from '../src/platform/workers/line.ts';

/**
 * Two workers that only say that they are there. One is killed while its program is away, which comes back when that was
 * noticed: prints what happened, and ends when both are there again.
 */
if (cluster.isWorker) openLine().tell('ready', { port: 0 });
else {
  const { execPath } = process;
  const error = (_fields: object, text: string) => {
    console.log(text);
    if (/could not be started/.test(text)) process.execPath = execPath;
  };
  let ready = 0;
  cluster.on('message', (_worker, { kind }: { kind?: string }) => {
    if (kind !== 'ready') return;
    ready += 1;
    console.log('ready');
    if (ready === 3) process.exit();
  });
  await startWorkers({ WORKERS: 2, PORT: 0, HOST: '127.0.0.1' }, { error }, { againMs: 0 });
  process.execPath = '/nowhere/node';
  Object.values(cluster.workers ?? {})[0]?.process.kill('SIGKILL');
}
