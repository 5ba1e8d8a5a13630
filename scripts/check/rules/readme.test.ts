import { expect, test } from 'vitest';
import { checkReadme, withEnvironmentTable } from './readme.ts';

const variables = { PORT: { fallback: '3000', meaning: 'port' }, REDIS_URL: { meaning: 'a | b' } };
const marks = [
  '<!-- environment: printed from server/src/env.ts by `node scripts/print-environment.ts` -->',
  '<!-- /environment -->',
];

test('a README whose table differs from the schema is refused, and printing it mends that', () => {
  const stale = `before\n${marks[0]}\n| \`PORT\` | \`80\` | port |\n${marks[1]}\nafter`;
  expect(checkReadme(stale, variables)).toHaveLength(1);
  const printed = withEnvironmentTable(stale, variables) ?? '';
  expect(checkReadme(printed, variables)).toEqual([]);
  expect(printed).toContain('| `PORT` | `3000` | port |\n| `REDIS_URL` |  | a \\| b |');
  expect(printed.startsWith('before') && printed.endsWith('after')).toBe(true);
});

test('a README without the table is refused', () => {
  expect(checkReadme('nothing here', variables)).toHaveLength(1);
});
