import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findJsonFault } from './json-fault.ts';

const parses = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe('the JSON check', () => {
  it('accepts every JSON text and refuses every damaged one, as the browser does', () => {
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 6 }),
        fc.nat(200),
        fc.constantFrom('', '"', '}', ',', 'x', '\\', '\n'),
        (text, at, insert) => {
          const changed = text.slice(0, at) + insert + text.slice(at);
          expect(findJsonFault(changed) === undefined).toBe(parses(changed));
        },
      ),
    );
  });

  it('names line and column of the fault', () => {
    expect(findJsonFault('{\n  "a": 1,\n  b: 2\n}')).toEqual({ line: 3, column: 3 });
    expect(findJsonFault('{"a": }')).toEqual({ line: 1, column: 7 });
    expect(findJsonFault('[1, 2] x')).toEqual({ line: 1, column: 8 });
    expect(findJsonFault('[1, 2')).toEqual({ line: 1, column: 6 });
  });

  it('does not overflow on hostile nesting', () => {
    expect(findJsonFault('['.repeat(100_000))).toBeDefined();
  });
});
