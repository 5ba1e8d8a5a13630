import { expect, test } from 'vitest';
import { encodeFrame } from '../sse.ts';
import { openaiResponses } from './dialect.ts';

const frame = (body: object) => encodeFrame(JSON.stringify(body));
const answered = {
  type: 'response.completed',
  response: { id: 'resp_1', output: [], usage: { input_tokens: 2, output_tokens: 1 } },
};

test('an answer that repeats long instructions before its content passes whole', () => {
  const response = { id: 'resp_1', instructions: 'x'.repeat(1_500_000) };
  const head = [frame({ type: 'response.created', response }), frame({ type: 'response.in_progress', response })];
  const stream = Buffer.concat([...head, frame(answered)]);
  const tap = openaiResponses.createTap({ swallowUsage: false });
  expect(tap.push(stream.subarray(0, 2_000_000))).toBeUndefined();
  const out = tap.push(stream.subarray(2_000_000));
  expect(out?.equals(stream)).toBe(true);
  expect(tap.end()).toMatchObject({ complete: true, usage: { prompt: 2, completion: 1 } });
});

test('a failure before any content leaves no trace', () => {
  const tap = openaiResponses.createTap({ swallowUsage: false });
  const failed = { type: 'response.failed', response: { status: 'failed', error: { code: 'server_error', message: 'no' } } };
  const created = { type: 'response.created', response: { id: 'resp_1' } };
  expect(tap.push(Buffer.concat([frame(created), frame(failed)]))).toBeUndefined();
  expect(tap.end()).toMatchObject({ complete: false, error: { message: 'no' } });
});

test.each([
  ['custom_tool_call', { name: 'patch' }, 'response.custom_tool_call_input.delta'],
  ['function_call', { name: 'f', namespace: 'n' }, 'response.function_call_arguments.delta'],
  ['code_interpreter_call', {}, 'response.code_interpreter_call_code.delta'],
])('what the model wrote into a %s that is cut off is counted', (kind, more, type) => {
  const item = { type: kind, id: 'i', ...more };
  const written = 'name' in more ? more.name : '';
  const pieces = ['*** Begin', ' Patch'].map((delta) => frame({ type, output_index: 0, delta }));
  const added = frame({ type: 'response.output_item.added', output_index: 0, item });
  const cut = openaiResponses.createTap({ swallowUsage: false });
  cut.push(Buffer.concat([added, ...pieces]));
  expect(cut.end().text()).toBe(`${written}*** Begin Patch`);
  const whole = openaiResponses.createTap({ swallowUsage: false });
  const done = { ...item, input: '*** Begin Patch', arguments: '*** Begin Patch' };
  whole.push(Buffer.concat([added, ...pieces, frame({ type: 'response.output_item.done', output_index: 0, item: done })]));
  expect(whole.end().text()).toBe(`${written}*** Begin Patch`);
});

test('what a hosted tool tells while it works goes on at once, pictures on their way above all', () => {
  const tap = openaiResponses.createTap({ swallowUsage: false });
  const created = frame({ type: 'response.created', response: { id: 'resp_1' } });
  expect(tap.push(created)).toBeUndefined();
  const added = frame({
    type: 'response.output_item.added',
    output_index: 0,
    item: { type: 'image_generation_call', id: 'ig_1' },
  });
  expect(tap.push(added)).toEqual(Buffer.concat([created, added]));
  const picture = {
    type: 'response.image_generation_call.partial_image',
    output_index: 0,
    partial_image_b64: 'A'.repeat(3_000_000),
  };
  // Together more than may wait before an answer begins.
  for (let index = 0; index < 4; index += 1) {
    const partial = frame({ ...picture, partial_image_index: index });
    expect(tap.push(partial)?.equals(partial)).toBe(true);
  }
  tap.push(frame(answered));
  expect(tap.end()).toMatchObject({ complete: true, fault: undefined });
});

test('the tier that the finished answer tells is known at the end', () => {
  const tap = openaiResponses.createTap({ swallowUsage: false });
  const response = { ...answered.response, service_tier: 'priority' };
  tap.push(
    Buffer.concat([
      frame({ type: 'response.created', response: { id: 'resp_1', service_tier: 'auto' } }),
      frame({ ...answered, response }),
    ]),
  );
  expect(tap.end()).toMatchObject({ complete: true, served: { serviceTier: 'priority' } });
  expect(openaiResponses.readResponse(Buffer.from(JSON.stringify({ ...response, status: 'completed' })))).toMatchObject({
    served: { serviceTier: 'priority' },
  });
});
