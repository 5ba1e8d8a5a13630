import type { ImportRun } from '@tollgate/contract';

const counts = (found: number, imported: number, skipped: number) => ({ found, imported, known: 0, changed: 0, skipped });

/** An import that came through, with what one should know of it. */
export const imported: ImportRun = {
  ...{ running: false, mode: 'import', started_at: 1_770_000_000, finished_at: 1_770_000_094 },
  ...{ kind: 'logs', done: 184_220, found: 184_220, failure: '' },
  report: {
    ...{ product: 'new-api', mode: 'import', ok: true, debts: 1_250_000 },
    counts: {
      options: counts(61, 58, 3),
      users: counts(1_284, 1_279, 5),
      tokens: counts(2_410, 2_402, 8),
      channels: counts(37, 37, 0),
      redemptions: counts(900, 412, 488),
      logs: counts(184_220, 184_190, 30),
    },
    remarks: [
      { kind: 'users', meaning: '余额为负：以 0 开户，欠款不导入', count: 2, examples: ['wang (-1000000)', 'li (-250000)'] },
      { kind: 'channels', meaning: '没有对应的渠道类型：作为自定义渠道导入，并停用', count: 1, examples: ['17 (type 99)'] },
      { kind: 'redemptions', meaning: '在来源中已使用：未导入', count: 488, examples: ['12', '13', '14'] },
    ],
    before: { balance: 8_412_775_310, used: 12_904_551_021, affiliate: 4_500_000 },
    after: { balance: 8_412_775_310, used: 12_904_551_021, affiliate: 4_500_000 },
    left: { top_ups: 3_120, midjourneys: 881 },
  },
};
