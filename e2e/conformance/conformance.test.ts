import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { onEachEngine } from '../support/engine.ts';
import { gatewayErrorRows } from './families/gateway-errors.ts';
import { mediaRows } from './families/media.ts';
import { runFamily } from './families/row.ts';
import { sessionRows } from './families/sessions.ts';
import { textRows } from './families/texts.ts';
import { committedReport, writeReport } from './report.ts';
import { chatRows } from './rows/index.ts';
import { runCell } from './table.ts';
import { columns, startWorld, type World } from './world.ts';

const familyRows = [...textRows, ...mediaRows, ...sessionRows, ...gatewayErrorRows];

onEachEngine((_engine, _open, kit) => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld(kit);
  });
  afterAll(() => world.stop());

  describe.each(chatRows)('$sdk: $feature', (row) => {
    test.each(columns)('%s', (column) => runCell(row, column, world));
  });

  describe('beside conversations', () => {
    test.each(familyRows)('$sdk: $feature over $upstream', (row) => runFamily(row, world));
  });

  test('the books are right after all of it', async () => {
    expect(await world.root.call('GET', '/api/ledger/proof')).toMatchObject({ ok: true });
  });
});

test('docs/conformance.md says what this run proved; after a change: UPDATE_CONFORMANCE=1 npx vitest run conformance', () => {
  const report = writeReport(chatRows, familyRows);
  expect(committedReport(report)).toBe(report);
});
