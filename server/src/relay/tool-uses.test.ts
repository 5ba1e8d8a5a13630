import { scanObject } from '@tollgate/wire';
import { expect, test } from 'vitest';
import { plainPrice } from '../../test/plain-price.ts';
import { costOf } from '../billing/index.ts';
import type { AskedTools, Call } from './call.ts';
import type { Inquiry } from './inquiry.ts';
import { asUsed, toolsAsked, usesHeld } from './tool-uses.ts';
import { plainUsage } from './usage.ts';

const prices = new Map([
  ['*', new Map(Object.entries({ web_search: 10, file_search: 2.5, code_interpreter: 30, google_search: 35, mcp: 0 }))],
  ['gemini-3', new Map(Object.entries({ google_search: 0, google_search_query: 14 }))],
]);

function asked(protocol: string, body: object | string, model = 'm', table: typeof prices = prices) {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const result = scanObject(bytes);
  if (!result.ok) throw new Error('no object');
  const tools = toolsAsked({ bytes, peek: { scan: result.scan, model }, protocol } as unknown as Inquiry, table);
  return tools && Object.fromEntries(tools);
}

const unlimited = (held: number) => ({ held, limit: undefined });

test('a price may be that of a tool of any name', () => {
  for (const name of ['a+b', '搜索', 'x(']) {
    const table = new Map([['*', new Map([[name, 1]])]]);
    expect(asked('openai-chat', { tools: [{ type: 'function' }, { type: name }] }, 'm', table)).toEqual({ [name]: unlimited(5) });
  }
});

test.each([
  ['openai-responses', '{"tools":[{"type":"web\\u005fsearch"}]}', { web_search: unlimited(5) }],
  ['gemini-generate', '{"tools":{"\\u0067oogleSearch":{}}}', { google_search: unlimited(1) }],
  ['openai-responses', { tools: [{ type: 'web_search' }, { type: 'mcp' }] }, { web_search: unlimited(5) }],
  ['openai-responses', { tools: [{ type: 'web_search_preview_2025_03_11' }] }, { web_search: unlimited(5) }],
  [
    'openai-responses',
    { tools: [{ type: 'shell', environment: { type: 'container_auto' } }] },
    { code_interpreter: unlimited(5) },
  ],
  ['openai-responses', { tools: [{ type: 'shell', environment: { type: 'local' } }, { type: 'shell' }] }, undefined],
  ['openai-responses', { tools: [{ type: 'file_search' }], max_tool_calls: 2 }, { file_search: { held: 2, limit: 2 } }],
  [
    'openai-responses',
    {
      tools: [
        { type: 'custom', name: 'web_search' },
        { type: 'function', name: 'file_search' },
      ],
    },
    undefined,
  ],
  ['anthropic-messages', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, { web_search: unlimited(5) }],
  [
    'anthropic-messages',
    { tools: [{ type: 'web_search_20260209', name: 'web_search', max_uses: 8 }] },
    { web_search: { held: 8, limit: 8 } },
  ],
  [
    'anthropic-messages',
    { tools: [{ type: 'web_search_20250305', max_uses: 1e6 }], max_tool_calls: 1 },
    { web_search: { held: 1000, limit: 1_000_000 } },
  ],
  ['anthropic-messages', { tools: [{ name: 'web_search', input_schema: { type: 'object' } }] }, undefined],
  ['openai-chat', { web_search_options: {} }, { web_search: unlimited(5) }],
  ['openai-chat', { enable_search: true }, { web_search: unlimited(5) }],
  ['openai-chat', { enable_search: false, web_search_options: null, plugins: [{ id: 'file-parser' }] }, undefined],
  ['openai-chat', { plugins: [{ id: 'web' }] }, { web_search: unlimited(5) }],
  // A limit that is no word of the dialect is none.
  ['openai-chat', { tools: [{ type: 'web_search', max_uses: 0 }], max_tool_calls: 0 }, { web_search: unlimited(5) }],
  ['openai-chat', { tools: [{ type: 'openrouter:web_search' }] }, { web_search: unlimited(5) }],
  ['openai-chat', { tools: [{ type: 'function', function: { name: 'googleSearch' } }] }, { google_search: unlimited(1) }],
  ['gemini-generate', { tools: [{ googleSearch: {} }, { functionDeclarations: [] }] }, { google_search: unlimited(1) }],
  ['gemini-generate', { tools: { google_search_retrieval: {} } }, { google_search: unlimited(1) }],
  ['openai-chat', { tools: [null, 7, 'web_search', { type: 7 }] }, undefined],
  ['openai-chat', { messages: [{ role: 'user', content: 'web_search' }] }, undefined],
] as const)('%s %j asks for %j', (protocol, body, tools) => {
  expect(asked(protocol, body)).toEqual(tools);
});

test('a picture of the most tokens is held for where those of the model that draws have a price, and they are believed', () => {
  const drawn = { image_gen_input_text_tokens: 0.005, image_gen_output_image_tokens: 0.032 };
  const table = new Map([['*', new Map(Object.entries(drawn))]]);
  const tools = [{ type: 'image_generation', model: 'gpt-image-1.5' }];
  const held = {
    image_gen_input_text_tokens: { held: 0, limit: undefined },
    image_gen_output_image_tokens: { held: 6_240, limit: undefined },
  };
  expect(asked('openai-responses', { tools }, 'm', table)).toEqual(held);
  expect(asked('openai-responses', { tools: [{ type: 'web_search' }] }, 'm', table)).toBeUndefined();
  expect(asked('openai-responses', { tools, max_tool_calls: 0 }, 'm', table)).toMatchObject({
    image_gen_output_image_tokens: { held: 0 },
  });
  const call = { price: { ...plainPrice, model: 'm' }, snapshot: { options: { ToolPrice: table } } } as unknown as Call;
  const told = { image_gen_input_text_tokens: 20, image_gen_output_image_tokens: 8_000 };
  expect(asUsed(call, undefined, told)).toMatchObject({ tools: told, isClamped: false });
  // 20 x 5 and 8,000 x 32 dollars for a million tokens, at 500,000 units a dollar.
  expect(costOf(asUsed(call, undefined, told).call.price, { ...plainUsage(1, 0, 'upstream'), tools: told })).toBe(
    1 + 50 + 128_000,
  );
  const vast = asUsed(call, undefined, { image_gen_output_image_tokens: 2e6 });
  expect(vast).toMatchObject({ tools: { image_gen_output_image_tokens: 1e6 }, isClamped: true });
});

test('only what has a price for the model is asked for', () => {
  const google = { tools: [{ google_search: {} }] };
  expect(asked('gemini-generate', google, 'gemini-3')).toEqual({ google_search_query: unlimited(5) });
  expect(asked('gemini-generate', google, 'm', new Map())).toBeUndefined();
  expect(asked('gemini-generate', google, 'm', new Map([['other', new Map([['google_search', 1]])]]))).toBeUndefined();
  expect(usesHeld(undefined)).toBeUndefined();
  expect(usesHeld(new Map([['web_search', { held: 3, limit: 3 }]]))).toEqual({ web_search: 3 });
});

const callWith = (tools?: AskedTools) =>
  ({ model: 'm', price: plainPrice, snapshot: { options: { ToolPrice: prices } }, tools }) as unknown as Call;
const by = (protocol?: string, paramOverride: object = {}) =>
  ({ outgoing: { protocol }, target: { channel: { paramOverride } } }) as unknown as NonNullable<Parameters<typeof asUsed>[1]>;

test('an answer’s uses are charged within what its caller allows, in words that its upstream was told', () => {
  const limited: AskedTools = new Map([['web_search', { held: 2, limit: 2 }]]);
  const used = (...[call, ...rest]: Parameters<typeof asUsed>) => asUsed(call, ...rest);
  expect(used(callWith(limited), by(), { web_search: 2 })).toMatchObject({ tools: { web_search: 2 }, isClamped: false });
  expect(used(callWith(limited), by(), { web_search: 9 })).toMatchObject({ tools: { web_search: 2 }, isClamped: true });
  expect(used(callWith(limited), by('openai-chat'), { web_search: 9 }).tools).toEqual({ web_search: 9 });
  expect(used(callWith(), by(), { web_search: 1e8, x: 1 })).toMatchObject({ tools: { web_search: 1000, x: 1 }, isClamped: true });
  const { call, tools } = used(callWith(limited), by(), { web_search: 0 });
  expect([call.price, tools]).toEqual([plainPrice, undefined]);
  const plain = callWith();
  expect(used(plain, by(), undefined)).toEqual({ call: plain, tools: undefined, isClamped: false });
});

test('what an operator’s override asks for is not charged', () => {
  const searched = { web_search: 1 };
  expect(asUsed(callWith(), by(undefined, { tools: [{ type: 'web_search' }] }), searched).tools).toBeUndefined();
  const free = asUsed(callWith(), by(undefined, { temperature: 1 }), searched);
  expect([free.tools, free.call.price.toolNano]).toEqual([searched, { web_search: 10_000_000_000 }]);
  expect(asUsed(callWith(), undefined, undefined).tools).toBeUndefined();
});
