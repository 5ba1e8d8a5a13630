import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.join(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const capacity = read('docs/capacity.md');

/** A figure of the published measurement. */
function measured(row: string, column: number): number {
  const line = read('docs/performance.md')
    .split('\n')
    .find((each) => each.startsWith(`| ${row} |`));
  return Math.round(Number.parseFloat(line?.split('|')[column] ?? ''));
}

test("the capacity page's arithmetic is that of the measurement", () => {
  const callUs = measured('Tollgate, metered, 1 KB, not streamed', 3);
  const chunkUs = measured('Tollgate, metered, stream of 200 chunks, 50 ms apart', 5);
  expect(capacity).toContain(`5,000/s × ${callUs} us / 0.5 = ${((5_000 * callUs) / 1e6 / 0.5).toFixed(1)}`);
  expect(capacity).toContain(`2,000 × 20 × ${chunkUs} us / 0.5 = ${((2_000 * 20 * chunkUs) / 1e6 / 0.5).toFixed(1)}`);
});

test('and counts the connections that a process opens', () => {
  const pools = [...read('server/src/storage/postgres/open.ts').matchAll(/max: (\d+)/g)].map(([, max]) => Number(max));
  const connections = pools.reduce((sum, max) => sum + max, 0);
  expect(capacity).toContain(`× \`WORKERS\` × ${connections}`);
  expect(capacity).toContain(`3 × 2 × ${connections} + 10 = ${3 * 2 * connections + 10}`);
});

test.each(['README.md', 'docs/many-nodes.md'])('every test that %s names exists', (file) => {
  const named = [...read(file).matchAll(/`(e2e\/[\w-]+\.test\.ts)`/g)].map(([, file]) => file ?? '');
  expect(named.length).toBeGreaterThan(4);
  for (const one of named) expect(read(one)).toContain('test(');
});
