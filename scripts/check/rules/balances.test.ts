import { expect, test } from 'vitest';
import { checkBalances } from './balances.ts';

const found = (path: string, ...lines: string[]): number => checkBalances([{ path, text: lines.join('\n') }]).length;

test.each([
  [["await tx.query.updateTable('wallet').set({ version: 2 }).execute();"]],
  [["await tx.query.insertInto('transfer').values(row).execute();"]],
  [['await tx.query', "  .deleteFrom('hold')", "  .where('id', '=', id)", '  .execute();']],
  [["await tx.query.updateTable('token').set({ name, remain_quota: 5 }).where('id', '=', id).execute();"]],
  [["await tx.query.updateTable('channel').set((eb) => ({ used_quota: eb('used_quota', '+', 1) })).execute();"]],
  [["const text = 'UPDATE wallet SET version = 1';"]],
  [['yield { sql: `update token', '  set remain_quota = remain_quota - ?`, parameters };']],
  [["yield { sql: 'insert or ignore into hold (id) values (?)', parameters };"]],
  [['const row = { ...input, granted_quota: 10 };']],
])('a balance written outside of billing/ is refused: %j', (lines) => {
  expect(found('server/src/identity/users.ts', ...lines)).toBeGreaterThan(0);
  expect(found('server/src/billing/accounts.ts', ...lines)).toBe(0);
  expect(found('server/src/storage/migrations/0001-spine.ts', ...lines)).toBe(0);
});

test.each([
  "const rows = await read.selectFrom('wallet').select('available').execute();",
  'return { remain_quota: row.remain_quota, used_quota: row.used_quota };',
  "await tx.query.updateTable('token').set({ name, status }).where('id', '=', id).execute();",
  '// update wallet set available = 0',
  "await tx.query.updateTable('token').set({ status }).execute();\nreturn { used_quota: 1 };",
])('reading a balance and writing other columns is fine: %s', (line) => {
  expect(found('server/src/identity/keys.ts', line)).toBe(0);
});
