import { logType, withdrawalStatus } from '@tollgate/contract';
import { sql } from 'kysely';
import { lastProof, unmatchedPayments, unprovenSince } from '../../billing/index.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { countRows } from '../../storage/page.ts';
import type { World } from '../world.ts';
import { named } from './named.ts';

interface ProofState {
  readonly checkedAt: number;
  /** Of the next one; while it is tried, in an hour. */
  readonly dueAt: number;
  readonly ok: boolean;
  readonly difference: string;
}

/** Times are unix seconds. Lists hold the first few. */
export interface MoneyFacts {
  readonly now: number;
  readonly negativeWallets: readonly string[];
  /** They hold something for calls that are not there. */
  readonly frozenWallets: readonly string[];
  readonly usersWithoutWallet: readonly string[];
  /** Holds of calls whose lease ended long ago. */
  readonly overdueHolds: readonly string[];
  /** The same of tasks. */
  readonly overdueTaskHolds: readonly string[];
  readonly proof: ProofState | undefined;
  /** When the first row of the log was written up to which receipts were not recomputed yet. */
  readonly unprovenSince: number | undefined;
  /** Of the last charges: how many there were, and how many could not be collected whole. */
  readonly recent: { readonly charges: number; readonly short: number };
  readonly unmatchedPayments: number;
  /** Of invitations, due for a day. */
  readonly overdueRewards: number;
  readonly oldWithdrawals: number;
  readonly stuckTasks: number;
}

const recentRows = 2_000;
const daySeconds = 86_400;
const taskGraceSeconds = 3_600;
const stuckMs = 600_000;

export async function gatherMoney({ db, clock, env }: World): Promise<MoneyFacts> {
  const { read } = db;
  const now = nowSeconds(clock);
  const proof = await lastProof(db);
  const overdue = (keeper: string, before: number) =>
    named(
      read
        .selectFrom('hold')
        .select('id as name')
        .where('lease_until', '<', before)
        .where('keeper', '=', keeper)
        .orderBy('lease_until'),
    );
  const recent = await sql<{ charges: number; short: number }>`
    SELECT count(*) AS charges, coalesce(sum(CASE WHEN shortfall > 0 THEN 1 ELSE 0 END), 0) AS short
    FROM (SELECT shortfall, type FROM log ORDER BY id DESC LIMIT ${sql.lit(recentRows)}) AS newest
    WHERE type = ${sql.lit(logType.consume)}`.execute(read);
  return {
    now,
    negativeWallets: await named(
      read
        .selectFrom('wallet')
        .select('user_id as name')
        .where((where) => where.or([where('available', '<', 0), where('held', '<', 0)])),
    ),
    frozenWallets: await named(
      read
        .selectFrom('wallet')
        .select('user_id as name')
        .where('held', '>', 0)
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom('hold').select('hold.id').whereRef('hold.user_id', '=', 'wallet.user_id'))),
        ),
    ),
    usersWithoutWallet: await named(
      read
        .selectFrom('users')
        .leftJoin('wallet', 'wallet.user_id', 'users.id')
        .select('users.username as name')
        .where('wallet.user_id', 'is', null),
    ),
    overdueHolds: await overdue('', now - 2 * env.HOLD_SWEEP_SECONDS - 60),
    overdueTaskHolds: await overdue('task', now - taskGraceSeconds),
    proof: proof && {
      ...{ checkedAt: proof.checked_at, dueAt: proof.due_at, ok: proof.ok === 1, difference: proof.difference },
    },
    unprovenSince: await unprovenSince(db),
    recent: { charges: Number(recent.rows[0]?.charges ?? 0), short: Number(recent.rows[0]?.short ?? 0) },
    unmatchedPayments: await unmatchedPayments(db),
    overdueRewards: await countRows(
      read
        .selectFrom('invite_reward')
        .where('state', '=', 'waiting')
        .where('due_at', '>', 0)
        .where('due_at', '<', now - daySeconds),
    ),
    oldWithdrawals: await countRows(
      read
        .selectFrom('agent_withdrawal')
        .where('status', '=', withdrawalStatus.pending)
        .where('created_at', '<', now - 7 * daySeconds),
    ),
    stuckTasks: await countRows(
      read
        .selectFrom('task')
        .where('due_at_ms', 'is not', null)
        .where('due_at_ms', '<', clock.nowMs() - stuckMs),
    ),
  };
}
