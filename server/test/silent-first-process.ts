import cluster from 'node:cluster';
import { openLine } from '../src/platform/workers/line.ts';

/**
 * A worker asks three times and is never answered, then hears something else and asks once more: prints how often it was heard
 * to ask until then, and whether it was behind that.
 */
if (cluster.isWorker) {
  const line = openLine();
  for (let asking = 0; asking < 3; asking += 1) await line.ask('question');
  line.on('news', async () => {
    await line.ask('question');
    line.tell('end');
  });
  line.tell('asked');
} else {
  let asks = 0;
  cluster.on('message', (worker, { kind }: { kind: string }) => {
    if (kind === 'question') asks += 1;
    if (kind !== 'question') console.log(kind, asks);
    if (kind === 'asked') worker.send({ tollgate: 'tell', kind: 'news', values: [] });
    if (kind === 'end') process.exit();
  });
  cluster.fork();
}
