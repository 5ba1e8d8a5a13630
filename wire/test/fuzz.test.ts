import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foldEvents } from '../src/chat/fold.ts';
import { clientDialect, clientDialects, encodeFrame, type JsonObject } from '../src/index.ts';
import { asObject } from '../src/json.ts';
import { answers, parsed, requests, streams } from './fixtures.ts';
import { answerContext, crossingTap, hints, runTap } from './scenes.ts';

const dialects = [
  ...new Map(
    [...clientDialects, ...[...answers, ...streams].map(({ dialect }) => dialect)].map((dialect) => [dialect.name, dialect]),
  ).values(),
];
const targets = { model: 'm', defaultMaxTokens: 4096 };

/** The place of a fixture in its list: a counterexample then prints as numbers. */
function pick(list: readonly unknown[]) {
  return fc.nat(Math.max(0, list.length - 1));
}

function chosen<T>(list: readonly T[], index: number): T {
  const one = list[index];
  if (one === undefined) throw new Error('no such fixture');
  return one;
}

/** A document in which one value, somewhere, is another one. */
function disturbed(document: JsonObject, at: number, by: unknown): JsonObject {
  const spots: { holder: Record<string, unknown>; key: string }[] = [];
  const copy = structuredClone(document);
  const walk = (holder: object) => {
    for (const [key, value] of Object.entries(holder)) {
      spots.push({ holder: holder as Record<string, unknown>, key });
      if (typeof value === 'object' && value !== null) walk(value);
    }
  };
  walk(copy);
  const spot = spots[at % Math.max(1, spots.length)];
  if (spot !== undefined) spot.holder[spot.key] = by;
  return copy;
}

/** What another language's object may be called is a member here: nothing may turn such a value into a text or a number by itself. */
const anything = fc.oneof({ weight: 4, arbitrary: fc.jsonValue() }, fc.constant({ toString: 1, valueOf: 1 }));

/** The dialects that have fixtures of a kind, with them. */
function withFixtures<T extends { readonly dialect: { readonly name: string } }>(list: readonly T[]) {
  const groups = Map.groupBy(list, ({ dialect }) => dialect.name);
  return dialects.flatMap((dialect) => {
    const fixtures = groups.get(dialect.name) ?? [];
    return fixtures.length === 0 ? [] : [{ name: dialect.name, dialect, fixtures }];
  });
}

describe('readers never throw on arbitrary JSON', () => {
  test.each(dialects.map((dialect) => ({ name: dialect.name, dialect })))('$name', ({ name, dialect }) => {
    const client = clientDialect(name);
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 100, max: 599 }), (value, status) => {
        const body = Buffer.from(JSON.stringify(value));
        const object = asObject(value) ?? { value };
        expect(dialect.readError(status, body).message.length).toBeGreaterThan(0);
        dialect.readFailure(object);
        dialect.decodeResponse(object);
        client?.peekRequest(body, hints);
        client?.decodeRequest(object, hints);
        const reading = client?.readResponse(body);
        if (reading?.kind === 'answer') reading.text();
        const decoder = dialect.createDecoder();
        const frame = { event: '', data: JSON.stringify(value) };
        foldEvents([...decoder.push(frame), ...decoder.push({ ...frame, event: 'error' }), ...decoder.end()]);
      }),
      { numRuns: 100 },
    );
  });
});

describe('whatever is understood of a broken request can be said in every dialect', () => {
  test.each(withFixtures(requests))('$name', ({ fixtures }) => {
    fc.assert(
      fc.property(pick(fixtures), fc.nat(), anything, (index, at, by) => {
        const { client, body: whole } = chosen(fixtures, index);
        const body = disturbed(whole, at, by);
        client.peekRequest(Buffer.from(JSON.stringify(body)), hints);
        const decoded = client.decodeRequest(body, hints);
        if (decoded.ok) for (const to of dialects) JSON.stringify(to.encodeRequest(decoded.request, targets));
      }),
      { numRuns: 150 },
    );
  });
});

describe('whatever is understood of a broken answer can be said in every dialect', () => {
  test.each(withFixtures(answers))('$name', ({ dialect, fixtures }) => {
    fc.assert(
      fc.property(pick(fixtures), fc.nat(), anything, (index, at, by) => {
        const body = disturbed(parsed(chosen(fixtures, index).bytes), at, by);
        dialect.readFailure(body);
        const response = dialect.decodeResponse(body);
        for (const to of clientDialects) JSON.stringify(to.encodeResponse(response, answerContext));
      }),
      { numRuns: 150 },
    );
  });
});

describe('a stream with a broken event reaches every dialect or ends as a fault', () => {
  test.each(withFixtures(streams))('$name', ({ dialect, fixtures }) => {
    fc.assert(
      fc.property(pick(fixtures), fc.nat(), fc.nat(), anything, (index, frame, at, by) => {
        const stream = brokenAt(chosen(fixtures, index).bytes, frame, at, by);
        for (const to of clientDialects) {
          const { report } = runTap(crossingTap(dialect, to, { swallowUsage: false }), [stream]);
          expect(report.keptTextBytes).toBeLessThanOrEqual(report.textBytes);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('no name of a member reaches what all objects inherit', () => {
  const reached = () => {
    const found = 'reached' in {};
    delete (Object.prototype as { reached?: unknown }).reached;
    return found;
  };

  test.each(requests)('$name', ({ client, body }) => {
    const decoded = client.decodeRequest(parsed(Buffer.from(JSON.stringify(withHeirs(body)))), hints);
    if (decoded.ok) for (const to of dialects) JSON.stringify(to.encodeRequest(decoded.request, targets));
    expect(reached()).toBe(false);
  });

  test.each(answers)('$name', ({ dialect, bytes }) => {
    const response = dialect.decodeResponse(parsed(Buffer.from(JSON.stringify(withHeirs(parsed(bytes))))));
    for (const to of clientDialects) JSON.stringify(to.encodeResponse(response, answerContext));
    expect(reached()).toBe(false);
  });

  test.each(streams)('$name', ({ dialect, bytes }) => {
    const text = bytes.toString().replaceAll(/(?<=^data: ?)\{.*\}(?=[\r\n]|$)/gm, (data) => {
      const value = asObject(readable(data));
      return value === undefined ? data : JSON.stringify(withHeirs(value));
    });
    for (const to of clientDialects) runTap(crossingTap(dialect, to, { swallowUsage: false }), [Buffer.from(text)]);
    expect(reached()).toBe(false);
  });
});

/** A document in which every object has a member that is called like what it inherits from. */
function withHeirs(value: object): object {
  const copy = Array.isArray(value) ? [] : {};
  for (const [key, inner] of Object.entries(value)) {
    const member = typeof inner === 'object' && inner !== null ? withHeirs(inner) : inner;
    Object.defineProperty(copy, key, { value: member, enumerable: true, configurable: true });
  }
  const heir = { value: { reached: 'x' }, enumerable: true, configurable: true };
  return Array.isArray(copy) ? copy : Object.defineProperty(copy, '__proto__', heir);
}

function readable(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The stream with one value of one event exchanged. */
function brokenAt(stream: Buffer, frame: number, at: number, by: unknown): Buffer {
  const blocks = stream
    .toString()
    .split(/\r\n\r\n|\n\n|\r\r/)
    .filter((block) => block.trim() !== '');
  const index = frame % Math.max(1, blocks.length);
  const [, head = '', data = ''] = /^([\s\S]*?)data: ?(\{[\s\S]*\})\s*$/.exec(blocks[index] ?? '') ?? [];
  if (data === '') return stream;
  const event = /event: ?(\S+)/.exec(head)?.[1] ?? '';
  const broken = encodeFrame(JSON.stringify(disturbed(parsed(Buffer.from(data)), at, by)), event);
  const before = blocks
    .slice(0, index)
    .map((block) => `${block}\n\n`)
    .join('');
  const after = blocks
    .slice(index + 1)
    .map((block) => `${block}\n\n`)
    .join('');
  return Buffer.concat([Buffer.from(before), broken, Buffer.from(after)]);
}
