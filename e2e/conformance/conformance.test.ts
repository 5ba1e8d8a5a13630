import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { onEachEngine } from '../support/engine.ts';
import { anthropicOf, googleOf, openaiOf } from './clients.ts';
import { gatewayErrorRows } from './families/gateway-errors.ts';
import { mediaRows } from './families/media.ts';
import { runFamily } from './families/row.ts';
import { sessionRows } from './families/sessions.ts';
import { textRows } from './families/texts.ts';
import { committedReport, writeReport } from './report.ts';
import { chatRows } from './rows/index.ts';
import { functions, greeting } from './rows/samples.ts';
import { runCell } from './table.ts';
import { choosyModels, columns, startWorld, type World } from './world.ts';

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

  test.each(choosyModels)('callers of all dialects call functions of %s, think or not, and begin its answer', async (model) => {
    const { name, schema } = functions.weather;
    const wild = { ...schema, properties: { city: { type: 'string', maxLength: 9 }, days: { oneOf: [{ type: 'integer' }] } } };
    const strict = { name, parameters: { ...wild, required: ['city', 'days'] }, strict: true };
    for (const reasoning_effort of ['none', 'high', undefined] as const) {
      const answer = await openaiOf(world).chat.completions.create({
        ...{ model, reasoning_effort, temperature: reasoning_effort === 'none' ? undefined : 1 },
        ...{ tools: [{ type: 'function', function: strict }], tool_choice: 'required' },
        messages: [{ role: 'user', content: 'call the tool' }],
      });
      expect(answer.choices[0]?.message.tool_calls, `effort ${reasoning_effort}`).toHaveLength(1);
    }
    for (const thinking of [{ type: 'disabled' } as const, { type: 'adaptive' } as const, undefined]) {
      if (model.startsWith('claude') && thinking?.type === 'disabled') continue;
      const answer = await anthropicOf(world).messages.create({
        ...{ model, thinking, max_tokens: 4096, messages: [{ role: 'user', content: 'call the tool' }] },
        tools: [{ name, input_schema: schema as { type: 'object' } }],
      });
      expect(answer.stop_reason, `thinking ${thinking?.type}`).toBe('tool_use');
    }
    const config = { tools: [{ functionDeclarations: [{ name, parametersJsonSchema: schema }] }], temperature: 0.5 };
    const { functionCalls } = await googleOf(world).models.generateContent({ model, contents: 'call the tool', config });
    expect(functionCalls).toMatchObject([{ name }]);
    const begun = await openaiOf(world).chat.completions.create({
      model,
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: 'Well, ' },
      ],
    });
    expect(begun.choices[0]?.message.content).toBe(greeting);
  });

  test('the books are right after all of it', async () => {
    expect(await world.root.call('GET', '/api/ledger/proof')).toMatchObject({ ok: true });
  });
});

test('docs/conformance.md says what this run proved; after a change: UPDATE_CONFORMANCE=1 npx vitest run conformance', () => {
  const report = writeReport(chatRows, familyRows);
  expect(committedReport(report)).toBe(report);
});
