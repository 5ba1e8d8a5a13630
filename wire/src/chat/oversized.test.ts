import { expect, test } from 'vitest';
import { clientDialects } from '../dialects.ts';
import { createPassingTap } from './event-tap.ts';
import { isOversized } from './oversized.ts';
import { decodeAnswer } from './read.ts';

const list = (count: number) => Array.from({ length: count }, () => ({}));
const large = 1_000_000;

test('an answer of more items than any model says is oversized, on whatever level they are', () => {
  for (const answer of [
    { choices: list(10_001) },
    { candidates: [{ content: { parts: list(10_001) } }] },
    { response: { output: [{ content: list(6_000) }, { content: list(6_000) }] } },
  ])
    expect(isOversized(answer, large)).toBe(true);
});

test('data is no item: probabilities, sources, arguments', () => {
  const data = list(50_000);
  expect(isOversized({ choices: [{ logprobs: { content: data }, message: { annotations: data } }] }, large)).toBe(false);
  expect(isOversized({ content: [{ type: 'tool_use', input: { rows: data } }] }, large)).toBe(false);
});

test('neither a whole answer nor a frame of so many items is read', () => {
  const items = `[${'{},'.repeat(50_000)}{}]`;
  for (const dialect of clientDialects) {
    for (const name of ['choices', 'content', 'candidates', 'output']) {
      const body = Buffer.from(`{"${name}":${items}}`);
      expect(decodeAnswer(dialect, body)).toEqual({ kind: 'invalid', reason: 'not-json' });
      const tap = createPassingTap(dialect.createDecoder(), { swallowUsage: false });
      tap.push(Buffer.concat([Buffer.from('data: '), body, Buffer.from('\n\n')]));
      expect(tap.fault).toBe('too-many-events');
    }
  }
});

test.each(['\n', ': a\n\n', 'id: 1\n\n'])('frames without data are as few as events: %j', (quiet) => {
  for (const dialect of clientDialects) {
    const tap = dialect.createTap({ swallowUsage: false, maxEvents: 100 });
    tap.push(Buffer.from(quiet.repeat(100)));
    expect(tap.fault).toBeUndefined();
    tap.push(Buffer.from(quiet));
    expect([tap.fault, tap.closed]).toEqual(['too-many-events', true]);
  }
});
