import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { anthropicMessages } from './anthropic-messages/dialect.ts';
import type { ClientDialect, UpstreamDialect } from './chat/dialect.ts';
import { decodeAnswer, decodeStreamed } from './chat/read.ts';
import { geminiGenerate } from './gemini-generate/dialect.ts';
import { openaiChat } from './openai-chat/dialect.ts';
import { openaiResponses } from './openai-responses/dialect.ts';
import { readToolUses } from './tool-uses.ts';

type Dialect = ClientDialect & UpstreamDialect;
const fixture = (name: string) => readFileSync(path.join(import.meta.dirname, '../fixtures', name));
const bytes = (answer: object) => Buffer.from(JSON.stringify(answer));
const stream = (...events: object[]) => Buffer.concat(events.map((event) => Buffer.from(`data: ${JSON.stringify(event)}\n\n`)));

/** As it passes through, and as it is read for a caller of another dialect. */
function whole(dialect: Dialect, body: Buffer) {
  const passing = dialect.readResponse(body);
  const crossing = decodeAnswer(dialect, body);
  const uses = passing.kind === 'answer' ? passing.served?.uses : passing;
  expect(crossing.kind === 'answer' ? crossing.response.uses : crossing).toEqual(uses);
  return uses;
}

function streamed(dialect: Dialect, body: Buffer) {
  const tap = dialect.createTap({ swallowUsage: false });
  tap.push(body);
  const uses = tap.end().served?.uses;
  const crossing = decodeStreamed(dialect, body);
  if (crossing.kind === 'answer') expect(crossing.response.uses).toEqual(uses);
  return uses;
}

test.each([
  ['openai-responses/hosted-tools', openaiResponses, { file_search: 1, code_interpreter: 1, image_generation: 1, mcp: 1 }],
  ['openai-responses/web-search', openaiResponses, { web_search: 1 }],
  ['openai-responses/text', openaiResponses, undefined],
  ['anthropic-messages/hosted-tool', anthropicMessages, { web_search: 1, web_fetch: 0 }],
  ['anthropic-messages/text', anthropicMessages, undefined],
  ['openai-chat/text', openaiChat, undefined],
] as const)('%s: uses of hosted tools are counted alike in a stream and at once', (name, dialect, uses) => {
  expect(whole(dialect, fixture(`${name}.json`))).toEqual(uses);
  expect(streamed(dialect, fixture(`${name}.sse`))).toEqual(uses);
});

const item = (type: string, more: object = {}) => ({ type, id: `${type}${JSON.stringify(more)}`, status: 'completed', ...more });

test('of an answer of items pages that were opened, failures, a second run in one container and commands for the caller are no uses', () => {
  const search = (type: string) => item('web_search_call', { action: { type } });
  const output = [
    ...[search('search'), search('open_page'), search('find_in_page'), item('web_search_call', { status: 'failed' })],
    ...['a', 'a', 'b'].map((container_id, at) => item('code_interpreter_call', { container_id, at })),
    ...['b', 'c'].map((container_id) => item('shell_call', { environment: { type: 'container_reference', container_id } })),
    ...[{ type: 'local' }, null].map((environment) => item('shell_call', { environment })),
    item('function_call', { call_id: 'c', name: 'web_search_call', arguments: '{}' }),
  ];
  const counted = { web_search: 1, code_interpreter: 3 };
  const response = { id: 'r', status: 'completed', output, usage: { input_tokens: 1, output_tokens: 1 } };
  expect(whole(openaiResponses, bytes(response))).toEqual(counted);
  const done = output.map((each, output_index) => ({ type: 'response.output_item.done', output_index, item: each }));
  expect(streamed(openaiResponses, stream(...done, { type: 'response.completed', response }))).toEqual(counted);
  // One that is cut off has used what it told of.
  expect(streamed(openaiResponses, stream(...done.slice(0, 1)))).toEqual({ web_search: 1 });
  const usage = { ...response.usage, server_side_tool_usage_details: { web_search_calls: 3, x_search_calls: 2 } };
  const told = { web_search: 3, code_interpreter: 3, x_search: 2 };
  expect(whole(openaiResponses, bytes({ ...response, usage }))).toEqual(told);
  expect(streamed(openaiResponses, stream({ type: 'response.completed', response: { ...response, usage } }))).toEqual(told);
});

test.each([
  [{ web_search: { num_requests: 1 } }, { web_search: 1, file_search: 1 }],
  [
    { web_search: { num_requests: 4 }, image_gen: { output_tokens: 7 } },
    { web_search: 4, file_search: 1, image_gen_output_image_tokens: 7 },
  ],
  [{ web_search: { num_requests: 0 } }, { web_search: 0, file_search: 1 }],
  [{ web_search: { num_requests: null } }, { web_search: 2, file_search: 1 }],
  [null, { web_search: 2, file_search: 1 }],
])('an answer of items whose `tool_usage` is %j used %j: the searches that are billed count', (tool_usage, uses) => {
  const search = (type: string, query?: string) => item('web_search_call', { action: { type, query } });
  const output = [search('search', 'a'), search('open_page'), search('search', 'b'), item('file_search_call')];
  const response = { id: 'r', status: 'completed', output, usage: { input_tokens: 1, output_tokens: 1 }, tool_usage };
  expect(whole(openaiResponses, bytes(response))).toEqual(uses);
  expect(streamed(openaiResponses, stream({ type: 'response.completed', response }))).toEqual(uses);
  // An upstream that only repeats the member, as a vendor whose usage tells more may.
  const usage = { ...response.usage, server_side_tool_usage_details: { web_search_calls: 5 } };
  expect(whole(openaiResponses, bytes({ ...response, usage }))).toEqual({ ...uses, web_search: 5 });
});

test.each([
  [
    {
      ...{ input_tokens: 120, input_tokens_details: { image_tokens: 100, text_tokens: 20 }, total_tokens: 420 },
      ...{ cached_tokens: 64, cached_tokens_details: { cached_image_tokens: 60, cached_text_tokens: 4 } },
      ...{ output_tokens: 300, output_tokens_details: { image_tokens: 290, text_tokens: 10 } },
    },
    { input_text: 16, input_image: 40, cached_text: 4, cached_image: 60, output_text: 10, output_image: 290 },
  ],
  [
    { input_tokens: 9, output_tokens: 4160, cached_tokens: 5 },
    { input_text: 9, output_image: 4160 },
  ],
  // Parts that are more than their whole.
  [
    { input_tokens: 9, input_tokens_details: { image_tokens: 1e9 }, cached_tokens_details: { cached_text_tokens: 7 } },
    { input_image: 9 },
  ],
  [{ input_tokens: 0, output_tokens: 0, total_tokens: 0 }, undefined],
  [{ input_tokens: -1, output_tokens: 'many' }, undefined],
])('what the model that draws took, told as %j, is a use for each token: %j', (image_gen, tokens) => {
  const drawn = tokens && Object.fromEntries(Object.entries(tokens).map(([kind, count]) => [`image_gen_${kind}_tokens`, count]));
  const response = {
    id: 'r',
    status: 'completed',
    output: [],
    usage: { input_tokens: 1, output_tokens: 1 },
    tool_usage: { image_gen },
  };
  expect(whole(openaiResponses, bytes(response))).toEqual(drawn);
  expect(streamed(openaiResponses, stream({ type: 'response.completed', response }))).toEqual(drawn);
});

test("Claude's searches are counted by their results until its usage tells them", () => {
  const block = (content: unknown) => ({ type: 'web_search_tool_result', tool_use_id: 't', content });
  const blocks = [block([]), block([]), block({ type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' })];
  const usage = { input_tokens: 3, output_tokens: 2 };
  const message = { id: 'm', type: 'message', role: 'assistant', model: 'c', content: blocks, stop_reason: 'end_turn', usage };
  expect(whole(anthropicMessages, bytes(message))).toEqual({ web_search: 2 });
  const told = { ...message, usage: { ...usage, server_tool_use: { web_search_requests: 1 } } };
  expect(whole(anthropicMessages, bytes(told))).toEqual({ web_search: 1 });
  const begun = [
    { type: 'message_start', message: { ...message, content: [] } },
    ...blocks.flatMap((content_block, index) => [
      { type: 'content_block_start', index, content_block },
      { type: 'content_block_stop', index },
    ]),
  ];
  expect(streamed(anthropicMessages, stream(...begun))).toEqual({ web_search: 2 });
  const ended = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: told.usage };
  expect(streamed(anthropicMessages, stream(...begun, ended, { type: 'message_stop' }))).toEqual({ web_search: 1 });
});

test('an answer of the chat dialect tells searches in its usage, or by the pages that it cites', () => {
  const annotations = [{ type: 'url_citation', url_citation: { url: 'https://x.test' } }];
  const usage = { prompt_tokens: 3, completion_tokens: 2 };
  const answer = (message: object, more: object = {}) =>
    bytes({ id: 'c', choices: [{ index: 0, message: { content: 'a', ...message }, finish_reason: 'stop' }], usage, ...more });
  expect(whole(openaiChat, answer({ annotations }))).toEqual({ web_search: 1 });
  expect(whole(openaiChat, answer({ annotations: [] }))).toBeUndefined();
  expect(whole(openaiChat, answer({ content: 'has "url_citation" in it' }))).toBeUndefined();
  expect(whole(openaiChat, answer({}, { web_search: [{ link: 'https://x.test' }] }))).toEqual({ web_search: 1 });
  expect(whole(openaiChat, answer({}, { web_search: [] }))).toBeUndefined();
  const counted = { ...usage, server_tool_use: { web_search_requests: 4 } };
  expect(whole(openaiChat, answer({ annotations }, { usage: counted }))).toEqual({ web_search: 4 });
  const delta = (more: object) => ({ id: 'c', choices: [{ index: 0, delta: { content: 'a', ...more }, finish_reason: null }] });
  const end = { id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
  const chunks = [delta({}), delta({}), delta({ annotations }), end];
  expect(streamed(openaiChat, stream(...chunks, { id: 'c', choices: [], usage }))).toEqual({ web_search: 1 });
  expect(streamed(openaiChat, stream(...chunks, { id: 'c', choices: [], usage: counted }))).toEqual({ web_search: 4 });
  expect(streamed(openaiChat, stream({ ...delta({}), usage: counted }, ...chunks))).toEqual({ web_search: 4 });
});

test.each([
  [{ num_search_queries: 7, search_context_size: 'low' }, { web_search: 7 }],
  [{ search_context_size: 'high', num_search_queries: null }, { web_search: 1 }],
  [{ plugins: { search: { count: 2 } } }, { web_search: 2 }],
  [
    { tool_usage: { web_search: 2, image_process: 1 }, tool_usage_details: { web_search: { search_engine: 2 } } },
    { web_search: 2, image_process: 1 },
  ],
  [{ server_tool_use: { web_search_requests: -3, code_execution_requests: 'x' } }, { web_search: 0, code_execution: 0 }],
  [{ server_tool_use: { Requests: 1, __proto___requests: 2, total: 3 } }, undefined],
  [{ tool_usage: { web_search: { count: 2 } } }, undefined],
  [{ server_tool_use: null, plugins: [] }, undefined],
  [undefined, undefined],
] as const)('a usage of %j tells %j', (usage, uses) => {
  expect(readToolUses(usage as Parameters<typeof readToolUses>[0])).toEqual(uses);
});

test('an answer of Gemini that searched counts as one, and by its queries, however often chunks repeat them', () => {
  const chunk = (grounding: object | undefined, more: object = {}) => ({
    candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'a' }] }, groundingMetadata: grounding, ...more }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  });
  const uses = { google_search: 1, google_search_query: 2 };
  const last = { webSearchQueries: ['a', 'b'], groundingChunks: [{ web: { uri: 'https://x.test' } }] };
  expect(whole(geminiGenerate, bytes(chunk(last, { finishReason: 'STOP' })))).toEqual(uses);
  const chunks = [chunk(undefined), chunk({ web_search_queries: ['a'] }), chunk(last), chunk(last, { finishReason: 'STOP' })];
  expect(streamed(geminiGenerate, stream(...chunks))).toEqual(uses);
  const found = { groundingChunks: [{ maps: { uri: 'x' } }, { retrievedContext: { uri: 'y' } }] };
  expect(whole(geminiGenerate, bytes(chunk(found, { finishReason: 'STOP' })))).toEqual({ google_maps: 1, file_search: 1 });
  expect(whole(geminiGenerate, bytes(chunk({}, { finishReason: 'STOP' })))).toBeUndefined();
});
