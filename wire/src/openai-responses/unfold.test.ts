import { expect, test } from 'vitest';
import type { JsonObject } from '../json.ts';
import { decodeFrames } from '../sse.ts';
import { unfold } from './unfold.ts';

const charged = { prompt: 3, completion: 4, cached: 0, cacheWrite: 0, reasoning: 0, anomaly: false };

/** What is told of one item between the events of the whole answer. */
function toldOf(item: JsonObject): JsonObject[] {
  const frames = decodeFrames(unfold({ id: 'r', output: [item] }, { wantsUsage: true, charged }));
  return frames.slice(2, -1).map(({ data = '' }) => {
    const { sequence_number: _, output_index: __, ...event } = JSON.parse(data);
    return { ...event, type: String(event.type).replace('response.', '') };
  });
}

test('code that was run is told piece by piece: clients gather it from there, and from nowhere else', () => {
  const item = { id: 'ci', type: 'code_interpreter_call', status: 'completed', code: '1+1', container_id: 'c', outputs: [] };
  const at = { item_id: 'ci' };
  expect(toldOf(item)).toEqual([
    { type: 'output_item.added', item: { ...item, status: 'in_progress', code: '', outputs: null } },
    { type: 'code_interpreter_call.in_progress', ...at },
    { type: 'code_interpreter_call_code.delta', ...at, delta: '1+1' },
    { type: 'code_interpreter_call_code.done', ...at, code: '1+1' },
    { type: 'code_interpreter_call.interpreting', ...at },
    { type: 'code_interpreter_call.completed', ...at },
    { type: 'output_item.done', item },
  ]);
});

test.each([
  [{ type: 'code_interpreter_call', status: 'incomplete', code: null }, ['in_progress', 'code.done', 'interpreting']],
  [{ type: 'web_search_call', status: 'completed' }, ['in_progress', 'searching', 'completed']],
  [{ type: 'file_search_call' }, ['in_progress', 'searching', 'completed']],
  [{ type: 'image_generation_call', status: 'completed', result: 'AA' }, ['in_progress', 'generating', 'completed']],
  [
    { type: 'mcp_call', status: 'completed', name: 'f', arguments: '{}', output: '4' },
    ['in_progress', 'arguments.delta', 'arguments.done', 'completed'],
  ],
  [{ type: 'mcp_call', status: 'failed', arguments: '' }, ['in_progress', 'arguments.done', 'failed']],
  [{ type: 'web_search_call', status: 'failed' }, ['in_progress', 'searching']],
  [{ type: 'some_new_call', status: 'completed' }, []],
])('what a tool of the vendor did is told in its steps: %j', (item, steps) => {
  const [added, ...others] = toldOf({ id: 'i', ...item });
  const done = others.pop();
  expect(others.map(({ type }) => String(type).replace(new RegExp(`^${item.type}[._]`), ''))).toEqual(steps);
  expect([added?.type, done]).toEqual(['output_item.added', { type: 'output_item.done', item: { id: 'i', ...item } }]);
  if (steps.length > 0) expect(added?.item).toMatchObject({ status: 'in_progress' });
});
