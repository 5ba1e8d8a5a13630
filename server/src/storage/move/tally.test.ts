import { expect, test } from 'vitest';
import type { Row, Table } from './side.ts';
import { startTally } from './tally.ts';

const table: Table = {
  name: 'any',
  key: ['id'],
  columns: [
    { name: 'id', kind: 'integer' },
    { name: 'text', kind: 'text' },
  ],
};

function tallyOf(...rows: Row[]) {
  const tally = startTally(table);
  tally.add(rows.slice(0, 1));
  tally.add(rows.slice(1));
  return tally.end();
}

test('sums are exact beyond what a number holds', () => {
  const most = Number.MAX_SAFE_INTEGER;
  expect(tallyOf([most, ''], [most, ''], [-1, null], [most, '']).sum).toBe(String(3n * BigInt(most) - 1n));
});

test('the order of rows does not matter, every value does', () => {
  const tally = tallyOf([1, 'a'], [2, 'b'], [3, null]);
  expect(tallyOf([3, null], [1, 'a'], [2, 'b'])).toEqual(tally);
  for (const other of [
    tallyOf([1, 'b'], [2, 'a'], [3, null]),
    tallyOf([1, 'a'], [2, 'b'], [3, '']),
    tallyOf([1, 'a'], [2, 'b'], [3, 'null']),
  ]) {
    expect(other).toMatchObject({ rows: 3, sum: tally.sum });
    expect(other.digest).not.toBe(tally.digest);
  }
});
