import cluster, { type Worker } from 'node:cluster';
import { openLine } from '../src/platform/workers/line.ts';

/** A worker asks three times before anything is answered, then the first answer comes late and it asks once more: prints how often it was heard to ask. */
if (cluster.isWorker) {
  const line = openLine();
  for (let asking = 0; asking < 3; asking += 1) await line.ask('question');
  line.on('late', async () => line.tell('end', await line.ask('question')));
  line.tell('asked');
} else {
  let asks = 0;
  const on = {
    question: (worker: Worker, id: number) => {
      asks += 1;
      if (asks > 1) worker.send({ tollgate: 'answer', id, values: ['answer'] });
    },
    asked: (worker: Worker) => {
      console.log(asks);
      asks = 1;
      worker.send({ tollgate: 'tell', kind: 'late', values: [] });
    },
    end: (_worker: Worker, _id: number, value: unknown) => {
      console.log(asks, value);
      process.exit();
    },
  };
  cluster.on('message', (worker, { kind, id, values }: { kind: keyof typeof on; id: number; values: unknown[] }) =>
    on[kind]?.(worker, id, values[0]),
  );
  cluster.fork();
}
