import type { chat } from '@tollgate/wire';
import { describe, expect, test } from 'vitest';
import { ask, sent } from '../../test/record-kit.ts';
import type { AnswerTransform } from './answer-plan.ts';
import { callerNames, inSeries } from './called-names.ts';

const names = callerNames((name) => ({ name: name === 'a_b' ? 'a.b' : name }));
const call: chat.Part = { kind: 'tool-call', id: 'c', name: 'a_b', arguments: '{}' };
const text: chat.Part = { kind: 'text', text: 'a_b' };

test('calls come under the names that the caller knows, whole and streamed', () => {
  const response = { id: 'i', model: 'm', answers: [{ parts: [text, call] }] };
  expect(names.response(response).answers).toEqual([{ parts: [text, { ...call, name: 'a.b' }] }]);
  const change = names.events();
  const at = { choice: 0, part: 1 };
  expect(change({ kind: 'whole', ...at, value: call })).toMatchObject([{ value: { name: 'a.b' } }]);
  expect(change({ kind: 'part-start', ...at, head: { kind: 'tool-call', id: 'c', name: 'a_b' } })).toMatchObject([
    { head: { id: 'c', name: 'a.b' } },
  ]);
  const delta = { kind: 'delta', ...at, text: 'a_b' } as const;
  expect(change(delta)).toEqual([delta]);
});

test('a tool that takes a text is called by it as soon as the arguments are whole', () => {
  const change = callerNames((name) => ({ name, takesText: name === 'exec' })).events();
  const at = { choice: 0, part: 1 };
  const head = { kind: 'tool-call', id: 'c', name: 'exec' } as const;
  expect(change({ kind: 'part-start', ...at, head })).toEqual([{ kind: 'work' }]);
  for (const text of ['{"inp', 'ut":"a\\n']) expect(change({ kind: 'delta', ...at, text })).toEqual([]);
  const other = { kind: 'delta', choice: 1, part: 0, text: 'b' } as const;
  expect(change(other)).toEqual([other]);
  expect(change({ kind: 'delta', ...at, text: 'b"}' })).toEqual([]);
  const raw = { type: 'custom_tool_call', call_id: 'c', name: 'exec', input: 'a\nb' };
  expect(change({ kind: 'part-end', ...at })).toMatchObject([{ kind: 'whole', ...at, value: { raw } }]);
  expect(change({ kind: 'delta', ...at, text: 'c' })).toHaveLength(1);
});

test('an answer ends at a text that is longer than can be kept: half of it is never told as a call', () => {
  const change = callerNames((name) => ({ name, takesText: true })).events();
  const at = { choice: 0, part: 0 };
  change({ kind: 'part-start', ...at, head: { kind: 'tool-call', id: 'c', name: 'exec' } });
  const piece = { kind: 'delta', ...at, text: 'x'.repeat(1024 * 1024) } as const;
  for (let k = 0; k < 4; k += 1) expect(change(piece)).toEqual([]);
  expect(change({ ...piece, text: 'x' })).toMatchObject([{ kind: 'error', isOurs: true, error: { code: 'server_error' } }]);
});

test('of two changes the second sees what the first made', () => {
  const doubled: AnswerTransform = {
    response: (response) => ({ ...response, answers: [...response.answers, ...response.answers] }),
    events: () => (event) => [event, event],
  };
  expect(inSeries(undefined, undefined)).toBeUndefined();
  expect(inSeries(names, undefined)).toBe(names);
  const both = inSeries(doubled, names);
  expect(both?.events()({ kind: 'whole', choice: 0, part: 0, value: call })).toMatchObject([
    { value: { name: 'a.b' } },
    { value: { name: 'a.b' } },
  ]);
  expect(both?.response({ id: 'i', model: 'm', answers: [{ parts: [call] }] }).answers).toMatchObject([
    { parts: [{ name: 'a.b' }] },
    { parts: [{ name: 'a.b' }] },
  ]);
});

describe('a choice among several tools', () => {
  const tool = (name: string) => ({ type: 'function', function: { name, parameters: { type: 'object' } } });
  const body = {
    model: 'gpt-5.5',
    messages: [{ role: 'user', content: 'hi' }],
    tools: [tool('a.b'), tool('c'), { type: 'custom', custom: { name: 'patch' } }],
    tool_choice: {
      type: 'allowed_tools',
      allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'a.b' } }] },
    },
  };

  test('is told where it can be, by the names that the upstream knows', async () => {
    const asked = await ask({ type: 1, body });
    expect(asked).toMatchObject({ protocol: 'openai-responses', losses: [] });
    const choice = { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'a_b' }] };
    expect(sent(asked)).toMatchObject({ tools: [{ name: 'a_b' }, { name: 'c' }, { name: 'patch' }], tool_choice: choice });
  });

  test('leaves the others out where it cannot', async () => {
    const asked = await ask({ type: 14, body });
    expect(asked.losses).toEqual([]);
    expect(sent(asked)).toMatchObject({ tools: [{ name: 'a_b' }], tool_choice: { type: 'auto' } });
  });
});

test.each([1, 24])('a tool that its upstream runs itself cannot be chosen at another one: %i', async (type) => {
  const tools = [
    { name: 'f', input_schema: { type: 'object' } },
    { type: 'web_search_20250305', name: 'web_search' },
  ];
  const plain = { model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'hi' }], tools };
  const to = (name: string) =>
    ask({ type, protocol: 'anthropic-messages', body: { ...plain, tool_choice: { type: 'tool', name } } });
  const hosted = await to('web_search');
  expect(hosted.losses).toEqual(expect.arrayContaining(['tool_choice', 'hosted_tool:web_search']));
  expect(JSON.stringify(sent(hosted))).not.toContain('web_search');
  const own = await to('f');
  expect(own.losses).not.toContain('tool_choice');
  expect(JSON.stringify(sent(own))).toMatch(/"tool_choice":{|"allowedFunctionNames":\["f"\]/);
});

const flat = 'mcp__weather__forecast_day';
const dotted = 'mcp__weather__forecast.day';
const chatCall = { id: 'c2', type: 'function', function: { name: flat, arguments: '{}' } };
test.each([
  [14, flat, { type: 'message', content: [{ type: 'tool_use', id: 'c2', name: flat, input: {} }], stop_reason: 'tool_use' }],
  [24, dotted, { candidates: [{ content: { parts: [{ functionCall: { name: dotted, args: {} } }] }, finishReason: 'STOP' }] }],
  [43, flat, { choices: [{ message: { role: 'assistant', tool_calls: [chatCall] }, finish_reason: 'tool_calls' }] }],
])(
  'what an agent offers in a name space is offered beside its other functions, and called by it: %i',
  async (type, name, body) => {
    const offered = { type: 'function', name: 'forecast.day', parameters: { type: 'object' } };
    const space = { type: 'namespace', name: 'mcp__weather', description: 'Weather', tools: [offered] };
    const made = { type: 'function_call', namespace: 'mcp__weather', name: 'forecast.day', arguments: '{}' };
    const input = [
      { role: 'user', content: 'hi' },
      { ...made, call_id: 'c1' },
      { type: 'function_call_output', call_id: 'c1', output: 'sunny' },
    ];
    const asked = await ask({ type, protocol: 'openai-responses', body: { model: 'm', input, tools: [space] } });
    expect(asked.losses).toEqual(['namespace']);
    const text = JSON.stringify(sent(asked));
    expect(new Set(text.match(/mcp__weather__forecast.day/g))).toEqual(new Set([name]));
    expect(text).toContain('sunny');
    const answer = asked.answer.read(Buffer.from(JSON.stringify(body)));
    const told = answer.kind === 'answer' ? JSON.parse(String(answer.body)) : undefined;
    expect(told.output).toMatchObject([made]);
  },
);

const chatText = { id: 'c2', type: 'function', function: { name: 'functions__exec', arguments: '{"input":"say(2)"}' } };
const ownText = { id: 'c2', type: 'custom', custom: { name: 'functions__exec', input: 'say(2)' } };
const finished = (call: object) => ({
  choices: [{ message: { role: 'assistant', tool_calls: [call] }, finish_reason: 'tool_calls' }],
});
const use = { type: 'tool_use', id: 'c2', name: 'functions__exec', input: { input: 'say(2)' } };
const called = { functionCall: { name: 'functions__exec', args: { input: 'say(2)' } } };
test.each([
  [14, ['namespace', 'grammar'], { type: 'message', content: [use], stop_reason: 'tool_use' }],
  [24, ['namespace', 'grammar'], { candidates: [{ content: { parts: [called] }, finishReason: 'STOP' }] }],
  [43, ['namespace', 'grammar'], finished(chatText)],
  [6, ['namespace'], finished(ownText)],
])('what an agent runs commands by reaches every vendor, and is called as it was offered: %i', async (type, losses, body) => {
  const format = { type: 'grammar', syntax: 'lark', definition: 'start: A' };
  const space = { type: 'namespace', name: 'functions', tools: [{ type: 'custom', name: 'exec', description: 'd', format }] };
  const made = { type: 'custom_tool_call', namespace: 'functions', name: 'exec', input: 'say(1)' };
  const input = [
    { type: 'additional_tools', role: 'developer', tools: [space] },
    { role: 'user', content: 'hi' },
    { ...made, call_id: 'c1' },
    { type: 'custom_tool_call_output', call_id: 'c1', output: 'sunny' },
  ];
  const asked = await ask({ type, protocol: 'openai-responses', body: { model: 'm', input } });
  expect(asked.losses).toEqual(losses);
  expect(JSON.stringify(sent(asked))).toMatch(/"functions__exec".*say\(1\).*sunny|say\(1\).*sunny.*"functions__exec"/);
  const answer = asked.answer.read(Buffer.from(JSON.stringify(body)));
  const told = answer.kind === 'answer' ? JSON.parse(String(answer.body)) : undefined;
  expect(told.output).toMatchObject([{ ...made, id: expect.stringMatching(/^ctc_/), input: 'say(2)', status: 'completed' }]);
});
