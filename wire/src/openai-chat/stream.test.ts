import { describe, expect, test } from 'vitest';
import type { TapOptions } from '../tap.ts';
import { createTap, doneFrame, usageFrame } from './stream.ts';

function chunk(content: string, more: object = {}): string {
  const choices = [{ index: 0, delta: { content }, finish_reason: null }];
  return `data: ${JSON.stringify({ id: 'c1', model: 'm', created: 7, choices, ...more })}\n\n`;
}
const finish = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n`;
const usage = `data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}\n\n`;
const done = 'data: [DONE]\n\n';
const failure = 'data: {"error":{"message":"boom","type":"t","param":null,"code":429}}\n\n';

function run(parts: readonly (string | Buffer)[], options: Partial<TapOptions> = {}) {
  const tap = createTap({ swallowUsage: false, ...options });
  const out = parts.map((part) => tap.push(Buffer.from(part))?.toString());
  return { tap, out, end: tap.end() };
}

test('what is written into a tool that takes a text is counted as arguments are', () => {
  const pieces = [{ id: 'c', type: 'custom', custom: { name: 'patch', input: '' } }, { custom: { input: '*** A' } }];
  const chunks = pieces.map((piece) => {
    const choices = [{ index: 0, delta: { tool_calls: [{ index: 0, ...piece }] }, finish_reason: null }];
    return `data: ${JSON.stringify({ id: 'c1', choices })}\n\n`;
  });
  expect(run(chunks).end.text()).toBe('patch*** A');
});

describe('forwarding', () => {
  test('a chunk of whole frames is handed out as the same Buffer', () => {
    const tap = createTap({ swallowUsage: true });
    tap.push(Buffer.from(chunk('a')));
    const next = Buffer.from(chunk('b') + chunk('c'));
    expect(tap.push(next)).toBe(next);
  });

  test('an ordinary event after others passes as it is, wherever it lies, and counts like any other', () => {
    const tap = createTap({ swallowUsage: false, maxEvents: 4 });
    const passes = (text: string) => tap.passes?.(Buffer.from(`xx${text}yy`), 2, 2 + Buffer.byteLength(text));
    expect(passes(chunk('a'))).toBe(false);
    tap.push(Buffer.from(chunk('a')));
    for (const text of [': ping\n\n', chunk('b') + chunk('c'), chunk('b').slice(0, -1), finish, usage, done])
      expect([text, passes(text)]).toEqual([text, false]);
    expect([chunk('b'), chunk('你')].map(passes)).toEqual([true, true]);
    expect(tap).toMatchObject({ events: 3, closed: false });
    // What is pending comes first.
    tap.push(Buffer.from(chunk('d').slice(0, 9)));
    expect(passes(chunk('e'))).toBe(false);
    expect(tap.push(Buffer.from(chunk('d').slice(9)))?.toString()).toBe(chunk('d'));
    // One more than may come.
    expect(passes(chunk('e'))).toBe(false);
    expect(tap.push(Buffer.from(chunk('e')))).toBeUndefined();
    expect(tap.end().fault).toBe('too-many-events');
    expect(tap.events).toBe(5);
    expect(tap.end().text()).toBe('ab你de');
    expect(passes(chunk('f'))).toBe(false);
  });

  test('nothing passes behind the end', () => {
    const tap = createTap({ swallowUsage: false });
    tap.push(Buffer.from(chunk('a')));
    const next = Buffer.from(chunk('b'));
    tap.end();
    expect(tap.passes?.(next, 0, next.length)).toBe(false);
  });

  test('nothing after the terminator is forwarded, not even in the same chunk', () => {
    const { out, tap } = run([chunk('a') + done + chunk('b') + done, chunk('c')]);
    expect(out).toEqual([chunk('a') + done, undefined]);
    expect(tap.closed).toBe(true);
  });

  test('the end of a stream that said nothing is no answer: another channel may give one', () => {
    for (const before of ['', ': ping\n\n', 'data: no JSON\n\n']) {
      const { out, tap, end } = run([before + done], { holdDone: true });
      expect([out, tap.begun, tap.closed, end.complete, end.closing(end.usage ?? { prompt: 1, completion: 0 })]).toEqual([
        ...[[undefined], false, true, false],
        undefined,
      ]);
    }
    expect(run([chunk(''), done]).end.complete).toBe(true);
  });

  test('comments wait for the first event, so that a failing upstream leaves no trace', () => {
    const { out } = run([': ping\n\n', ': ping\n\n', chunk('a')]);
    expect(out).toEqual([undefined, undefined, `: ping\n\n: ping\n\n${chunk('a')}`]);
  });

  test('an incomplete frame waits for its end', () => {
    const text = chunk('a');
    expect(run([text.slice(0, 20), text.slice(20, 40), text.slice(40)]).out).toEqual([undefined, undefined, text]);
  });

  test('exactly the usage frame is swallowed, wherever it stands in its chunk', () => {
    const { out, end } = run([chunk('a'), finish + usage + done], { swallowUsage: true });
    expect(out).toEqual([chunk('a'), finish + done]);
    expect(end.usage).toMatchObject({ prompt: 3, completion: 2 });
    expect(run([chunk('a'), finish + usage + done]).out[1]).toBe(finish + usage + done);
  });

  test('a last event without its blank line is completed, so that an event behind it stays readable', () => {
    expect(run([chunk('a'), 'data: [DONE]']).end).toMatchObject({ complete: true, tail: doneFrame });
    expect(run([chunk('a'), 'data: [DONE]\n']).end.tail?.toString()).toBe(done);
    expect(run([chunk('a'), 'data: [DON']).end).toMatchObject({ complete: false, tail: undefined });
    expect(run([chunk('a').trimEnd()]).end.tail?.toString()).toBe(chunk('a'));
  });

  test('a whole answer without a terminator gets one, a cut one does not', () => {
    const charged = { prompt: 3, completion: 2 };
    const last = (chunks: string[], more = {}) => run(chunks, more).end.closing(charged)?.toString();
    expect(last([chunk('a'), finish + usage])).toBe(done);
    expect(last([chunk('a'), finish + usage], { swallowUsage: true })).toBe(done);
    expect(last([chunk('a'), finish + usage.trimEnd()])).toBe(usage + done);
    expect([last([chunk('a'), finish + usage + done]), last([chunk('a'), finish])]).toEqual([undefined, undefined]);
  });

  test('the terminator can be held back while the usage is missing', () => {
    const held = run([chunk('a'), finish + done], { holdDone: true });
    expect(held.out[1]).toBe(finish);
    expect(held.end.tail).toEqual(doneFrame);
    const made = usageFrame(held.end.head, { prompt: 4, completion: 1 });
    expect(JSON.parse(made.toString().slice(6))).toMatchObject({ id: 'c1', choices: [], usage: { total_tokens: 5 } });
    expect(run([chunk('a'), usage + done], { holdDone: true }).out[1]).toBe(usage + done);
  });
});

describe('what the relay decides on', () => {
  test('an error as the first event is kept back and reported', () => {
    const { out, tap, end } = run([': ping\n\n', failure, chunk('a')]);
    expect(out).toEqual([undefined, undefined, undefined]);
    expect([tap.begun, tap.closed]).toEqual([false, true]);
    expect(end).toMatchObject({ complete: false, error: { message: 'boom', type: 't', param: null, code: 429 } });
  });

  test('an error after content goes to the client as it is, and no terminator follows it', () => {
    const { out, end } = run([chunk('a'), failure + done]);
    expect(out).toEqual([chunk('a'), failure]);
    expect(end).toMatchObject({ complete: false, error: { message: 'boom' } });
  });

  const named = 'event: error\ndata: {"code":"InvalidParameter","message":"boom key-1"}\n\n';

  test('an event that is called an error is one, as in every other dialect', () => {
    expect(run([named]).end).toMatchObject({ complete: false, error: { message: 'boom key-1' } });
    expect(run([named]).tap.begun).toBe(false);
    // Clients know an error by its member of that name, whatever the event is called.
    const { out, end } = run([chunk('a'), named + done], { hide: (text) => text.replace('key-1', '***') });
    expect(out).toEqual([chunk('a'), undefined]);
    expect(end.complete).toBe(false);
    const told = /^data: (.*)\n\n$/.exec(end.closing({ prompt: 1, completion: 1 })?.toString() ?? '')?.[1] ?? '{}';
    expect(JSON.parse(told)).toMatchObject({ error: { message: 'boom ***' } });
  });

  const refusal = 'data: {"success":false,"message":"no"}\n\n';

  test.each([
    ['at its end', [refusal]],
    ['with a terminator', [refusal + done]],
  ])('a refusal in a shape of its own, and nothing else, is no answer: %s', (_, parts) => {
    const { out, tap, end } = run(parts);
    expect([out, tap.begun]).toEqual([[undefined], false]);
    expect(end).toMatchObject({ complete: false, error: { message: 'no' } });
  });

  test('what was said before an answer goes with it', () => {
    const { out, end } = run([refusal, chunk('a'), finish + usage + done]);
    expect(out).toEqual([undefined, refusal + chunk('a'), finish + usage + done]);
    expect([end.complete, end.error]).toEqual([true, undefined]);
  });

  test('"error": null is a normal chunk', () => {
    const normal = chunk('a', { error: null });
    expect(run([normal]).out).toEqual([normal]);
  });

  test('a stream that is no stream is handed back as far as it came', () => {
    const { end, tap } = run(['<html>', '<body>sign in</body>']);
    expect(tap.begun).toBe(false);
    expect(end.unsent.toString()).toBe('<html><body>sign in</body>');
    expect(run([chunk('a'), '<html>']).end.unsent).toHaveLength(0);
  });

  test.each([
    ['content only', [chunk('a')], false],
    ['finish, no usage', [chunk('a'), finish], false],
    ['usage, no finish', [chunk('a'), usage], false],
    ['finish and usage', [chunk('a'), finish, usage], true],
    ['a bare terminator', [chunk('a'), done], true],
    ['nothing', [], false],
  ])('complete: %s', (_, parts, complete) => {
    expect(run(parts).end.complete).toBe(complete);
  });

  test('every choice must finish', () => {
    expect(run([chunk('a'), finish, usage], { choices: 2 }).end.complete).toBe(false);
    const second = finish.replace('"index":0', '"index":1');
    expect(run([chunk('a'), finish, second, usage], { choices: 2 }).end.complete).toBe(true);
  });

  test('events and text are metered while the stream runs', () => {
    const { tap, end } = run([chunk('a'), chunk('bc'), chunk('d"'), finish, usage, done]);
    // A quote takes two bytes in JSON.
    expect([tap.events, tap.textBytes]).toEqual([5, 6]);
    expect(end.text()).toBe('abcd"');
  });
});

describe('bounds', () => {
  test('up to three illegal events are skipped, the fourth ends the stream as cut', () => {
    const bad = ['data: {"a":\n\n', 'data: []\n\n', 'data: nonsense\n\n'];
    const three = run([chunk('a'), bad.join('') + chunk('b') + done]);
    expect(three.out[1]).toBe(chunk('b') + done);
    expect(three.end).toMatchObject({ complete: true, fault: undefined });
    const four = run([chunk('a'), bad.join(''), `data: 5\n\n${done}`]);
    expect(four.end).toMatchObject({ fault: 'malformed', complete: false });
    expect(four.out).toEqual([chunk('a'), undefined, undefined]);
  });

  test('a frame longer than the bound ends the stream, in one piece or in many', () => {
    const long = `data: ${'x'.repeat(3000)}`;
    const { tap, end } = run([chunk('a'), ...(long.match(/.{1,100}/g) ?? []), chunk('b')], { maxFrameBytes: 2000 });
    expect([tap.closed, end.fault, end.complete]).toEqual([true, 'frame-too-long', false]);
  });

  test('comments without any event are bounded too', () => {
    const comment = `: ${'x'.repeat(100_000)}\n\n`;
    expect(run(Array.from({ length: 12 }, () => comment)).end.fault).toBe('frame-too-long');
  });

  test('the number of events is bounded', () => {
    const { out, end } = run([chunk('a'), chunk('b'), chunk('c') + chunk('d')], { maxEvents: 3 });
    expect(out[2]).toBe(chunk('c'));
    expect(end.fault).toBe('too-many-events');
  });

  test('kept text is a prefix; what is beyond is measured', () => {
    const { end } = run(
      Array.from({ length: 20 }, () => chunk('0123456789')),
      { keepBytes: 55 },
    );
    expect(end).toMatchObject({ textBytes: 200, keptTextBytes: 50 });
    expect(end.text()).toBe('0123456789'.repeat(5));
  });

  test('a long frame in one-byte pieces costs linear work', () => {
    const tap = createTap({ swallowUsage: false });
    const text = Buffer.from(chunk('x'.repeat(400_000)));
    let size = 0;
    for (let at = 0; at < text.length; at += 1) size += tap.push(text.subarray(at, at + 1))?.length ?? 0;
    expect(size).toBe(text.length);
  });
});

test('the tier that the last chunk tells is known at the end, whether the usage stands in it or not', () => {
  const told = (tier: string) => ({ service_tier: tier });
  const ordinary = [chunk('a', told('priority')), chunk('b', told('priority')), chunk('c', told('priority'))];
  expect(run([...ordinary, usage, done]).end.served).toEqual({ serviceTier: 'priority' });
  const downgraded = `data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2},"service_tier":"default"}\n\n`;
  expect(run([...ordinary, downgraded, done]).end.served).toEqual({ serviceTier: 'default' });
  expect(run([chunk('a'), usage, done]).end.served).toBeUndefined();
});
