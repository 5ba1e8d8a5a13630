import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { asObject, asObjects } from '../src/json.ts';
import { type Fixture, fixtureFolders, fixtures } from './fixtures.ts';
import { cutAt, expectedOf, framesOf, runTap } from './stream-model.ts';

const all = fixtures();
const swallowing = [false, true] as const;

function choicesOf({ answer }: Fixture): number {
  return answer === undefined ? 1 : asObjects(JSON.parse(answer.toString()).choices).length;
}

function run(fixture: Fixture, chunks: readonly Buffer[], swallowUsage: boolean) {
  return runTap(fixture.protocol, chunks, { swallowUsage, choices: choicesOf(fixture) });
}

function parseAnswer(answer: Buffer): Record<string, unknown> {
  return asObject(JSON.parse(answer.toString())) ?? {};
}

test('every fixture folder belongs to a protocol, and none is empty', () => {
  expect(fixtureFolders()).toEqual([...new Set(all.map((fixture) => fixture.protocol.name))].sort());
  expect(all.length).toBeGreaterThanOrEqual(12);
});

describe.each(all)('$name', (fixture) => {
  const { protocol, stream } = fixture;

  test.each(swallowing)('passes through byte for byte, but for the frame we asked for (swallow: %s)', (swallow) => {
    const expected = expectedOf(protocol, stream, swallow);
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
      { numRuns: 60 },
    );
  });

  test('the tap reads the usage that decoding reads', () => {
    const { usage } = expectedOf(protocol, stream, false);
    for (const swallow of swallowing) expect(run(fixture, [stream], swallow).report.usage).toEqual(usage);
  });

  test('a cut anywhere neither throws nor counts as finished before its end has come', () => {
    const whole = run(fixture, [stream], true);
    let completeFrom: number | undefined;
    for (let cut = 0; cut <= stream.length; cut += 1) {
      const prefix = stream.subarray(0, cut);
      const { out, report, tail } = run(fixture, [prefix], true);
      expect(whole.report.text.startsWith(report.text)).toBe(true);
      const sent = out.subarray(0, out.length - (tail?.length ?? 0));
      expect(whole.out.subarray(0, sent.length).equals(sent)).toBe(true);
      if (report.complete) completeFrom ??= cut;
      else expect(completeFrom).toBeUndefined();
    }
    expect(completeFrom !== undefined).toBe(whole.report.complete);
    const { chunks, done } = protocol.decodeStream(stream.subarray(0, completeFrom ?? 0));
    const { choices } = protocol.foldChunks(chunks);
    const ended = asObjects(choices).filter((choice) => typeof choice.finish_reason === 'string').length;
    const isEnd = done || (ended >= choicesOf(fixture) && protocol.usageOf(protocol.foldChunks(chunks)) !== undefined);
    expect(isEnd).toBe(completeFrom !== undefined);
  });

  test('bytes broken at random neither throw nor stall', () => {
    const damage = fc.array(fc.tuple(fc.nat(stream.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(damage, fc.array(fc.nat(stream.length), { maxLength: 4 }), (hits, cuts) => {
        const broken = Buffer.from(stream);
        for (const [at, byte] of hits) broken[at] = byte;
        const { bytes, report } = run(fixture, cutAt(broken, cuts), true);
        expect(bytes).toBe(broken.length);
        expect(report.keptTextBytes).toBeLessThanOrEqual(report.textBytes);
      }),
      { numRuns: 60 },
    );
  });
});

describe.each(all.filter((fixture) => fixture.answer !== undefined))('$name, streamed and not', (fixture) => {
  const { protocol, stream, answer = Buffer.alloc(0) } = fixture;

  test('the folded stream is the answer', () => {
    expect(protocol.foldChunks(protocol.decodeStream(stream).chunks)).toEqual(parseAnswer(answer));
  });

  test('stream and answer give the same usage and the same text to count', () => {
    const reading = protocol.readResponse(answer);
    if (reading.kind !== 'answer') throw new Error(reading.kind);
    const { report } = run(fixture, [stream], true);
    expect(report.usage).toEqual(reading.usage);
    expect(report.complete).toBe(true);
    // Choices arrive interleaved, so only the letters are the same.
    expect([...report.text].sort().join('')).toBe([...reading.text()].sort().join(''));
    expect(reading.text()).toBe(protocol.answerText(parseAnswer(answer)));
  });

  test('an answer cut anywhere is never an answer', () => {
    const complete = answer.toString().trimEnd().length;
    for (let cut = 0; cut < Math.min(complete, answer.length - 1); cut += 1) {
      expect(protocol.readResponse(answer.subarray(0, cut)).kind).toBe('invalid');
    }
  });
});

describe.each([...new Set(all.map((fixture) => fixture.protocol))])('$name', (protocol) => {
  test('readers never throw on arbitrary JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 100, max: 599 }), (value, status) => {
        const body = Buffer.from(JSON.stringify(value));
        const reading = protocol.readResponse(body);
        if (reading.kind === 'answer') reading.text();
        expect(protocol.readError(status, body).message.length).toBeGreaterThan(0);
        const frame = Buffer.concat([Buffer.from('data: '), body, Buffer.from('\n\n')]);
        expect(runTap(protocol, [frame, frame], { swallowUsage: true }).report.complete).toBe(false);
        protocol.foldChunks(protocol.decodeStream(frame).chunks);
      }),
    );
  });

  test('an error event can be read back as the error it was built from', () => {
    const error = { message: 'no', type: 'server_error', param: null, code: 'x' };
    const { report, out } = runTap(protocol, [protocol.errorFrame(error)], { swallowUsage: false });
    expect(report.error).toEqual(error);
    expect(out.length).toBe(0);
    expect(protocol.readError(500, Buffer.from(protocol.errorBody(error)))).toEqual(error);
    expect(protocol.errorStatus(error)).toBe(502);
  });
});
