import { expect, test } from 'vitest';
import type { Console } from '../../e2e/support/console-client.ts';
import { countSummed } from './gateway.ts';

test('calls of a long soak are counted once none of their rows waits to be summed', async () => {
  const caller = (...answers: [calls: number, unsummed: number][]): Pick<Console, 'call'> => ({
    async call<T>() {
      const [calls, unsummed] = answers.shift() ?? [0, 0];
      return { totals: { calls }, unsummed, refresh_seconds: 0 } as T;
    },
  });
  expect(await countSummed([caller([40, 60], [90, 10], [100, 0]), caller([5, 0])], 'bench')).toBe(105);
});
