import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { booksAgree } from '../../e2e/support/books-agree.ts';
import { startGateway } from '../../e2e/support/gateway.ts';
import { startChild } from './children.ts';
import type { LoadOrder, LoadResult } from './load-types.ts';
import { childrenOf, readCpu } from './proc.ts';
import { model } from './traffic.ts';

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const warmMs = 1_500;
const windowMs = 2_500;
const timeoutMs = 30_000;
/** Of processor time: what starting alone takes is less. */
const idleSeconds = 1;
/** Two workers, load and mock need cores of their own before the factor says anything (rulings 29). */
const coresNeeded = 4;
const factor = 1.7;
const isMeasured = os.availableParallelism() >= coresNeeded;
const rounds = isMeasured ? 3 : 1;

test.runIf(process.platform === 'linux')(
  'two workers beside one: each call right, and 1.7 times as many where there are cores for it',
  { timeout: 120_000 },
  async () => {
    const mock = await startChild(undefined, process.execPath, [file('./mock.ts')]);
    onTestFinished(() => mock.stop());
    const { port: mockPort } = JSON.parse(await mock.output(/^.*\n/, timeoutMs)) as { port: number };

    const callsPerSecond = async (workers: number): Promise<number> => {
      const gateway = await startGateway({ WORKERS: String(workers), DATABASE_URL: '', REDIS_URL: '' });
      try {
        const root = await gateway.root();
        await root.addChannel({ models: model, base_url: `http://127.0.0.1:${mockPort}` });
        const order: LoadOrder = {
          ...{
            kind: 'json',
            port: Number(new URL(gateway.url).port),
            keys: [(await root.addToken()).key],
            withUsageFrame: false,
          },
          ...{
            connections: 64,
            ratePerSecond: 0,
            warmMs,
            windowMs,
            watchPid: gateway.process.pid ?? 0,
            watchCore: 0,
            mockPid: mock.pid,
          },
        };
        const load = await startChild(undefined, process.execPath, [file('./load.ts'), JSON.stringify([order])]);
        try {
          const output = await load.output(/^\[.*\]$/, timeoutMs);
          const [{ answered, seconds, totalErrors }] = JSON.parse(output) as [LoadResult];
          expect(totalErrors).toBe(0);
          // Each of them had work to do.
          const serving = childrenOf(gateway.process.pid ?? 0).filter((pid) => readCpu(pid, 0).processSeconds > idleSeconds);
          if (workers > 1) expect(serving).toHaveLength(workers);
          await booksAgree(gateway, root);
          return answered / seconds;
        } finally {
          await load.stop();
        }
      } finally {
        await gateway.stop();
      }
    };
    const factors: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const one = await callsPerSecond(1);
      const two = await callsPerSecond(2);
      factors.push(two / one);
      console.log(`1 worker ${Math.round(one)}/s, 2 workers ${Math.round(two)}/s: ${(two / one).toFixed(2)} times`);
    }
    const median = factors.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
    if (isMeasured) expect(median).toBeGreaterThanOrEqual(factor);
    else console.log(`not judged: ${os.availableParallelism()} cores, ${coresNeeded} are needed`);
  },
);
