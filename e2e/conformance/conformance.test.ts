import { afterAll, beforeAll, describe, test } from 'vitest';
import { chatRows } from './rows/index.ts';
import { runCell } from './table.ts';
import { columns, startWorld, type World } from './world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

describe.each(chatRows)('$sdk: $feature', (row) => {
  test.each(columns)('%s', (column) => runCell(row, column, world));
});
