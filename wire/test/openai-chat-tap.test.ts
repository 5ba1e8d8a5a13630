import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { asObjects } from '../src/json.ts';
import { answerText, readResponse } from '../src/openai-chat/response.ts';
import { parsed, streams } from './fixtures.ts';
import { cutAt, framesOf } from './scenes.ts';
import { expectedOf, runChatTap } from './stream-model.ts';

/** Laws of the tap that reads streams by their bytes, and may keep the usage from the caller. */
const all = streams
  .filter(({ dialect }) => dialect.name === 'openai-chat')
  .map(({ name, bytes, sibling }) => ({ name, stream: bytes, answer: sibling }));

type Fixture = (typeof all)[number];
const swallowing = [false, true] as const;

function choicesOf({ answer }: Fixture): number {
  return answer === undefined ? 1 : asObjects(JSON.parse(answer.toString()).choices).length;
}

function run(fixture: Fixture, chunks: readonly Buffer[], swallowUsage: boolean) {
  return runChatTap(chunks, { swallowUsage, choices: choicesOf(fixture) });
}

describe.each(all)('$name', (fixture) => {
  const { stream } = fixture;

  test.each(swallowing)('passes through byte for byte, but for the frame we asked for (swallow: %s)', (swallow) => {
    const expected = expectedOf(stream, swallow);
    const { out, report } = run(fixture, framesOf(stream), swallow);
    expect(out.toString()).toBe(expected.forwarded.toString());
    expect(report.events).toBe(expected.events);
    expect(report.error !== undefined).toBe(expected.failed);
  });

  test.each(swallowing)('any re-chunking gives the same bytes and the same report (swallow: %s)', (swallow) => {
    const whole = run(fixture, [stream], swallow);
    const bytewise = run(fixture, cutAt(stream, [...stream.keys()].slice(1)), swallow);
    expect({ out: bytewise.out.toString(), report: bytewise.report }).toEqual({
      out: whole.out.toString(),
      report: whole.report,
    });
    const offsets = fc.array(fc.nat(stream.length), { maxLength: 12 });
    fc.assert(
      fc.property(offsets, (cuts) => {
        const { out, report } = run(fixture, cutAt(stream, cuts), swallow);
        expect(out.equals(whole.out)).toBe(true);
        expect(report).toEqual(whole.report);
      }),
      { numRuns: 15 },
    );
  });

  test('the tap reads the usage that decoding reads', () => {
    const { usage } = expectedOf(stream, false);
    for (const swallow of swallowing) expect(run(fixture, [stream], swallow).report.usage).toEqual(usage);
  });

  test('a cut anywhere neither throws nor counts as finished before its end has come', () => {
    const whole = run(fixture, [stream], true);
    let completeFrom: number | undefined;
    const stride = stream.length > 2000 ? 3 : 1;
    for (let cut = 0; cut <= stream.length; cut += stride) {
      const prefix = stream.subarray(0, cut);
      const { out, report, tail } = run(fixture, [prefix], true);
      expect(whole.report.text.startsWith(report.text)).toBe(true);
      const sent = out.subarray(0, out.length - (tail?.length ?? 0));
      expect(whole.out.subarray(0, sent.length).equals(sent)).toBe(true);
      if (report.complete) completeFrom ??= cut;
      else expect(completeFrom).toBeUndefined();
    }
    expect(completeFrom !== undefined).toBe(whole.report.complete);
  });
});

describe.each(all.filter((fixture) => fixture.answer !== undefined))('$name, streamed and not', (fixture) => {
  const { stream, answer = Buffer.alloc(0) } = fixture;

  test('stream and answer give the same usage and the same text to count', () => {
    const reading = readResponse(answer);
    if (reading.kind !== 'answer') throw new Error(reading.kind);
    const { report } = run(fixture, [stream], true);
    expect(report.usage).toEqual(reading.usage);
    expect(report.complete).toBe(true);
    // Choices arrive interleaved, so only the letters are the same.
    expect([...report.text].sort().join('')).toBe([...reading.text()].sort().join(''));
    expect(reading.text()).toBe(answerText(parsed(answer)));
  });

  test('an answer cut anywhere is never an answer', () => {
    const complete = answer.toString().trimEnd().length;
    for (let cut = 0; cut < Math.min(complete, answer.length - 1); cut += 1) {
      expect(readResponse(answer.subarray(0, cut)).kind).toBe('invalid');
    }
  });
});
