import { describe, expect, test } from 'vitest';
import type { ChatRequest, Message, Tool } from '../../chat/request.ts';
import { encodeRequest } from './request.ts';

const plain: ChatRequest = {
  model: 'm',
  system: [],
  messages: [{ role: 'user', parts: [{ kind: 'text', text: 'hi' }] }],
  tools: [],
  stop: [],
  choices: 1,
  stream: false,
  wantsUsage: true,
};
const tool: Tool = { kind: 'function', name: 'weather', description: 'd', parameters: { properties: { city: {} } } };
const encode = (request: Partial<ChatRequest>, model = 'amazon.nova-pro-v1:0') =>
  encodeRequest({ ...plain, ...request }, { model, defaultMaxTokens: 8192 });
const turns = (...messages: Message[]) => encode({ messages }).body.messages;

test('a temperature beyond what the service takes is brought to its highest, and a loss', () => {
  expect(encode({ temperature: 1.5 })).toMatchObject({ body: { inferenceConfig: { temperature: 1 } }, losses: ['temperature'] });
  expect(encode({ temperature: 1 })).toMatchObject({ body: { inferenceConfig: { temperature: 1 } }, losses: [] });
});

describe('turns', () => {
  test('alternate, begin with the user, and are never blank', () => {
    expect(
      turns(
        { role: 'assistant', parts: [{ kind: 'text', text: 'a' }] },
        { role: 'user', parts: [{ kind: 'text', text: 'b' }] },
        { role: 'system', parts: [{ kind: 'text', text: 'c' }] },
        { role: 'assistant', parts: [{ kind: 'text', text: '  ' }] },
      ),
    ).toEqual([
      { role: 'user', content: [{ text: '...' }] },
      { role: 'assistant', content: [{ text: 'a' }] },
      { role: 'user', content: [{ text: 'b' }, { text: 'c' }] },
      { role: 'assistant', content: [{ text: '...' }] },
    ]);
  });

  test('results stand first in theirs, with ids as the service takes them', () => {
    const messages: Message[] = [
      { role: 'assistant', parts: [{ kind: 'tool-call', id: 'call:1', name: 'weather', arguments: '{"city":"Paris"}' }] },
      { role: 'user', parts: [{ kind: 'text', text: 'and?' }] },
      {
        role: 'user',
        parts: [{ kind: 'tool-result', id: 'call:1', name: '', content: [{ kind: 'text', text: 'sun' }], isError: true }],
      },
    ];
    const { body } = encode({ messages });
    expect(body.messages).toEqual([
      { role: 'user', content: [{ text: '...' }] },
      { role: 'assistant', content: [{ toolUse: { toolUseId: 'call_1', name: 'weather', input: { city: 'Paris' } } }] },
      {
        role: 'user',
        content: [{ toolResult: { toolUseId: 'call_1', content: [{ text: 'sun' }], status: 'error' } }, { text: 'and?' }],
      },
    ]);
    // A conversation with calls in it is refused without tools.
    expect(body.toolConfig).toEqual({ tools: [{ toolSpec: { name: 'weather', inputSchema: { json: { type: 'object' } } } }] });
  });

  test('media are inline, documents have names of their own and a text beside them', () => {
    const pdf = { at: 'inline', mediaType: 'application/pdf', base64: 'QQ==' } as const;
    const files = turns({
      role: 'user',
      parts: [
        { kind: 'file', source: pdf, name: 'my  report_v1.pdf' },
        { kind: 'file', source: pdf, name: 'my  report_v1.pdf' },
      ],
    });
    expect(files).toEqual([
      {
        role: 'user',
        content: [
          { document: { format: 'pdf', name: 'my report-v1', source: { bytes: 'QQ==' } } },
          { document: { format: 'pdf', name: 'my report-v1 2', source: { bytes: 'QQ==' } } },
          { text: '...' },
        ],
      },
    ]);
    const picture = { kind: 'image', source: { at: 'inline', mediaType: 'image/png', base64: 'QQ==' } } as const;
    expect(turns({ role: 'user', parts: [picture] })).toEqual([
      { role: 'user', content: [{ image: { format: 'png', source: { bytes: 'QQ==' } } }] },
    ]);
    const lost = encode({ messages: [{ role: 'user', parts: [{ kind: 'image', source: { at: 'upstream', id: 'f1' } }] }] });
    expect(lost.losses).toEqual(['image']);
  });
});

describe('settings', () => {
  test('are the service’s, and what it has no word for is a loss', () => {
    const { body, losses } = encode({
      maxTokens: 5,
      temperature: 0,
      topP: 0.5,
      topK: 3,
      stop: ['x'],
      seed: 1,
      serviceTier: 'flex',
      user: 'u',
    });
    expect(body.inferenceConfig).toEqual({ maxTokens: 5, temperature: 0, topP: 0.5, stopSequences: ['x'] });
    expect(body.additionalModelRequestFields).toEqual({ inferenceConfig: { topK: 3 } });
    expect(body.serviceTier).toEqual({ type: 'flex' });
    expect(losses).toEqual(['seed', 'user']);
  });

  test.each([
    ['amazon.nova-2-lite-v1:0', 'high', { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'high' } }, []],
    ['openai.gpt-oss-120b-1:0', 'xhigh', { reasoning_effort: 'high' }, []],
    ['openai.gpt-oss-120b-1:0', 'max', { reasoning_effort: 'high' }, []],
    ['meta.llama3-3-70b-instruct-v1:0', 'low', undefined, ['reasoning']],
    ['meta.llama3-3-70b-instruct-v1:0', 'none', undefined, []],
  ] as const)('%s with effort %s', (model, effort, fields, lost) => {
    const { body, losses } = encode({ reasoning: { effort } }, model);
    expect(body.additionalModelRequestFields).toEqual(fields);
    expect(losses).toEqual(lost);
  });

  test('what another dialect says of a tool or a part is a loss by its name', () => {
    const extra = { dialect: 'openai-responses', fields: { defer_loading: true } };
    const source = { at: 'inline', mediaType: 'application/pdf', base64: 'aGk=' } as const;
    const file = { kind: 'file', source, extra: { dialect: 'gemini-generate', fields: { mediaResolution: {} } } } as const;
    const tools = [{ kind: 'function', name: 'f', extra }] as const;
    expect(encode({ tools, messages: [{ role: 'user', parts: [file] }] }).losses).toEqual(['defer_loading', 'mediaResolution']);
    const call = { kind: 'tool-call', id: 'c', name: 'f', arguments: '{}', signature: 's', dialect: 'gemini-generate' } as const;
    expect(encode({ messages: [{ role: 'assistant', parts: [call] }] }).losses).toEqual(['reasoning_signature']);
  });

  const mark = { type: 'default' };

  test('cache marks become cache points where the model has them', () => {
    const system = [{ kind: 'text', text: 's', cache: '1h' }] as const;
    const kept = encode({ system, tools: [{ ...tool, cache: '5m' }] }, 'anthropic.claude-sonnet-4-6');
    expect(kept.body.system).toEqual([{ text: 's' }, { cachePoint: { ...mark, ttl: '1h' } }]);
    expect(kept.body.toolConfig).toMatchObject({ tools: [{}, { cachePoint: mark }] });
    const other = encode({ system }, 'meta.llama3-3-70b-instruct-v1:0');
    expect(other).toMatchObject({ body: { system: [{ text: 's' }] }, losses: ['cache_control'] });
  });

  test('the maker’s own models keep texts alone, for five minutes', () => {
    const short = encode({ system: [{ kind: 'text', text: 's', cache: '5m' }] });
    expect(short).toMatchObject({ body: { system: [{ text: 's' }, { cachePoint: mark }] }, losses: [] });
    const long = encode({ system: [{ kind: 'text', text: 's', cache: '1h' }] });
    expect(long).toMatchObject({ body: { system: [{ text: 's' }, { cachePoint: mark }] }, losses: ['cache_control'] });
    const result = { kind: 'tool-result', id: 'c', name: '', content: [{ kind: 'text', text: 'sun' }], cache: '5m' } as const;
    const ofTools = encode({ tools: [{ ...tool, cache: '5m' }], messages: [{ role: 'user', parts: [result] }] });
    expect(JSON.stringify(ofTools.body)).not.toContain('cachePoint');
    expect(ofTools.losses).toEqual(['cache_control']);
  });

  test('metadata that the service refuses is a loss, by the entry', () => {
    const metadata = { plain: 'a-b: 1', title: 'Über', long: 'x'.repeat(257), 'k*': 'v', '': 'v', user: '' };
    const { body, losses } = encode({ metadata });
    expect(body.requestMetadata).toEqual({ plain: 'a-b: 1', user: '' });
    expect(losses).toEqual(['metadata']);
  });

  test('a schema is told as the form of the text', () => {
    const { body } = encode({ output: { kind: 'schema', name: 'n', schema: { type: 'object' } } });
    expect(body.outputConfig).toEqual({
      textFormat: { type: 'json_schema', structure: { jsonSchema: { name: 'n', schema: '{"type":"object"}' } } },
    });
  });
});

test.each([
  ['auto', { auto: {} }],
  ['required', { any: {} }],
  [{ name: 'weather' }, { tool: { name: 'weather' } }],
  [undefined, undefined],
] as const)('the choice %j of tools is %j', (toolChoice, choice) => {
  const { toolConfig } = encode({ tools: [tool], toolChoice }).body as { toolConfig: { tools: object[]; toolChoice?: object } };
  expect(toolConfig.tools).toEqual([
    { toolSpec: { name: 'weather', description: 'd', inputSchema: { json: { type: 'object', properties: { city: {} } } } } },
  ]);
  expect(toolConfig.toolChoice).toEqual(choice);
});

test('no tools are offered when none may be called', () => {
  expect(encode({ tools: [tool], toolChoice: 'none' }).body.toolConfig).toBeUndefined();
});
