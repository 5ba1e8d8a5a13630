import { expect, test } from 'vitest';
import { canonical } from './converted.ts';
import type { Inquiry } from './inquiry.ts';
import { promptSizeOf } from './prompt-size.ts';
import { surfaceOf } from './surface.ts';

test('the title of a text is among what is held for, and what is counted where nobody else has', () => {
  const bytes = Buffer.from(JSON.stringify({ content: { parts: [{ text: 'a' }] }, title: 'T'.repeat(5_000) }));
  const surface = surfaceOf('gemini-embed');
  const peeked = surface?.peekRequest(bytes, { model: 'm' });
  if (surface === undefined || peeked?.ok !== true) throw new Error('unreadable');
  const asked: Inquiry = {
    protocol: 'gemini-embed',
    surface,
    bytes,
    peek: peeked.peek,
    query: undefined,
    header: () => undefined,
  };
  const inquiry = canonical(asked);
  expect(inquiry.bytes.length).toBeLessThan(200);
  expect(inquiry.peek.scan.textBytes).toBeGreaterThan(5_000);
  expect(promptSizeOf(inquiry)?.texts).toEqual(['a', 'T'.repeat(5_000)]);
});
