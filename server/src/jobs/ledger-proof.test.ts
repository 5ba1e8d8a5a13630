import { expect, test } from 'vitest';
import { captureLog } from '../../test/capture-log.ts';
import type { ProofWatch } from '../billing/index.ts';
import { startLedgerProof } from './ledger-proof.ts';
import type { JobRunner, Work } from './runner.ts';

const soon = 100;
const inAMinute = 60_000;

/** Turns one after the other, each with what it finds. */
async function turns(
  found: readonly (readonly [Awaited<ReturnType<ProofWatch['run']>>, Awaited<ReturnType<ProofWatch['readOn']>>])[],
) {
  const log = captureLog();
  let work: Work | undefined;
  const runner = {
    start: (given: Work) => {
      work = given;
      return { tick: async () => undefined, stop: async () => undefined };
    },
  } as unknown as JobRunner;
  const left = [...found];
  const watch: ProofWatch = {
    run: async () => left[0]?.[0],
    readOn: async () => left[0]?.[1] ?? { difference: undefined, more: false },
  };
  startLedgerProof({ watch, log, runner });
  const nextMs: unknown[] = [];
  for (; left.length > 0; left.shift()) nextMs.push(await work?.turn(() => false));
  return { nextMs, log };
}

test('after a proof, and as long as there are more receipts, the next turn comes at once; otherwise in a minute', async () => {
  const none = { difference: undefined, more: false };
  const { nextMs, log } = await turns([
    [{ differences: [], receipts: 2 }, none],
    [undefined, { ...none, more: true }],
    [undefined, none],
  ]);
  expect(nextMs).toEqual([soon, soon, inAMinute]);
  expect(log.lines.map(({ level }) => level)).toEqual(['info']);
});

test('a difference is told as an error, whether the proof found it or the reading in between', async () => {
  const { nextMs, log } = await turns([
    [
      { differences: ['a: 1 instead of 2'], receipts: 0 },
      { difference: undefined, more: false },
    ],
    [undefined, { difference: 'receipts_recompute: log:1: forged', more: false }],
  ]);
  expect(nextMs).toEqual([soon, inAMinute]);
  expect(log.lines).toEqual([
    { level: 'error', text: expect.stringContaining('a: 1 instead of 2') },
    { level: 'error', text: expect.stringContaining('log:1: forged') },
  ]);
});
