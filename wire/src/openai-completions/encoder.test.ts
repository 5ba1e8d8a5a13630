import { expect, test } from 'vitest';
import { decodeFrames } from '../sse.ts';
import { createEncoder } from './encoder.ts';

test('places of tokens go by what is told of them, whatever an upstream calls a token', () => {
  const context = { id: 'x', model: 'm', created: 1, wantsUsage: false, promptEstimate: 0 };
  const encoder = createEncoder(context);
  const told = [{ token: 'ab' }, {}, { token: { toString: 1 } }, { token: 'c' }, { token: 'd' }].map((entry) => {
    const bytes = encoder.push({ kind: 'logprobs', choice: 0, entries: [{ ...entry, logprob: -1 }] });
    const [frame] = decodeFrames(bytes ?? Buffer.alloc(0));
    return JSON.parse(frame?.data ?? '').choices[0].logprobs;
  });
  expect(told.map(({ tokens, text_offset }) => [tokens[0], text_offset[0]])).toEqual([
    ['ab', 0],
    ['', 2],
    ['', 2],
    ['c', 2],
    ['d', 3],
  ]);
});
