import { expect, test } from 'vitest';
import { captureLog } from '../../../test/capture-log.ts';
import { createLocalBus } from './local.ts';

const turn = () => new Promise(setImmediate);

test('every subscriber of the topic hears of it, in the next turn, and one that throws harms nobody', async () => {
  const log = captureLog();
  const bus = createLocalBus(log);
  const heard: string[] = [];
  bus.subscribe('change', () => {
    throw new Error('a fault of its own');
  });
  bus.subscribe('change', (payload) => void heard.push(payload));
  bus.publish('change', 'a');
  bus.publish('change', 'b');
  expect(heard).toEqual([]);
  await turn();
  expect(heard).toEqual(['a', 'b']);
  expect(log.lines.map(({ level }) => level)).toEqual(['error', 'error']);
});

test('what waits has a bound, and nothing arrives after the end', async () => {
  const bus = createLocalBus(captureLog());
  let count = 0;
  bus.subscribe('change', () => {
    count += 1;
  });
  for (let i = 0; i < 5_000; i += 1) bus.publish('change', '');
  await turn();
  expect(count).toBe(1_000);
  bus.publish('change', '');
  await bus.close();
  await turn();
  expect(count).toBe(1_000);
});

test('a payload longer than a name is dropped', async () => {
  const bus = createLocalBus(captureLog());
  const heard: string[] = [];
  bus.subscribe('change', (payload) => void heard.push(payload));
  bus.publish('change', 'x'.repeat(257));
  bus.publish('change', 'y');
  await turn();
  expect(heard).toEqual(['y']);
});
