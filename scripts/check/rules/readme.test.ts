import { expect, test } from 'vitest';
import { checkReadme, withTables } from './readme.ts';

const sources = {
  variables: { PORT: { fallback: '3000', meaning: 'port' }, REDIS_URL: { meaning: 'a | b' } },
  performance: [
    ...['1 KB', '20 KB', '200 KB'].map(
      (size) => `| Tollgate, metered, ${size}, not streamed | 5470 | 171.0 (160 to 186) | 116 |  | 1 |`,
    ),
    '| Tollgate, metered, stream of 50 chunks | 243 | 1825.0 | 1618.9 | 36.7 (33.3 to 40.4) | 1 |',
    '- CPU per call, not streamed: **7.66x of nginx**',
    '- CPU per streamed chunk: **2.09x of nginx**',
    '- CPU per call of 20 KB: **2.99x of nginx**',
    '- CPU per call of 200 KB: **2.15x of nginx**',
  ].join('\n'),
  conformance: [
    '# What clients get',
    '## Conversations',
    '### a client',
    '| Feature | one | two |',
    '|---|---|---|',
    '| text | works | works, as a file |',
    '| sound | loss: audio | refused: no sound |',
    '## Everything else',
    '| Client | Feature | Upstream | |',
    '|---|---|---|---|',
    '| a client | embeddings | any | works |',
  ].join('\n'),
};
const mark = (name: string, from: string) =>
  `<!-- ${name}: printed from ${from} by \`node scripts/print-readme.ts\` -->\n| stale |\n<!-- /${name} -->`;
const stale = [
  'before',
  mark('conformance', 'docs/conformance.md'),
  mark('performance', 'docs/performance.md'),
  mark('environment', 'server/src/env.ts'),
  'after',
].join('\n');

test('a README with a table that differs from its source is refused, and printing mends that', () => {
  expect(checkReadme(stale, sources)).toHaveLength(1);
  const printed = withTables(stale, sources) ?? '';
  expect(checkReadme(printed, sources)).toEqual([]);
  expect(printed).not.toContain('stale');
  expect(printed).toContain('| `PORT` | `3000` | port |\n| `REDIS_URL` |  | a \\| b |');
  expect(printed).toContain('| a client | 2 | 1 | 1 |');
  expect(printed).toContain('| a call of 1 KB | 5470 | 171.0 µs | 7.66 |');
  expect(printed).toContain('| a chunk of a stream |  | 36.7 µs | 2.09 |');
  expect(printed.startsWith('before') && printed.endsWith('after')).toBe(true);
});

test('a README without a table, and a measurement without a row, are refused', () => {
  expect(checkReadme('nothing here', sources)).toHaveLength(1);
  expect(() => checkReadme(stale, { ...sources, performance: '' })).toThrow('has no line');
});
