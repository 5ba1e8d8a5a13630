import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { onEachEngine } from '../support/engine.ts';
import { anthropicOf, googleOf } from './clients.ts';
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

  // The columns take whatever can be said; these refuse as their vendor does.
  test.each(['gpt-4o-mini', 'gpt-5-codex'])(
    'callers of other dialects reach %s, however they speak of thinking',
    async (model) => {
      const asked = { model, max_tokens: 4096, messages: [{ role: 'user' as const, content: 'Say hello.' }] };
      for (const thinking of [{ type: 'disabled' } as const, { type: 'enabled', budget_tokens: 2048 } as const]) {
        const answer = await anthropicOf(world).messages.create({ ...asked, thinking });
        expect(answer.stop_reason).toBe('end_turn');
      }
      for (const thinkingBudget of [0, 24_576]) {
        const config = { temperature: 0.5, stopSequences: ['END'], thinkingConfig: { thinkingBudget } };
        const answer = await googleOf(world).models.generateContent({ model, contents: 'Say hello.', config });
        expect(answer.candidates?.[0]?.finishReason).toBe('STOP');
      }
    },
  );

  test('the books are right after all of it', async () => {
    expect(await world.root.call('GET', '/api/ledger/proof')).toMatchObject({ ok: true });
  });
});

test('docs/conformance.md says what this run proved; after a change: UPDATE_CONFORMANCE=1 npx vitest run conformance', () => {
  const report = writeReport(chatRows, familyRows);
  expect(committedReport(report)).toBe(report);
});
