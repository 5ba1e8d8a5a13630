import { expect, test, vi } from 'vitest';
import { createArrivingMessage } from './arriving-message.ts';
import { createBodyBudget } from './body-budget.ts';

const kib = 1024;

test('a large message takes room while it is on its way, and gives it back when it is over', () => {
  const bodies = createBodyBudget(200 * kib);
  const refused = vi.fn();
  const message = createArrivingMessage(bodies, 1, refused);
  const other = { bytes: 0, userId: 2 };
  const isRoomFor = (bytes: number) => {
    const isThere = bodies.grow(other, bytes);
    bodies.leave(other);
    return isThere;
  };
  message.see(50 * kib);
  expect(isRoomFor(200 * kib)).toBe(true);
  message.see(100 * kib);
  message.see(150 * kib);
  expect([isRoomFor(50 * kib), isRoomFor(51 * kib)]).toEqual([true, false]);
  message.over();
  message.over();
  expect([isRoomFor(200 * kib), refused.mock.calls]).toEqual([true, []]);
});

test('the oldest of a user makes room for another one’s, and one that there is none for is refused', async () => {
  const bodies = createBodyBudget(200 * kib);
  const refused = vi.fn();
  const messages = [0, 1, 2].map((number) => createArrivingMessage(bodies, 1, () => refused(number)));
  for (const message of messages) message.see(66 * kib);
  expect(bodies.grow({ bytes: 0, userId: 2 }, 66 * kib)).toBe(true);
  await expect.poll(() => refused.mock.calls).toEqual([[0]]);
  messages[2]?.see(100 * kib);
  expect(refused.mock.calls).toEqual([[0], [2]]);
});
