import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foldEvents } from '../src/chat/fold.ts';
import type { ChatEvent } from '../src/chat/response.ts';
import { parsed, streams } from './fixtures.ts';
import { answerContext, cutAt, eventsByFrame, eventsOf, framesOf, runTap, tapsOf } from './scenes.ts';

const taps = streams.flatMap((fixture) =>
  Object.entries(tapsOf(fixture.dialect, fixture.client)).map(([kind, createTap]) => ({ ...fixture, kind, createTap })),
);

describe.each(streams)('$name', ({ dialect, bytes }) => {
  test('its events are legal', () => {
    expect(illegal(eventsOf(dialect, bytes))).toBeUndefined();
  });
});

const paired = streams.flatMap(({ sibling, ...fixture }) => (sibling === undefined ? [] : [{ ...fixture, sibling }]));

test.each(paired)('$name folded is the whole answer', ({ dialect, bytes, sibling }) => {
  expect(foldEvents(eventsOf(dialect, bytes))).toEqual(dialect.decodeResponse(parsed(sibling)));
});

const ofClients = streams.flatMap(({ client, ...fixture }) => (client === undefined ? [] : [{ ...fixture, client }]));

test.each(ofClients)('$name can be said again in the same dialect, with the same meaning', ({ client, bytes }) => {
  const events = eventsOf(client, bytes);
  const encoder = client.createEncoder(answerContext);
  const out = events.map((event) => encoder.push(event) ?? Buffer.alloc(0));
  const { usage, answers } = foldEvents(events);
  const failed = events.some(({ kind }) => kind === 'error');
  const again = eventsOf(client, Buffer.concat([...out, failed ? Buffer.alloc(0) : encoder.close(usage)]));
  expect(illegal(again)).toBeUndefined();
  expect(again.some(({ kind }) => kind === 'error')).toBe(failed);
  expect(encoder.losses).toEqual([]);
  const ends = (list: typeof answers) => list.map(({ finish }) => finish?.reason ?? 'stop');
  const parts = (list: typeof answers) => list.map((answer) => answer.parts);
  expect(parts(foldEvents(again).answers)).toEqual(parts(answers));
  if (!failed) expect(ends(foldEvents(again).answers)).toEqual(ends(answers));
});

/** The first event that may not stand where it does. */
function illegal(events: readonly ChatEvent[]): ChatEvent | undefined {
  const open = new Map<number, number>();
  const next = new Map<number, number>();
  const finished = new Set<number>();
  let isOver = false;
  return events.find((event) => {
    if (isOver) return true;
    if (event.kind === 'end' || event.kind === 'error') isOver = true;
    if (!('choice' in event)) return false;
    const { choice } = event;
    if (event.kind === 'finish') {
      finished.add(choice);
      return open.has(choice);
    }
    if (event.kind === 'logprobs') return false;
    if (finished.has(choice)) return true;
    if (event.kind === 'delta') return open.get(choice) !== event.part;
    if (event.kind === 'part-end') return !(open.get(choice) === event.part && open.delete(choice));
    if (open.has(choice) || event.part !== (next.get(choice) ?? 0)) return true;
    next.set(choice, event.part + 1);
    if (event.kind === 'part-start') open.set(choice, event.part);
    return false;
  });
}

/** What a passing tap must hand out: every frame up to the end, but for illegal ones, and nothing of a call that failed at once. */
function forwarded(steps: ReturnType<typeof eventsByFrame>): Buffer {
  const kept: Buffer[] = [];
  let begun = false;
  for (const { frame, events } of steps) {
    begun ||= events.some(({ kind }) => ['part-start', 'whole', 'finish'].includes(kind));
    const last = events.find(({ kind }) => kind === 'end' || kind === 'error');
    if (last?.kind === 'error' && !begun) return Buffer.alloc(0);
    if (!events.some(({ kind }) => kind === 'malformed')) kept.push(frame);
    if (last !== undefined) break;
  }
  return Buffer.concat(kept);
}

/** A whole stream that lacks its last frame is given it by the tap of the dialects that wait for one. */
const given = (kind: string, name: string) => (kind === 'own' && /^openai-c.*no-terminator/.test(name) ? 'data: [DONE]' : '');

describe.each(taps)('$name through the $kind tap', ({ kind, name, dialect, bytes, sibling, createTap }) => {
  const steps = eventsByFrame(dialect, bytes);
  const events = steps.flatMap((step) => step.events);
  const choices = sibling === undefined ? 1 : dialect.decodeResponse(parsed(sibling)).answers.length;
  const options = { swallowUsage: false, choices };
  const whole = runTap(createTap(options), [bytes]);

  test('passes byte for byte, with the usage that decoding finds', () => {
    const expected = forwarded(steps);
    // A last event without its blank line is given one.
    expect(whole.out.subarray(0, expected.length).toString()).toBe(expected.toString());
    expect(whole.out.subarray(expected.length).toString().trim()).toBe(given(kind, name));
    expect(whole.report.usage).toEqual(foldEvents(events).usage);
    expect(whole.report.error).toEqual(events.find((event) => event.kind === 'error')?.error);
    if (sibling !== undefined) expect(whole.report.complete).toBe(true);
  });

  test('any re-chunking gives the same bytes and the same report', () => {
    const bytewise = runTap(createTap(options), cutAt(bytes, [...bytes.keys()].slice(1)));
    expect({ out: bytewise.out.toString(), report: bytewise.report }).toEqual({
      out: whole.out.toString(),
      report: whole.report,
    });
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 12 }), (cuts) => {
        const { out, report } = runTap(createTap(options), cutAt(bytes, cuts));
        expect(out.equals(whole.out)).toBe(true);
        expect(report).toEqual(whole.report);
      }),
      { numRuns: 12 },
    );
  });

  test('a cut anywhere neither throws nor counts as finished before its end has come', () => {
    const edges = [0];
    for (const frame of framesOf(bytes)) edges.push((edges.at(-1) ?? 0) + frame.length);
    const cuts = new Set(
      edges.flatMap((edge) => [edge - 1, edge, edge + 1, edge + 13]).filter((cut) => cut >= 0 && cut <= bytes.length),
    );
    let isComplete = false;
    for (const cut of [...cuts].sort((a, b) => a - b)) {
      const { sent, report } = runTap(createTap(options), [bytes.subarray(0, cut)]);
      expect(whole.out.subarray(0, sent.length).equals(sent)).toBe(true);
      expect(whole.report.text.startsWith(report.text)).toBe(true);
      expect(isComplete && !report.complete).toBe(false);
      isComplete ||= report.complete;
    }
    expect(isComplete).toBe(whole.report.complete);
  });

  test('bytes broken at random neither throw nor stall', () => {
    const damage = fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(damage, fc.nat(bytes.length), (hits, cut) => {
        const broken = Buffer.from(bytes);
        for (const [at, byte] of hits) broken[at] = byte;
        const { report } = runTap(createTap(options), cutAt(broken, [cut]));
        expect(report.keptTextBytes).toBeLessThanOrEqual(report.textBytes);
      }),
      { numRuns: 20 },
    );
  });
});
