import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { captureLog } from '../../test/capture-log.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import type { Bus } from '../platform/bus/bus.ts';
import { createChangeFeed } from './change-feed.ts';
import type { ChangeReader } from './change-reader.ts';
import type { Change, ChangeKind } from './changes.ts';

/** The table, and readers that each see a row once. */
function changeTable() {
  const rows: Change[] = [];
  const fails = { next: 0 };
  return {
    fails,
    commit: (kind: ChangeKind, key: string) => void rows.push({ seq: rows.length + 1, kind, key }),
    reader(): ChangeReader {
      let seen = 0;
      return {
        seq: () => seen,
        async changesSince() {
          if (fails.next > 0) {
            fails.next -= 1;
            throw new Error('the database is away');
          }
          const fresh = rows.slice(seen);
          seen = rows.length;
          return fresh;
        },
      };
    },
  };
}

function busOfAll(): Bus {
  const listeners: ((from: string) => void)[] = [];
  return {
    publish(from) {
      for (const listener of listeners) listener(from);
    },
    subscribe: (listener) => void listeners.push(listener),
    close: async () => undefined,
  };
}

function node(table: ReturnType<typeof changeTable>, bus?: Bus) {
  const log = captureLog();
  const clock = new FakeClock(0);
  const feed = createChangeFeed({ reader: table.reader(), bus, clock, log });
  return { feed, log, clock };
}

const keys = (changes: readonly Change[]) => changes.map(({ key }) => key);

beforeEach(() => vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] }));
afterEach(() => vi.useRealTimers());

test('a commit on one node wakes the other through the bus, without a tick of its clock', async () => {
  const table = changeTable();
  const bus = busOfAll();
  const [first, second] = [node(table, bus), node(table, bus)];
  const heard = new Promise<readonly Change[]>((resolve) => second.feed.on(resolve));
  table.commit('channel', '7');
  first.feed.notify();
  expect(keys(await heard)).toEqual(['7']);
  first.feed.stop();
  second.feed.stop();
});

test('without a word on the bus a change is read within a second, also after a read that failed', async () => {
  const table = changeTable();
  const { feed, log } = node(table);
  const heard: string[] = [];
  feed.on((changes) => void heard.push(...keys(changes)));
  table.commit('channel', '1');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(heard).toEqual(['1']);
  table.commit('channel', '2');
  table.fails.next = 1;
  await vi.advanceTimersByTimeAsync(1_000);
  expect([heard, log.lines.length]).toEqual([['1'], 1]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(heard).toEqual(['1', '2']);
  feed.stop();
});

test('a storm of commits is told of on the bus a few times, and nothing of it is missed', async () => {
  const table = changeTable();
  const bus = busOfAll();
  const publish = vi.spyOn(bus, 'publish');
  const { feed } = node(table, bus);
  const heard: string[] = [];
  feed.on((changes) => void heard.push(...keys(changes)));
  for (let i = 0; i < 500; i += 1) {
    table.commit('channel', String(i));
    feed.notify();
  }
  await vi.advanceTimersByTimeAsync(100);
  expect(publish.mock.calls.length).toBe(2);
  expect(heard).toHaveLength(500);
  feed.stop();
});

test('what is cached is forgotten at once while a slow listener is still at work', async () => {
  const table = changeTable();
  const { feed } = node(table);
  const forgotten: string[] = [];
  const slowly: string[] = [];
  let finish: () => void = () => undefined;
  feed.atOnce((changes) => void forgotten.push(...keys(changes)));
  feed.on(async (changes) => {
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    slowly.push(...keys(changes));
  });
  table.commit('channel', '*');
  await vi.advanceTimersByTimeAsync(1_000);
  table.commit('token', '5');
  await vi.advanceTimersByTimeAsync(1_000);
  expect([forgotten, slowly]).toEqual([['*', '5'], []]);
  finish();
  await vi.advanceTimersByTimeAsync(0);
  finish();
  await feed.catchUp();
  expect(slowly).toEqual(['*', '5']);
  feed.stop();
});

test('what is committed before anybody listens is for the first who do', async () => {
  const table = changeTable();
  const { feed } = node(table);
  await feed.catchUp();
  table.commit('channel', '1');
  await vi.advanceTimersByTimeAsync(3_000);
  const heard: string[] = [];
  feed.on((changes) => void heard.push(...keys(changes)));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(heard).toEqual(['1']);
  feed.stop();
});

test('who fails is told the same again, and those after it in their order', async () => {
  const table = changeTable();
  const { feed, log } = node(table);
  const order: string[] = [];
  let failures = 1;
  feed.on((changes) => void order.push(`first ${keys(changes)}`));
  feed.on((changes) => {
    if (failures-- > 0) throw new Error('the database is away');
    order.push(`second ${keys(changes)}`);
  });
  feed.on((changes) => void order.push(`third ${keys(changes)}`));
  table.commit('option', 'a');
  await feed.catchUp();
  expect([order, log.lines.map(({ level }) => level)]).toEqual([['first a'], ['error']]);
  table.commit('option', 'b');
  await feed.catchUp();
  expect(order).toEqual(['first a', 'first b', 'second a,b', 'third a,b']);
  feed.stop();
});

test('what a listener is owed has a bound: beyond it everything of the kind', async () => {
  const table = changeTable();
  const { feed } = node(table);
  let told: readonly Change[] = [];
  let isBroken = true;
  feed.on((changes) => {
    if (isBroken) throw new Error('not yet');
    told = changes;
  });
  for (let i = 0; i < 10_001; i += 1) table.commit('channel', String(i));
  table.commit('option', 'a');
  await feed.catchUp();
  isBroken = false;
  await feed.catchUp();
  expect(told.map(({ kind, key }) => `${kind} ${key}`)).toEqual(['channel *', 'option *']);
  feed.stop();
});

test('after the end nothing is read or told', async () => {
  const table = changeTable();
  const bus = busOfAll();
  const publish = vi.spyOn(bus, 'publish');
  const { feed } = node(table, bus);
  const heard: string[] = [];
  feed.on((changes) => void heard.push(...keys(changes)));
  feed.stop();
  table.commit('channel', '1');
  feed.notify();
  await vi.advanceTimersByTimeAsync(5_000);
  expect([heard, publish.mock.calls]).toEqual([[], []]);
});

test('a node is behind since the last look after which all was read and taken over', async () => {
  const table = changeTable();
  const { feed, clock } = node(table);
  let isBroken = true;
  feed.on(() => {
    if (isBroken) throw new Error('no snapshot');
  });
  const behind = async (ms: number) => {
    clock.advanceMs(ms);
    await feed.catchUp();
    return feed.behindMs();
  };
  expect(await behind(500)).toBe(0);
  table.fails.next = 1;
  expect(await behind(2_000)).toBe(2_000);
  table.commit('channel', '7');
  expect(await behind(3_000)).toBe(5_000);
  isBroken = false;
  expect(await behind(1_000)).toBe(0);
  clock.advanceMs(700);
  expect(feed.behindMs()).toBe(700);
  feed.stop();
});
