import { logType } from '@tollgate/contract';
import type { Transaction } from '../../storage/database.ts';
import { blankLog } from './system-log.ts';

/** A channel test as the log shows it (contract 4.8): what it would have cost, and no charge. */
export interface TestLog {
  userId: number;
  username: string;
  channelId: number;
  model: string;
  group: string;
  promptTokens: number;
  completionTokens: number;
  /** Whole seconds. */
  useTime: number;
  /** Not collected: stands beside the row's quota of 0, which the books count. */
  wouldCost: number;
  /** Unix seconds. */
  now: number;
}

const label = '模型测试';

/** Writes the row; `quota` stays 0, so that the log equals the ledger. */
export async function insertTestLog(tx: Transaction, log: TestLog): Promise<void> {
  const other = { test: true, would_cost: log.wouldCost, admin_info: { use_channel: [String(log.channelId)] } };
  await tx.query
    .insertInto('log')
    .values({
      ...blankLog,
      created_at: log.now,
      type: logType.consume,
      user_id: log.userId,
      username: log.username,
      token_name: label,
      model_name: log.model,
      channel_id: log.channelId,
      group_name: log.group,
      prompt_tokens: log.promptTokens,
      completion_tokens: log.completionTokens,
      use_time: log.useTime,
      content: label,
      other: JSON.stringify(other),
    })
    .execute();
}
