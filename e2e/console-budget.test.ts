import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');

test('what a page loads stays within the budgets of its design', () => {
  const lines = execFileSync(process.execPath, ['console/scripts/budget.mjs'], { cwd: root, encoding: 'utf8' });
  console.log(lines);
  expect(lines).toContain('login');
});
