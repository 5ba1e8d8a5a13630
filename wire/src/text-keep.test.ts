import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTextKeep } from './text-keep.ts';

const text = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom('"', '\\', '\n', 'é', 'a'),
);

test('what is kept is the text that came, and as long as JSON writes it', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 30 }), (pieces) => {
      const keep = createTextKeep();
      for (const piece of pieces) keep.keepText(piece);
      const whole = pieces.map((piece) => JSON.stringify(piece).slice(1, -1)).join('');
      expect(keep.bytes).toBe(Buffer.byteLength(whole));
      expect(keep.keptBytes).toBe(keep.bytes);
      expect(keep.text()).toBe(JSON.parse(`"${whole}"`));
    }),
  );
});

test('beyond the bound a whole prefix stays and the rest is measured', () => {
  const keep = createTextKeep(10);
  for (const piece of ['abcdef', 'ghijkl', 'm']) keep.keepText(piece);
  expect([keep.text(), keep.keptBytes, keep.bytes]).toEqual(['abcdef', 6, 13]);
});
