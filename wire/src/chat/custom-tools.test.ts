import { describe, expect, test } from 'vitest';
import { requests } from '../../test/fixtures.ts';
import { answerContext, crossingTap, eventsOf, runTap } from '../../test/scenes.ts';
import { anthropicMessages } from '../anthropic-messages/dialect.ts';
import { asObject, type JsonObject } from '../json.ts';
import { openaiChat } from '../openai-chat/dialect.ts';
import { openaiResponses } from '../openai-responses/dialect.ts';
import { encodeFrame } from '../sse.ts';
import { onlyAllowed } from './custom-tools.ts';
import type { ClientDialect, Extension } from './dialect.ts';
import { foldEvents } from './fold.ts';

const lark = { syntax: 'lark', definition: 'start: "x"' };
const weather = { name: 'get_weather', parameters: { type: 'object', properties: {} } };

/** One conversation, as each of the two says it. */
const inChat: JsonObject = {
  model: 'm',
  messages: [
    { role: 'user', content: 'Patch it.' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call_p', type: 'custom', custom: { name: 'patch', input: '*** A' } }],
    },
    { role: 'tool', tool_call_id: 'call_p', content: 'bad patch' },
  ],
  tools: [
    { type: 'custom', custom: { name: 'patch', description: 'Patches.', format: { type: 'grammar', grammar: lark } } },
    { type: 'custom', custom: { name: 'say', format: { type: 'text' } } },
    { type: 'function', function: weather },
  ],
  tool_choice: { type: 'custom', custom: { name: 'patch' } },
};
const inResponses: JsonObject = {
  model: 'm',
  input: [
    { type: 'message', role: 'user', content: 'Patch it.' },
    { type: 'custom_tool_call', call_id: 'call_p', name: 'patch', input: '*** A' },
    { type: 'custom_tool_call_output', call_id: 'call_p', output: 'bad patch' },
  ],
  tools: [
    { type: 'custom', name: 'patch', description: 'Patches.', format: { type: 'grammar', ...lark } },
    { type: 'custom', name: 'say', format: { type: 'text' } },
    { type: 'function', ...weather, strict: false },
  ],
  tool_choice: { type: 'custom', name: 'patch' },
};

function decoded(from: ClientDialect, body: JsonObject) {
  const read = from.decodeRequest(body);
  if (!read.ok) throw new Error(read.reason);
  return read.request;
}

function told(from: ClientDialect, body: JsonObject, to: ClientDialect, extensions: readonly Extension[] = []) {
  return to.encodeRequest(decoded(from, body), { model: 'm', defaultMaxTokens: 100, extensions });
}

describe('a request with tools that take a text', () => {
  test('is told by chat to responses: tools, the chosen one, calls and results', () => {
    expect(told(openaiChat, inChat, openaiResponses)).toEqual({ body: { ...inResponses, store: false }, losses: [] });
  });

  test('and the other way, where the upstream has them', () => {
    const { messages, tools, tool_choice } = inChat;
    const { body, losses } = told(openaiResponses, inResponses, openaiChat, ['custom_tools']);
    expect(losses).toEqual([]);
    const plain = { type: 'function', function: { ...weather, strict: false } };
    expect(body).toMatchObject({ messages, tools: [...(tools as unknown[]).slice(0, 2), plain], tool_choice });
  });

  test('leaves nothing of them where nobody has them: a result without its call would be refused', () => {
    const toClaude = told(openaiChat, inChat, anthropicMessages);
    expect(JSON.stringify(toClaude.body)).not.toMatch(/call_p|bad patch/);
    expect(toClaude.losses).toEqual(
      expect.arrayContaining(['hosted_tool:custom', 'tool_calls.custom', 'tool.custom', 'tool_choice']),
    );
    const toOthers = told(openaiResponses, inResponses, openaiChat);
    expect(JSON.stringify(toOthers.body)).not.toMatch(/call_p|bad patch/);
    expect(toOthers.losses).toEqual(
      expect.arrayContaining(['hosted_tool:custom', 'hosted_tool:custom_tool_call', 'tool_choice']),
    );
  });

  test('in lists of texts, too', () => {
    const pieces = ['a', 'b'].map((text) => ({ type: 'text', text }));
    const listed = [{ role: 'tool', tool_call_id: 'call_p', content: pieces }];
    const messages = [...(inChat.messages as unknown[]).slice(0, 2), ...listed];
    const { body } = told(openaiChat, { ...inChat, messages }, openaiResponses);
    const output = pieces.map(({ text }) => ({ type: 'input_text', text }));
    expect((body.input as unknown[]).at(-1)).toMatchObject({ call_id: 'call_p', output });
  });
});

const call = { id: 'call_p', type: 'custom', custom: { name: 'patch', input: '*** A' } };
const item = { type: 'custom_tool_call', status: 'completed', call_id: 'call_p', name: 'patch', input: '*** A' };

describe('an answer that calls one', () => {
  test('is told whole in either dialect', () => {
    const answered = openaiResponses.decodeResponse({ id: 'r', status: 'completed', output: [{ id: 'ctc_1', ...item }] });
    const inChoices = openaiChat.encodeResponse(answered, answerContext);
    expect(inChoices.losses).toEqual([]);
    expect(inChoices.body.choices).toMatchObject([
      { message: { content: null, tool_calls: [call] }, finish_reason: 'tool_calls' },
    ]);
    const message = { role: 'assistant', content: null, tool_calls: [call] };
    const choices = [{ index: 0, message, finish_reason: 'tool_calls' }];
    const inItems = openaiResponses.encodeResponse(openaiChat.decodeResponse({ id: 'c', choices }), answerContext);
    expect(inItems.losses).toEqual([]);
    expect(inItems.body).toMatchObject({ status: 'completed', output: [{ id: expect.stringMatching(/^ctc_/), ...item }] });
  });

  test('is told as a stream in either dialect', () => {
    const done = { type: 'response.output_item.done', output_index: 0, item: { id: 'ctc_1', ...item } };
    const response = { id: 'r', status: 'completed', output: [{ id: 'ctc_1', ...item }] };
    const events = [done, { type: 'response.completed', response }];
    const stream = Buffer.concat(events.map((event) => encodeFrame(JSON.stringify(event), event.type)));
    const asChunks = runTap(crossingTap(openaiResponses, openaiChat, { swallowUsage: false, choices: 1 }), [stream]);
    const [answer] = foldEvents(eventsOf(openaiChat, asChunks.out)).answers;
    expect(answer).toMatchObject({ parts: [{ raw: call }], finish: { reason: 'tool-calls' } });
    expect(asChunks.report.losses).toEqual([]);
    const pieces = [
      { index: 0, ...call, custom: { name: 'patch', input: '' } },
      { index: 0, custom: { input: '*** A' } },
    ];
    const chunks = [
      ...pieces.map((piece) => ({ index: 0, delta: { tool_calls: [piece] }, finish_reason: null })),
      { index: 0, delta: {}, finish_reason: 'tool_calls' },
    ];
    const spelled = [...chunks.map((choice) => JSON.stringify({ id: 'c', choices: [choice] })), '[DONE]'];
    const chunked = Buffer.concat(spelled.map((data) => encodeFrame(data)));
    const { out, report } = runTap(crossingTap(openaiChat, openaiResponses, { swallowUsage: false, choices: 1 }), [chunked]);
    expect(report.losses).toEqual([]);
    const types = [...out.toString().matchAll(/^event: (.*)$/gm)].map(([, type]) => type);
    expect(types.slice(2, -1)).toEqual([
      'response.output_item.added',
      'response.custom_tool_call_input.delta',
      'response.custom_tool_call_input.done',
      'response.output_item.done',
    ]);
    expect(foldEvents(eventsOf(openaiResponses, out)).answers).toMatchObject([{ parts: [{ raw: item }] }]);
  });
});

describe('the tools that may be called now', () => {
  const chatChoice = {
    type: 'allowed_tools',
    allowed_tools: {
      mode: 'required',
      tools: [
        { type: 'custom', custom: { name: 'patch' } },
        { type: 'function', function: { name: 'get_weather' } },
      ],
    },
  };
  const responsesChoice = {
    type: 'allowed_tools',
    mode: 'required',
    tools: [
      { type: 'custom', name: 'patch' },
      { type: 'function', name: 'get_weather' },
    ],
  };

  test('are told in either dialect', () => {
    const toResponses = told(openaiChat, { ...inChat, tool_choice: chatChoice }, openaiResponses);
    expect(toResponses).toMatchObject({ body: { tool_choice: responsesChoice }, losses: [] });
    const toChat = told(openaiResponses, { ...inResponses, tool_choice: responsesChoice }, openaiChat, ['custom_tools']);
    expect(toChat).toMatchObject({ body: { tool_choice: chatChoice }, losses: [] });
  });

  test('are the only ones where no list of them can be said', () => {
    const request = onlyAllowed(decoded(openaiResponses, { ...inResponses, tool_choice: responsesChoice }));
    expect(request).toMatchObject({ toolChoice: 'required', tools: [{ name: 'custom' }, { name: 'get_weather' }] });
    const { body } = anthropicMessages.encodeRequest(request, { model: 'm', defaultMaxTokens: 100 });
    expect(body).toMatchObject({ tool_choice: { type: 'any' }, tools: [{ name: 'get_weather' }] });
    const plain = decoded(openaiChat, inChat);
    expect(onlyAllowed(plain)).toBe(plain);
  });

  test('stay as they came where a hosted one is among them', () => {
    const tool_choice = { ...responsesChoice, tools: [...responsesChoice.tools, { type: 'image_generation' }] };
    const request = decoded(openaiResponses, { ...inResponses, tool_choice });
    expect(request.allowedTools).toBeUndefined();
    const { body } = openaiResponses.encodeRequest(request, { model: 'm', defaultMaxTokens: 100 });
    expect(body.tool_choice).toEqual(tool_choice);
  });
});

test('an answer repeats a choice among several as its caller said it', () => {
  const fixture = requests.find(({ name }) => name === 'openai-responses/tool-choice-allowed.request.json');
  const request = decoded(openaiResponses, fixture?.body ?? {});
  const { body } = openaiResponses.encodeResponse({ id: '', model: '', answers: [] }, { ...answerContext, request });
  expect(body.tool_choice).toEqual(asObject(fixture?.body.tool_choice));
});
