import { expect, test } from 'vitest';
import { cpuMs } from '../../../../wire/test/cpu-ms.ts';
import { drawingBody } from './drawing-orders.ts';

const options = { MjNotifyEnabled: true, MjAccountFilterEnabled: true, MjModeClearEnabled: true };
const cleared = (prompt: string) => drawingBody({ prompt }, options).prompt;

test('flags of a speed go with the blanks before them, and nothing else does', () => {
  expect(cleared('a cat  --fast --ar 1:1 —relax')).toBe('a cat --ar 1:1');
  expect(cleared('--TURBO a cat --faster --v 6--fast')).toBe('a cat --faster --v 6');
  expect(drawingBody({ prompt: 'a --fast' }, { ...options, MjModeClearEnabled: false }).prompt).toBe('a --fast');
});

test('a prompt of a million blanks takes no time', () => {
  const sinceMs = cpuMs();
  const prompt = `a${' '.repeat(1_000_000)}b --fast`;
  expect(cleared(prompt)).toBe(prompt.slice(0, -7));
  expect(cpuMs() - sinceMs).toBeLessThan(2_000);
});
