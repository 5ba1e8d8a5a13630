import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { channelRow } from '../../test/channel-rows.ts';
import type { ChannelRow } from './snapshot.ts';
import type { Scope } from './snapshot-rows.ts';
import { emptyTable, type RouteTable, routeIn, updateTable } from './snapshot-table.ts';

const groups = ['default', 'vip'];
const models = ['a', 'b', 'c'];

function update(table: RouteTable, rows: readonly ChannelRow[], scope: Scope = 'all', opened: number[] = []) {
  return updateTable(table, {
    scope,
    pages: [rows],
    disabledKeys: new Set(),
    openKey: (row) => {
      opened.push(row.id);
      if (row.key_sealed === 'broken') throw new Error('cannot open');
      return `key of ${row.id}`;
    },
  });
}

/** All that can be asked of a table. */
function shown(table: RouteTable) {
  const routes = groups.flatMap((group) =>
    models.map((model) => {
      const route = routeIn(table, group, model);
      return { group, model, size: route?.size, tiers: route?.tiers.map(({ members }) => members) };
    }),
  );
  const pairs = [...table.lists].flatMap(([group, byModel]) => [...byModel.keys()].map((model) => `${group}/${model}`));
  return { routes, pairs: pairs.sort(), ids: [...table.channels.keys()].sort((a, b) => a - b) };
}

const anyRow = fc
  .record({
    id: fc.integer({ min: 1, max: 8 }),
    status: fc.constantFrom(1, 1, 1, 2),
    priority: fc.integer({ min: 0, max: 2 }),
    weight: fc.integer({ min: 0, max: 2 }),
    models: fc.subarray(models).map(String),
    group_names: fc.subarray(groups, { minLength: 1 }).map(String),
    key_sealed: fc.constantFrom('k', 'k', 'k', 'broken'),
  })
  .map(({ id, ...more }) => channelRow(id, more));
const anyStep = fc.record({
  removed: fc.uniqueArray(fc.integer({ min: 1, max: 8 }), { maxLength: 3 }),
  written: fc.uniqueArray(anyRow, { maxLength: 4, selector: ({ id }) => id }),
  readAll: fc.boolean(),
  used: fc.subarray(models),
});

test('after any changes the table is what compiling afresh would make, and the one before is as it was', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 8 }), async (steps) => {
      const stored = new Map<number, ChannelRow>();
      let table = emptyTable;
      for (const { removed, written, readAll, used } of steps) {
        for (const model of used) routeIn(table, 'default', model);
        const before = { table, shown: shown(table) };
        for (const id of removed) stored.delete(id);
        for (const row of written) stored.set(row.id, row);
        const scope = readAll ? 'all' : [...new Set([...removed, ...written.map(({ id }) => id)])];
        const rows = [...stored.values()].filter(({ id }) => scope === 'all' || scope.includes(id));
        table = await update(table, rows, scope);
        expect(shown(table)).toEqual(shown(await update(emptyTable, [...stored.values()])));
        expect(shown(before.table)).toEqual(before.shown);
      }
    }),
    { numRuns: 200 },
  );
});

test('reading the same rows again makes no new table and opens no key', async () => {
  const rows = [channelRow(1), channelRow(2)];
  const table = await update(emptyTable, rows);
  const opened: number[] = [];
  expect(await update(table, structuredClone(rows), 'all', opened)).toBe(table);
  expect(opened).toEqual([]);
});

test('one changed channel: no key is opened that did not change, other channels and routes are shared, the one in use is ready', async () => {
  const table = await update(emptyTable, [
    channelRow(1, { models: 'a' }),
    channelRow(2, { models: 'b' }),
    channelRow(3, { models: 'c' }),
  ]);
  const inUse = [routeIn(table, 'default', 'a'), routeIn(table, 'default', 'b')];
  const opened: number[] = [];
  const next = await update(table, [channelRow(1, { models: 'a', weight: 40 })], [1], opened);
  expect(opened).toEqual([]);
  await update(table, [channelRow(1, { models: 'a', key_sealed: 'another' })], [1], opened);
  expect(opened).toEqual([1]);
  expect(next.channels.get(2)).toBe(table.channels.get(2));
  expect(next.routes.get('default')?.get('b')).toBe(inUse[1]);
  expect(next.routes.get('default')?.get('a')?.tiers[0]?.members[0]?.weight).toBe(40);
  expect(inUse[0]?.tiers[0]?.members[0]?.weight).toBe(1);
  expect(next.routes.get('default')?.has('c')).toBe(false);
});

test('a credential switched off alone changes its channel, and back', async () => {
  const row = channelRow(1, { setting: '{"multi_key":"random"}', key_hmac: 'h0,h1' });
  const withKeysOff = (table: RouteTable, ...off: string[]) =>
    updateTable(table, { scope: [1], pages: [[row]], openKey: () => 'a\nb', disabledKeys: new Set(off) });
  const table = await withKeysOff(emptyTable);
  const less = await withKeysOff(table, '1:h0');
  expect(less.channels.get(1)?.channel.keys.map(({ disabled }) => disabled)).toEqual([true, false]);
  expect(await withKeysOff(less, '1:h0')).toBe(less);
  expect((await withKeysOff(less, '1:h0', '1:h1')).channels.size).toBe(0);
  expect((await withKeysOff(less)).channels.get(1)?.channel.keys.map(({ disabled }) => disabled)).toEqual([false, false]);
});
