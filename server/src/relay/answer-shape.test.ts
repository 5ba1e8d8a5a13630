import { anthropicMessages, chat, clientDialect, geminiGenerate, openaiChat } from '@tollgate/wire';
import { describe, expect, test } from 'vitest';
import { unfolded } from './answer-shape.ts';

const charged = { prompt: 3, completion: 4, cached: 0, cacheWrite: 0, reasoning: 0, anomaly: false };
const context = { id: 'id', model: 'm', created: 1, wantsUsage: true, promptEstimate: 3 };
const response: chat.ChatResponse = {
  ...{ id: 'a', model: 'm', created: 1, usage: charged },
  answers: [
    {
      parts: [
        { kind: 'text', text: 'Hello' },
        { kind: 'tool-call', id: 'call_1', name: 'look', arguments: '{"at":1}' },
      ],
      finish: { reason: 'tool-calls', raw: 'tool_calls' },
    },
  ],
};

describe('a whole answer to a caller who asked for a stream', () => {
  test.each([openaiChat.dialect, anthropicMessages.dialect, geminiGenerate.dialect, clientDialect('openai-responses')])(
    'is a stream that says the same ($name)',
    (dialect) => {
      if (dialect === undefined) throw new Error('no such dialect');
      const body = Buffer.from(JSON.stringify(dialect.encodeResponse(response, context).body));
      const stream = unfolded(body, dialect.name, { wantsUsage: true, charged });
      const read = chat.decodeStreamed(dialect, stream);
      if (read.kind !== 'answer') throw new Error(read.kind);
      const [answer] = read.response.answers;
      expect(answer?.parts).toMatchObject([
        { kind: 'text', text: 'Hello' },
        { kind: 'tool-call', name: 'look', arguments: '{"at":1}' },
      ]);
      expect(answer?.finish?.reason).toBe('tool-calls');
      expect(read.response.usage).toMatchObject({ prompt: 3, completion: 4 });
    },
  );

  test.each([
    ['of a family without events', 'images', '{\n  "data": []\n}', 'data: {"data":[]}\n\n'],
    ['that is no JSON', 'openai-chat', 'a\nb', 'data: a b\n\n'],
  ])('%s is one event', (_, protocol, body, event) => {
    expect(unfolded(Buffer.from(body), protocol, { wantsUsage: true, charged }).toString()).toBe(event);
  });
});
