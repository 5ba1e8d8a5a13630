import { expect, test } from 'vitest';
import { foldEvents } from '../src/chat/fold.ts';
import { type JsonObject, upstreamDialect } from '../src/index.ts';
import { asText, block, broughtInAMoment, clients, many, name, numbered, pieces, timed, tooMany } from './linear-kit.ts';
import { answerContext } from './scenes.ts';

const chatCall = (id: number | string) => ({
  id: typeof id === 'string' ? id : `c${id}`,
  type: 'function',
  function: { name: name(Number(id) || 0), arguments: '{}' },
});
/** One character, which some dialects do not take in an id. */
const oddId = (k: number) => String.fromCharCode(0x4e00 + k);
const chatResult = (k: number) => ({ role: 'tool', tool_call_id: `c${k}`, content: 'ok' });
const members = Array.from({ length: many }, (_, k) => `p${k}`);
const declared = { type: 'object', properties: Object.fromEntries(members.map((key) => [key, {}])), required: members };
const oddName = (k: number) => `${k}`.padStart(7, '0').replace(/\d/g, (digit) => 'äöüßéèêëïî'[Number(digit)] ?? '');

broughtInAMoment('openai-chat', {
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
  'members of a message with calls': {
    messages: [{ role: 'assistant', tool_calls: pieces(() => ({})), ...numbered('m') }],
  },
  'ids that look alike': {
    messages: [
      asText('user')(0),
      {
        role: 'assistant',
        tool_calls: [...pieces((k) => chatCall(`__${many / 2 + k}`), many), ...pieces((k) => chatCall(oddId(k)), 20_000)],
      },
    ],
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
});

/** Of one stream. */
const frames = 20_000;
const mostMs = 5_000;
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
    timed('told', slow, mostMs, () => {
      const events = Array.from({ length: frames }, (_, k) => decoder?.push({ event: '', data: JSON.stringify(frame(k)) }) ?? []);
      for (const event of events.flat()) encoder.push(event);
      encoder.close(undefined);
      foldEvents(events.flat());
    });
    expect(slow).toEqual([]);
  },
  120_000,
);
