import { logType } from '@tollgate/contract';
import type { Ledger } from '../billing/index.ts';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import { formatLogQuota, type Options } from '../settings/index.ts';
import type { Database, Transaction } from '../storage/database.ts';
import { insertSystemLog } from '../usage/index.ts';
import { markClosed } from './store.ts';
import type { Task } from './types.ts';

export interface GateParts {
  readonly db: Database;
  readonly clock: Clock;
  readonly ledger: Pick<Ledger, 'settle' | 'release'>;
  readonly options: () => Pick<Options, 'DisplayInCurrencyEnabled' | 'QuotaPerUnit'>;
}

/**
 * The one door to the money of a task that has ended: SUCCESS is charged, FAILURE is given back and told in the log.
 * May be repeated after any crash: the final state is written before it is entered, a hold can be closed once, and the
 * row's mark decides who writes the log. Throws LedgerUnavailable or DatabaseError; the row is due until it is closed.
 */
export async function closeTask(parts: GateParts, task: Task, { isTold = false } = {}): Promise<void> {
  const { db, clock, ledger } = parts;
  const isCharged = task.state.status === 'SUCCESS' && task.charge !== undefined;
  if (isCharged) await ledger.settle(settlement(task, nowSeconds(clock)));
  else await ledger.release(task.holdId);
  await markClosed(db, task, clock.nowMs(), async (tx) => {
    if (!isCharged && !isTold) await logFailure(tx, parts, task);
  });
}

function settlement(task: Task, now: number): Parameters<Ledger['settle']>[0] {
  const { charge, state, holdId: id } = task;
  if (charge === undefined) throw new Error(`Task ${task.id} has no charge`);
  const { cost, draft } = charge;
  const useTime = Math.max(0, Math.round((state.finishAtMs - task.submitAtMs) / 1000));
  // Swapped faces are logged without it (contract 7.7).
  const isNamed = draft.hidden !== true && task.platform === 'mj' && task.action !== 'SWAP_FACE' && state.upstreamId !== '';
  const content = isNamed ? `${draft.content}，ID ${state.upstreamId}` : draft.content;
  return { id, cost, now, draft: { ...draft, useTime, content, channelId: task.channelId } };
}

/** What it was, and that nothing was charged for it (contract 8.5). */
async function logFailure(tx: Transaction, { clock, options }: GateParts, task: Task): Promise<void> {
  const { platform, state, userId, quota, charge } = task;
  const what = platform === 'mj' ? '构图失败' : '异步任务执行失败';
  await insertSystemLog(tx, {
    type: logType.system,
    userId,
    username: charge?.draft.username ?? '',
    now: nowSeconds(clock),
    content: `${what} ${state.upstreamId}，补偿 ${formatLogQuota(quota, options())}`,
  });
}
