import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cpuMs } from '../../../../wire/test/cpu-ms.ts';
import { knowHead, readKnownHead, readLaneHead } from './lane-head.ts';

test('blanks around a value go, those in it stay, however many there are', () => {
  const blanks = ' '.repeat(16_000);
  const bytes = Buffer.from(`POST /x HTTP/1.1\r\nhost: a\r\nx: \t a${blanks}b \t\r\ncontent-length: 4\r\n\r\n`);
  const sinceMs = cpuMs();
  for (let time = 0; time < 100; time += 1) {
    expect(readLaneHead(bytes)).toMatchObject({ headers: { host: 'a', x: `a${blanks}b` }, bodyLength: 4 });
  }
  // Looked for again at each of them it took ten seconds.
  expect(cpuMs() - sinceMs).toBeLessThan(2_000);
});

describe('a head that is known from the request before', () => {
  const usualLines = ['Host: gate.test', 'Content-Type: text/plain'];
  const requestOf = (lines: readonly string[], length: string, body = 'body') =>
    Buffer.from(['POST /v1/x HTTP/1.1', ...lines, `Content-Length:${length}`, 'X-Last: 1', '', body].join('\r\n'), 'latin1');

  test('keeps its own bytes for as long as the connection lives, and nothing that was read beside them', () => {
    const bytes = requestOf(usualLines, ' 4', 'x'.repeat(4_000));
    const head = readLaneHead(bytes);
    if (typeof head !== 'object') throw new Error('the head is a plain one');
    const { before, behind } = knowHead(bytes, head);
    expect(before.buffer).toBe(behind.buffer);
    expect(before.buffer.byteLength).toBe(head.bodyStart);
  });

  test('is read as if it were new, whatever its length says, and only when nothing else is different', () => {
    const odd = fc.constantFrom(
      ...[
        '',
        ' ',
        '0',
        '00000004',
        '000000004',
        '65536',
        '65537',
        '99999999',
        '-1',
        '+1',
        '1e3',
        '0x4',
        '4 4',
        '4,4',
        '4\t',
        '4;',
      ],
    );
    const length = fc.oneof(odd, fc.nat({ max: 70_000 }).map(String));
    const blanks = fc.constantFrom(['', ''], [' ', ''], [' ', ''], [' ', ' '], [' \t', '']);
    const spaced = fc.tuple(blanks, length).map(([[before, behind], text]) => `${before}${text}${behind}`);
    const lines = fc.constantFrom(
      usualLines,
      usualLines,
      usualLines,
      ['Host: gate.test', 'Content-Type: text/plaim'],
      ['Host: gate.test'],
      [],
    );
    let agreed = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(' 4', ' 65536', '17', ' 3 '),
        spaced,
        lines,
        fc.nat({ max: 120 }),
        (first, second, others, cut) => {
          const before = requestOf(usualLines, first);
          const head = readLaneHead(before);
          if (typeof head !== 'object') throw new Error('the first head is a plain one');
          const known = knowHead(before, head);
          const whole = requestOf(others, second);
          for (const bytes of [whole, whole.subarray(0, cut)]) {
            const got = readKnownHead(bytes, known);
            if (got !== undefined) expect(got).toEqual(readLaneHead(bytes));
            if (got !== undefined) agreed += 1;
          }
          expect(readKnownHead(before, known)).toEqual(head);
        },
      ),
      { numRuns: 2_000 },
    );
    expect(agreed).toBeGreaterThan(100);
  });
});
