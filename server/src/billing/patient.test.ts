import { expect, test } from 'vitest';
import { createPatientLane } from './patient.ts';
import type { Waiting } from './queue.ts';

const waitingOf = (userId: number): Waiting => ({
  operation: { kind: 'release', id: `call-${userId}`, userId, tokenId: 0 },
  queuedMs: 0,
  arrival: 0,
  state: 'queued',
  resolve: () => undefined,
  reject: () => undefined,
});

test('one wallet that stays locked takes one lane, however often its owner calls; the others go on, and its calls follow', async () => {
  const started: number[] = [];
  let unlock: () => void = () => undefined;
  const locked = new Promise<void>((resolve) => {
    unlock = resolve;
  });
  const lane = createPatientLane(async ([first]) => {
    const userId = first?.operation.userId ?? 0;
    started.push(userId);
    if (userId === 1) await locked;
  });
  for (const userId of [1, 1, 2]) {
    lane.add(waitingOf(userId));
    await new Promise((resolve) => setImmediate(resolve));
  }
  lane.add(waitingOf(1));
  await new Promise((resolve) => setImmediate(resolve));
  expect(started).toEqual([1, 2]);
  unlock();
  await lane.flush();
  expect(started).toEqual([1, 2, 1]);
});
