import { type chat, clientDialect, openaiResponses } from '@tollgate/wire';
import { describe, expect, test } from 'vitest';
import { crossingPlan } from './answer-plan.ts';
import { summaryChange, summaryPlan } from './summaries.ts';

const [from, to] = [clientDialect('openai-chat'), openaiResponses.dialect];
if (from === undefined) throw new Error('no dialect');
const context = { id: 'abc', model: 'm', created: 1, wantsUsage: true, promptEstimate: 1 };
const plan = summaryPlan((transform) => crossingPlan({ from, to, context, framing: 'sse', transform }), 'abc', []);
const item = { type: 'compaction', id: 'cmp_abc', encrypted_content: 'foreign.summary.They met.' };
const usage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 };

const answer = (message: object) =>
  Buffer.from(JSON.stringify({ id: 'c', model: 'm', choices: [{ index: 0, message, finish_reason: 'stop' }], usage }));

describe('the answer to the wish for a summary', () => {
  test('is the item that stands for the conversation, and nothing else', () => {
    const reading = plan.read(answer({ role: 'assistant', reasoning_content: 'Hm.', content: 'They met.' }));
    if (reading.kind !== 'answer') throw new Error(reading.kind);
    expect(JSON.parse(String(reading.body)).output).toEqual([item]);
    expect(reading.usage).toMatchObject({ prompt: 9, completion: 3 });
  });

  test.each([
    { content: '' },
    { content: null, tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }] },
  ])('is an error where none was written: %j', (message) => {
    expect(plan.read(answer({ role: 'assistant', ...message }))).toMatchObject({ kind: 'error', error: { code: 'no_summary' } });
  });

  test('comes at the end of a stream, of which every word counts as said', () => {
    const change = summaryChange('abc', []).events();
    const part = { choice: 0, part: 0 };
    const finish: chat.ChatEvent = { kind: 'finish', choice: 0, finish: { reason: 'stop', raw: 'stop' } };
    const events: chat.ChatEvent[] = [
      { kind: 'part-start', ...part, head: { kind: 'reasoning', dialect: 'x' } },
      { kind: 'delta', ...part, text: 'Hm.' },
      { kind: 'part-end', ...part },
      { kind: 'part-start', choice: 0, part: 1, head: { kind: 'text' } },
      { kind: 'delta', choice: 0, part: 1, text: 'They ' },
      { kind: 'delta', choice: 0, part: 1, text: 'met.' },
      { kind: 'part-end', choice: 0, part: 1 },
      finish,
    ];
    expect(events.flatMap(change)).toEqual([
      ...['Hm.', 'They ', 'met.'].map((text) => ({ kind: 'work', text })),
      { kind: 'whole', ...part, value: { kind: 'foreign', dialect: 'openai-responses', name: 'compaction', raw: item } },
      finish,
    ]);
    expect(summaryChange('abc', []).events()(finish)).toMatchObject([{ kind: 'error', error: { code: 'no_summary' } }]);
  });

  test('ends where it is longer than any request that could bring it back', () => {
    const change = summaryChange('abc', []).events();
    change({ kind: 'part-start', choice: 0, part: 0, head: { kind: 'text' } });
    const piece: chat.ChatEvent = { kind: 'delta', choice: 0, part: 0, text: 'x'.repeat(4 * 1024 * 1024) };
    expect(change(piece)).toMatchObject([{ kind: 'work' }]);
    expect(change({ ...piece, text: 'x' })).toMatchObject([{ kind: 'error', isOurs: true }]);
  });
});
