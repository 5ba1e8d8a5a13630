import { logType } from '@tollgate/contract';
import type { Transaction, Work } from '../../storage/database.ts';
import { insertRows } from '../../storage/statements.ts';
import { byUser } from '../sums/cubes.ts';
import { logColumns } from './columns.ts';

/** A row of another product's log; amounts are quota, times seconds. */
export interface ImportedLog {
  readonly createdAt: number;
  readonly type: number;
  readonly userId: number;
  readonly username: string;
  readonly tokenId: number;
  readonly tokenName: string;
  readonly model: string;
  readonly channelId: number;
  readonly group: string;
  readonly quota: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly useTime: number;
  readonly isStream: boolean;
  readonly content: string;
  readonly other: string;
  readonly requestId: string;
  readonly ip: string;
}

/** What has no row lies before all days that are ever asked for. */
const beforeAllDays = 0;

/**
 * Writes rows that were charged elsewhere, without receipts. What they charged was opened as spent without rows
 * (`moveUnlogged`) and is told by the rows from now on, so that books, log and sums stay equal.
 */
export async function insertImportedLogs(tx: Transaction, logs: readonly ImportedLog[]): Promise<void> {
  const charged = new Map<number, number>();
  for (const { type, userId, quota } of logs)
    if (type === logType.consume && quota !== 0) charged.set(userId, (charged.get(userId) ?? 0) + quota);
  await tx.perform(writeRows(logs));
  for (const [userId, quota] of [...charged].sort(([left], [right]) => left - right))
    await tx.perform(moveUnlogged(userId, -quota));
}

function* writeRows(logs: readonly ImportedLog[]): Work<void> {
  const rows = logs.map((log) => [
    log.createdAt,
    log.type,
    log.userId,
    log.username,
    log.tokenId,
    log.tokenName,
    log.model,
    log.channelId,
    log.group,
    log.quota,
    0,
    log.promptTokens,
    log.completionTokens,
    log.useTime,
    log.isStream ? 1 : 0,
    log.content,
    log.other,
    log.requestId,
    log.ip,
    '',
  ]);
  yield* insertRows('log', logColumns, rows);
}

/** Adds to (or takes from) what a user has spent without a row in the log. */
export function* moveUnlogged(userId: number, quota: number): Work<void> {
  if (quota === 0) return;
  yield {
    sql:
      'INSERT INTO log_compaction (user_id, quota) VALUES (?, ?) ' +
      'ON CONFLICT (user_id) DO UPDATE SET quota = log_compaction.quota + excluded.quota',
    parameters: [userId, quota],
  };
  yield {
    sql:
      "INSERT INTO usage_day (cube, owner, start, user_id, username, token_id, token_name, model_name, channel_id, group_name, quota) VALUES (?, 0, ?, ?, '', 0, '', '', 0, '', ?) " +
      'ON CONFLICT (cube, owner, start, user_id, username, token_id, token_name, model_name, channel_id, group_name) DO UPDATE SET quota = usage_day.quota + excluded.quota',
    parameters: [byUser, beforeAllDays, userId, quota],
  };
}
