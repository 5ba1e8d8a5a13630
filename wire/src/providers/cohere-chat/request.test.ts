import { describe, expect, test } from 'vitest';
import type { ChatRequest, Message, Tool } from '../../chat/request.ts';
import { encodeRequest } from './request.ts';
import { dialect } from './types.ts';

const plain: ChatRequest = {
  model: 'm',
  system: [{ kind: 'text', text: 's' }],
  messages: [{ role: 'user', parts: [{ kind: 'text', text: 'hi' }] }],
  tools: [],
  stop: [],
  choices: 1,
  stream: true,
  wantsUsage: true,
};
const tools: Tool[] = ['weather', 'time'].map((name) => ({ kind: 'function', name, parameters: { type: 'object' } }));
const encode = (request: Partial<ChatRequest>, model = 'command-a-03-2025') =>
  encodeRequest({ ...plain, ...request }, { model, defaultMaxTokens: 8192 });

test('settings have the vendor’s names', () => {
  const { body, losses } = encode({
    maxTokens: 5,
    temperature: 0.1,
    topP: 0.5,
    topK: 3,
    stop: ['x'],
    seed: 1,
    presencePenalty: 0.5,
    logprobs: 2,
  });
  expect(body).toEqual({
    model: 'command-a-03-2025',
    stream: true,
    messages: [
      { role: 'system', content: 's' },
      { role: 'user', content: 'hi' },
    ],
    max_tokens: 5,
    temperature: 0.1,
    p: 0.5,
    k: 3,
    stop_sequences: ['x'],
    seed: 1,
    presence_penalty: 0.5,
  });
  expect(losses).toEqual(['logprobs']);
});

test.each([
  [{ frequencyPenalty: 0, presencePenalty: 0 }, {}, []],
  [{ frequencyPenalty: 0.4, presencePenalty: 0 }, { frequency_penalty: 0.4 }, []],
  [{ frequencyPenalty: 0.4, presencePenalty: 0.2 }, { frequency_penalty: 0.4 }, ['presence_penalty']],
  [{ frequencyPenalty: -0.5, presencePenalty: 1.5 }, { presence_penalty: 1 }, ['frequency_penalty', 'presence_penalty']],
])('of the penalties %j the upstream hears one, between 0 and 1', (asked, said, lost) => {
  const { body, losses } = encode(asked);
  const { frequency_penalty, presence_penalty } = body;
  expect(JSON.parse(JSON.stringify({ frequency_penalty, presence_penalty }))).toEqual(said);
  expect(losses).toEqual(lost);
});

test('a tool by name is the only one offered, and must be called', () => {
  const { body } = encode({ tools, toolChoice: { name: 'time' } });
  expect(body.tools).toEqual([{ type: 'function', function: { name: 'time', parameters: { type: 'object', properties: {} } } }]);
  expect(body.tool_choice).toBe('REQUIRED');
  expect(encode({ tools, toolChoice: 'none' }).body.tool_choice).toBe('NONE');
  expect(encode({ tools, toolChoice: 'auto' }).body.tool_choice).toBeUndefined();
});

describe('conversations', () => {
  const call = { kind: 'tool-call', id: 'w1', name: 'weather', arguments: '{}' } as const;
  const turn = (...parts: Message['parts']) => encode({ system: [], messages: [{ role: 'assistant', parts }] });

  test('own thoughts are a plan before calls and thinking before a text', () => {
    const thought = { kind: 'reasoning', text: 'Look it up.', dialect } as const;
    expect(turn(thought, call).body.messages).toEqual([
      {
        role: 'assistant',
        tool_plan: 'Look it up.',
        tool_calls: [{ id: 'w1', type: 'function', function: { name: 'weather', arguments: '{}' } }],
      },
    ]);
    expect(turn(thought, { kind: 'text', text: '4' }).body.messages).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Look it up.' },
          { type: 'text', text: '4' },
        ],
      },
    ]);
  });

  test('thoughts of another dialect stay out', () => {
    const foreign = { kind: 'reasoning', text: 'x', signature: 'y', dialect: 'other' } as const;
    const { body, losses } = turn(foreign, { kind: 'text', text: '4' });
    expect(body.messages).toEqual([{ role: 'assistant', content: '4' }]);
    expect(losses).toEqual(['reasoning_signature']);
  });

  test('a turn of which nothing can be said is no empty message', () => {
    const foreign = { kind: 'reasoning', text: 'x', dialect: 'other' } as const;
    expect(turn(foreign).body.messages).toEqual([{ role: 'assistant', content: '...' }]);
    const messages: Message[] = [{ role: 'user', parts: [{ kind: 'audio', base64: 'AAAA', format: 'wav' }] }];
    expect(encode({ system: [], messages }).body.messages).toEqual([{ role: 'user', content: '...' }]);
    const thought = { kind: 'reasoning', text: 'Hm.', dialect } as const;
    expect(turn(thought).body.messages).toEqual([{ role: 'assistant', content: [{ type: 'thinking', thinking: 'Hm.' }] }]);
  });

  test('results stand right behind their calls, whatever was said in between', () => {
    const result = (id: string) => ({ kind: 'tool-result', id, name: 'weather', content: [{ kind: 'text', text: id }] }) as const;
    const said = (role: Message['role'], text: string): Message => ({ role, parts: [{ kind: 'text', text }] });
    const { body } = encode({
      system: [],
      messages: [
        { role: 'assistant', parts: [call, { ...call, id: 'w2' }] },
        said('system', 'Be brief.'),
        { role: 'user', parts: [result('w2')] },
        said('user', 'Hurry.'),
        { role: 'user', parts: [result('w1')] },
      ],
    });
    expect(body.messages).toMatchObject([
      { role: 'assistant', tool_calls: [{ id: 'w1' }, { id: 'w2' }] },
      { role: 'tool', tool_call_id: 'w2' },
      { role: 'tool', tool_call_id: 'w1' },
      { role: 'user', content: 'Hurry.' },
      { role: 'system', content: 'Be brief.' },
    ]);
  });

  test('results are messages of their own, pictures are addresses', () => {
    const url = 'https://a.example/b.png';
    const { body } = encode({
      system: [],
      messages: [
        { role: 'user', parts: [{ kind: 'tool-result', id: 'w1', name: '', content: [{ kind: 'text', text: 'sun' }] }] },
        {
          role: 'user',
          parts: [
            { kind: 'text', text: 'this?' },
            { kind: 'image', source: { at: 'url', url }, detail: 'low' },
          ],
        },
      ],
    });
    expect(body.messages).toEqual([
      { role: 'tool', tool_call_id: 'w1', content: 'sun' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'this?' },
          { type: 'image_url', image_url: { url, detail: 'low' } },
        ],
      },
    ]);
  });
});

test('only models that reason take a budget', () => {
  const reasoning = { effort: 'low' } as const;
  expect(encode({ reasoning }, 'command-a-reasoning-08-2025').body.thinking).toEqual({ type: 'enabled', token_budget: 2048 });
  expect(encode({ reasoning: { effort: 'none' } }, 'command-a-reasoning-08-2025').body.thinking).toEqual({ type: 'disabled' });
  expect(encode({ reasoning })).toMatchObject({ losses: ['reasoning'] });
});

test('a schema goes with the form of the answer', () => {
  const { body } = encode({ output: { kind: 'schema', name: 'n', schema: { type: 'object' } } });
  expect(body.response_format).toEqual({ type: 'json_object', json_schema: { type: 'object' } });
});
