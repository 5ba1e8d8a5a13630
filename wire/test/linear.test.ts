import { describe, expect, test } from 'vitest';
import { foldEvents } from '../src/chat/fold.ts';
import { renameFunctions } from '../src/chat/function-names.ts';
import type { ChatRequest } from '../src/chat/request.ts';
import { type chat, clientDialects, type JsonObject, upstreamDialect } from '../src/index.ts';
import { fixtureFolders } from './fixtures.ts';
import { answerContext, decodeRequest, extensions } from './scenes.ts';

/**
 * A caller may send a million small pieces in one request, and while they are brought to another dialect nobody else is
 * answered. Whoever looks at all earlier pieces for each one takes minutes for these conversations.
 */
const many = 100_000;
/** More than a call takes arguments. */
const tooMany = 200_000;
const mostMs = 5_000;

const pieces = (make: (k: number) => JsonObject, count = many) => Array.from({ length: count }, (_, k) => make(k));
const name = (k: number) => `f${k % 3}`;
const backwards = (k: number) => `c${many - 1 - k}`;

const asText = (role: string) => (k: number) => ({ role, content: `${k}` });
const chatCall = (k: number) => ({ id: `c${k}`, type: 'function', function: { name: name(k), arguments: '{}' } });
const chatResult = (k: number) => ({ role: 'tool', tool_call_id: `c${k}`, content: 'ok' });
const block = (k: number) => ({ type: 'text', text: `${k}` });
const use = (id: string, k: number) => ({ type: 'tool_use', id, name: name(k), input: {} });
const sealed = () => ({ type: 'redacted_thinking', data: 'foreign.call.gemini-generate.c2ln' });
const responseCall = (id: string, k: number) => ({ type: 'function_call', call_id: id, name: name(k), arguments: '{}' });
const responseResult = (id: string) => ({ type: 'function_call_output', call_id: id, output: 'ok' });
const functionCall = (k: number) => ({ functionCall: { name: name(k), args: {} } });
const functionResponse = (called: string) => ({ functionResponse: { name: called, response: { output: 'ok' } } });
const members = Array.from({ length: many }, (_, k) => `p${k}`);
const declared = { type: 'object', properties: Object.fromEntries(members.map((key) => [key, {}])), required: members };
const oddName = (k: number) => `${k}`.padStart(7, '0').replace(/\d/g, (digit) => 'äöüßéèêëïî'[Number(digit)] ?? '');

/** Conversations by what there is much of, as each dialect's callers spell them. */
const conversations: Readonly<Record<string, Readonly<Record<string, JsonObject>>>> = {
  'openai-chat': {
    'results without calls': { messages: pieces(() => ({ role: 'tool' })) },
    'results of one turn, last one first': {
      messages: [{ role: 'assistant', tool_calls: pieces(chatCall) }, ...pieces((k) => chatResult(many - 1 - k))],
    },
    'results by name': {
      messages: [
        { role: 'assistant', function_call: { name: 'f0', arguments: '{}' } },
        ...pieces(() => ({ role: 'assistant', function_call: { name: 'f1', arguments: '{}' } })),
        ...pieces(() => ({ role: 'function', name: 'f0', content: 'ok' })),
      ],
    },
    'calls with their results': {
      messages: pieces((k) => (k % 2 === 0 ? { role: 'assistant', tool_calls: [chatCall(k)] } : chatResult(k - 1))),
    },
    'turns of the user': { messages: pieces(asText('user')) },
    'turns of the model': { messages: pieces(asText('assistant')) },
    'turns of several parts': { messages: pieces((k) => ({ role: 'user', content: [block(k), block(k)] })) },
    'alternating turns': { messages: pieces((k) => asText(k % 2 === 0 ? 'user' : 'assistant')(k)) },
    'instructions in front': { messages: [...pieces(asText('system')), asText('user')(0)] },
    'instructions within': { messages: [asText('user')(0), ...pieces(asText('system'))] },
    'parts of the user': { messages: [asText('user')(0), { role: 'user', content: pieces(block, tooMany) }] },
    'parts of instructions': { messages: [{ role: 'system', content: pieces(block, tooMany) }, asText('user')(0)] },
    'parts of instructions within': { messages: [asText('user')(0), { role: 'system', content: pieces(block, tooMany) }] },
    'functions and their names': {
      messages: [asText('user')(0)],
      tools: pieces((k) => ({ type: 'function', function: { name: oddName(k) } })),
    },
    'required properties': {
      messages: [asText('user')(0)],
      tools: [{ type: 'function', function: { name: 'f', parameters: declared } }],
    },
  },
  'anthropic-messages': {
    'results of one turn, last one first': {
      messages: [
        { role: 'assistant', content: pieces((k) => use(`c${k}`, k)) },
        { role: 'user', content: pieces((k) => ({ type: 'tool_result', tool_use_id: backwards(k), content: 'ok' })) },
      ],
    },
    'calls and results without ids': {
      messages: [
        { role: 'assistant', content: pieces((k) => use('', k)) },
        { role: 'user', content: pieces(() => ({ type: 'tool_result', content: 'ok' })) },
      ],
    },
    'turns of the user': { messages: pieces(asText('user')) },
    'turns of several parts': { messages: pieces((k) => ({ role: 'assistant', content: [block(k), block(k)] })) },
    'parts and signatures of a call': {
      messages: [{ role: 'assistant', content: [use('c', 0), ...pieces(block), ...pieces(sealed)] }],
    },
    'instructions within': {
      messages: [{ role: 'user', content: pieces((k) => ({ type: 'mid_conv_system', content: [block(k)] }), tooMany) }],
    },
    instructions: { system: pieces(block), messages: [asText('user')(0)] },
  },
  'openai-responses': {
    'results of one turn, last one first': {
      input: [...pieces((k) => responseCall(`c${k}`, k)), ...pieces((k) => responseResult(backwards(k)))],
    },
    'calls with their results': {
      input: pieces((k) => (k % 2 === 0 ? responseCall(`c${k}`, k) : responseResult(`c${k - 1}`))),
    },
    'turns of the user': { input: pieces(asText('user')) },
    'turns of the model': { input: pieces(asText('assistant')) },
    'parts of the model': {
      input: [{ role: 'assistant', content: pieces((k) => ({ ...block(k), type: 'output_text' }), tooMany) }],
    },
    'parts of instructions': {
      input: [{ role: 'developer', content: pieces((k) => ({ ...block(k), type: 'input_text' }), tooMany) }, asText('user')(0)],
    },
    thoughts: { input: pieces((k) => ({ type: 'reasoning', id: `r${k}`, summary: [{ type: 'summary_text', text: `${k}` }] })) },
  },
  'gemini-generate': {
    'calls and results without ids': {
      contents: [
        { role: 'model', parts: pieces(functionCall) },
        { role: 'user', parts: pieces((k) => functionResponse(name(k))) },
      ],
    },
    'results of other functions': {
      contents: [
        { role: 'model', parts: pieces(functionCall) },
        { role: 'user', parts: pieces(() => functionResponse('another')) },
      ],
    },
    'chunks of an answer': { contents: pieces((k) => ({ role: 'model', parts: [{ text: `${k}` }] })) },
    'turns of the user': { contents: pieces((k) => ({ role: 'user', parts: [{ text: `${k}` }] })) },
    'parts of the user': { contents: [{ role: 'user', parts: pieces((k) => ({ text: `${k}` })) }] },
  },
};

const upstreams = fixtureFolders().flatMap((folder) => upstreamDialect(folder) ?? []);
const clients = new Map(clientDialects.map((dialect) => [dialect.name, dialect]));

function timed<T>(what: string, slow: string[], work: () => T): T {
  const from = performance.now();
  const result = work();
  const took = performance.now() - from;
  if (took > mostMs) slow.push(`${what}: ${Math.round(took)} ms`);
  return result;
}

/** As the relay does, names first where the target does not take all of them. */
function encoded(request: ChatRequest, to: chat.UpstreamDialect) {
  const renamed = to.functionNames && renameFunctions(request, to.functionNames);
  return to.encodeRequest(renamed?.request ?? request, { model: 'm', defaultMaxTokens: 4096, extensions });
}

describe.each([...clients.values()].filter(({ name: dialect }) => conversations[dialect] !== undefined))('$name', (client) => {
  test.each(Object.entries(conversations[client.name] ?? {}))(
    'much of one thing is brought to every dialect in a moment: %s',
    (_, body) => {
      const slow: string[] = [];
      const request = timed('read', slow, () => decodeRequest(client, { model: 'm', ...body }));
      for (const to of upstreams) timed(`to ${to.name}`, slow, () => JSON.stringify(encoded(request, to).body));
      expect(slow).toEqual([]);
    },
    120_000,
  );
});

/** Of one stream. */
const frames = 20_000;
const chunk = (more: JsonObject, delta?: JsonObject) => ({
  id: 'x',
  choices: delta === undefined ? [] : [{ index: 0, delta }],
  ...more,
});
const callPiece = (index: number, text: string) => ({
  tool_calls: [{ index, id: `c${index}`, function: { name: 'f', arguments: text } }],
});

/** Streams by what there is much of. */
const streams: Readonly<Record<string, Readonly<Record<string, (k: number) => JsonObject>>>> = {
  'openai-chat': {
    'members of its own': (k) => chunk({ [`e${k}`]: k }, k % 100 === 0 ? { content: 'a' } : undefined),
    sources: (k) => chunk({}, k === 0 ? { annotations: pieces(() => ({ url: 'u' }), tooMany) } : { content: 'a' }),
    'pieces of a call while another waits': (k) =>
      chunk({}, k === 1 ? callPiece(1, '{}') : callPiece(0, k === 0 ? '{"a":"' : 'x'.repeat(200))),
  },
  'anthropic-messages': {
    'members of its own': (k) => ({ type: 'message_delta', delta: { [`d${k}`]: k }, usage: { [`u${k}`]: k, output_tokens: k } }),
  },
  'gemini-generate': {
    'members of its own': (k) => ({ [`e${k}`]: k, candidates: [] }),
    sources: (k) => ({ candidates: [{ citationMetadata: { citationSources: [{ uri: `u${k % 255}` }] } }] }),
  },
};

const answers = Object.entries(streams).flatMap(([dialect, kinds]) =>
  Object.entries(kinds).flatMap(([kind, frame]) => [...clients.values()].map((to) => ({ from: dialect, kind, frame, to }))),
);

test.each(answers)(
  'an answer with many $kind of $from is brought to $to.name in a moment',
  ({ from, frame, to }) => {
    const decoder = upstreamDialect(from)?.createDecoder();
    const encoder = to.createEncoder(answerContext);
    const slow: string[] = [];
    timed('told', slow, () => {
      const events = Array.from({ length: frames }, (_, k) => decoder?.push({ event: '', data: JSON.stringify(frame(k)) }) ?? []);
      for (const event of events.flat()) encoder.push(event);
      encoder.close(undefined);
      foldEvents(events.flat());
    });
    expect(slow).toEqual([]);
  },
  120_000,
);
