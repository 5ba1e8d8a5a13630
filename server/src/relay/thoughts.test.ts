import { chat } from '@tollgate/wire';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Asking, answered, ask, streamed } from '../../test/record-kit.ts';
import { readChannelSetting } from '../routing/channel-setting.ts';
import { answerChange } from './thoughts.ts';

const change = answerChange(readChannelSetting({ thinking_to_content: true }));
if (change === undefined) throw new Error('no change');
const folding = { channel: { setting: readChannelSetting({ thinking_to_content: true }) } };

test('without the setting nothing changes', () => {
  expect(answerChange(readChannelSetting({ force_format: true }))).toBeUndefined();
});

const text = fc.string({ maxLength: 8 });
const part = fc.oneof(
  fc.record({ kind: fc.constant('reasoning' as const), text: fc.oneof(text, fc.constant('')) }),
  fc.record({ kind: fc.constant('text' as const), text }),
  fc.record({ kind: fc.constant('tool-call' as const), text }),
);

/** The events of one choice, each text in pieces. */
function eventsOf(
  choice: number,
  parts: readonly { kind: 'reasoning' | 'text' | 'tool-call'; text: string }[],
): chat.ChatEvent[] {
  const head = (kind: 'reasoning' | 'text' | 'tool-call'): chat.PartHead =>
    kind === 'reasoning' ? { kind, dialect: 'd' } : kind === 'text' ? { kind } : { kind, id: 'c', name: 'f' };
  const events = parts.flatMap(({ kind, text: whole }, number): chat.ChatEvent[] => [
    { kind: 'part-start', choice, part: number, head: head(kind) },
    ...[...whole].map((piece) => ({ kind: 'delta', choice, part: number, text: piece }) as const),
    { kind: 'part-end', choice, part: number },
  ]);
  return [...events, { kind: 'finish', choice, finish: { reason: 'stop', raw: 'stop' } }];
}

test('a stream folds to what the whole answer becomes, whatever its parts', () => {
  fc.assert(
    fc.property(fc.array(fc.array(part, { maxLength: 6 }), { maxLength: 3 }), (choices) => {
      const events: chat.ChatEvent[] = [...choices.flatMap((parts, choice) => eventsOf(choice, parts)), { kind: 'end' }];
      const apply = change.events();
      const changed = events.flatMap((event) => apply(event));
      expect(chat.foldEvents(changed)).toEqual(change.response(chat.foldEvents(events)));
      for (const choice of choices.keys()) {
        const starts = changed.filter((event) => event.kind === 'part-start' && event.choice === choice);
        expect(starts.map((event) => ('part' in event ? event.part : -1))).toEqual(starts.map((_, number) => number));
      }
    }),
  );
});

test('a thought that comes at once is told like one that comes in pieces', () => {
  const apply = change.events();
  const whole: chat.ChatEvent = {
    ...{ kind: 'whole', choice: 0, part: 0 },
    value: { kind: 'reasoning', text: 'hm', dialect: 'd' },
  };
  const events: chat.ChatEvent[] = [whole, { kind: 'end' }];
  expect(chat.foldEvents(events.flatMap((event) => apply(event))).answers).toEqual([
    { parts: [{ kind: 'text', text: '<think>\nhm\n</think>\n' }] },
  ]);
});

describe('on the way to the caller', () => {
  const chunk = (delta: object, finish: string | null = null) =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const contentOf = (stream: string) =>
    [...stream.matchAll(/^data: (\{.*\})$/gm)]
      .flatMap(([, json]) => (JSON.parse(json ?? '') as { choices: { delta: { content?: string } }[] }).choices)
      .flatMap(({ delta }) => delta.content ?? []);
  const body = { model: 'm', stream: true, messages: [{ role: 'user', content: 'hi' }] };

  test('of the same dialect, streamed: marks stand around the thoughts, reasoning fields are gone', async () => {
    const upstream =
      chunk({ role: 'assistant', reasoning_content: 'let me ' }) +
      chunk({ reasoning_content: 'see' }) +
      chunk({ content: 'hel' }) +
      chunk({ content: 'lo' }) +
      chunk({}, 'stop') +
      'data: {"id":"c","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4,"total_tokens":7}}\n\n' +
      'data: [DONE]\n\n';
    const { text: stream, report } = streamed(await ask({ type: 1, body, ...folding }), Buffer.from(upstream));
    expect(contentOf(stream).join('')).toBe('<think>\nlet me see\n</think>\nhello');
    expect(contentOf(stream).find((content) => content !== '')).toBe('<think>\nlet me ');
    expect(stream).not.toContain('reasoning_content');
    expect(stream).toMatch(/data: \[DONE\]\n\n$/);
    expect(report).toMatchObject({ complete: true, usage: { prompt: 3, completion: 4 } });
  });

  const answer = {
    ...{ id: 'c', object: 'chat.completion', created: 1, model: 'm' },
    choices: [{ index: 0, message: { role: 'assistant', reasoning_content: 'hm', content: 'yes' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
  };
  const jsonOf = (reading: ReturnType<typeof answered>) => {
    if (!('json' in reading)) throw new Error('no answer');
    return reading.json;
  };
  const whole = (asking: Partial<Asking>) => ask({ type: 1, body: { ...body, stream: false }, ...asking });

  test('of the same dialect, whole', async () => {
    const json = jsonOf(answered(await whole(folding), answer));
    expect(json.choices).toMatchObject([{ message: { content: '<think>\nhm\n</think>\nyes' }, finish_reason: 'stop' }]);
    expect(JSON.stringify(json)).not.toContain('reasoning_content');
  });

  test('of another dialect', async () => {
    const claude = {
      ...{ id: 'a', type: 'message', role: 'assistant', model: 'm', stop_reason: 'end_turn' },
      content: [
        { type: 'thinking', thinking: 'hm', signature: 's' },
        { type: 'text', text: 'yes' },
      ],
      usage: { input_tokens: 3, output_tokens: 4 },
    };
    const json = jsonOf(answered(await whole({ type: 14, ...folding }), claude));
    expect(json.choices).toMatchObject([{ message: { content: '<think>\nhm\n</think>\nyes' } }]);
  });

  test('a caller of blocks gets the thoughts as a block of text', async () => {
    const messages = { protocol: 'anthropic-messages', body: { model: 'm', max_tokens: 9, messages: body.messages } };
    const json = jsonOf(answered(await whole({ ...messages, ...folding }), answer));
    expect(json.content).toEqual([
      { type: 'text', text: '<think>\nhm\n</think>\n' },
      { type: 'text', text: 'yes' },
    ]);
  });

  test('force_format spells every chunk in the plain shape, with what the vendor adds in its own place', async () => {
    const plain = { channel: { setting: readChannelSetting({ force_format: true }) } };
    const odd = `data: {"choices":[{"delta":{"content":"hi"},"index":0}],"nonsense":1}\n\n${chunk({}, 'stop')}data: [DONE]\n\n`;
    const { text: stream } = streamed(await ask({ type: 1, body, ...plain }), Buffer.from(odd));
    const chunks = [...stream.matchAll(/^data: (\{.*\})$/gm)].map(
      ([, json]) => JSON.parse(json ?? '') as Record<string, unknown>,
    );
    for (const one of chunks) expect(one).toMatchObject({ object: 'chat.completion.chunk', model: 'm', created: 1 });
    expect(contentOf(stream)).toContain('hi');
    const same = streamed(await ask({ type: 1, body }), Buffer.from(odd));
    expect(same.text).toBe(odd);
  });

  test('a refusal stays a refusal', async () => {
    const outgoing = await whole(folding);
    expect(outgoing.answer.read(Buffer.from('{"error":{"message":"no"}}'))).toMatchObject({ kind: 'error' });
    expect(outgoing.answer.readError(429, Buffer.from('{"error":{"message":"slow"}}'))).toMatchObject({ message: 'slow' });
  });
});
