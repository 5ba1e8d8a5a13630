import { notifyChange } from '../storage/changes.ts';
import type { StatementResult, Work } from '../storage/database.ts';
import { inList, insertRows, valuesTable } from '../storage/statements.ts';
import { tokenState } from './token-state.ts';
import type { BatchState, HoldState, NewLog } from './works-types.ts';

const logColumns = [
  'created_at',
  'type',
  'user_id',
  'username',
  'token_id',
  'token_name',
  'model_name',
  'channel_id',
  'group_name',
  'quota',
  'shortfall',
  'prompt_tokens',
  'completion_tokens',
  'use_time',
  'is_stream',
  'content',
  'other',
  'request_id',
  'ip',
  'receipt',
];

function logRow({ draft, now, quota, shortfall }: NewLog): (string | number)[] {
  return [
    now,
    draft.type,
    draft.userId,
    draft.username,
    draft.tokenId,
    draft.tokenName,
    draft.model,
    draft.channelId,
    draft.group,
    quota,
    shortfall,
    draft.promptTokens,
    draft.completionTokens,
    draft.useTime,
    draft.isStream ? 1 : 0,
    draft.content,
    draft.other,
    draft.requestId,
    draft.ip,
    draft.receipt,
  ];
}

/** Writes what the batch decided: wallet, token, hold, then the records; one statement per table where it can be. */
export function* storeState(state: BatchState): Work<void> {
  yield* storeWallets(state);
  yield* storeTokens(state);
  yield* storeHolds([...state.holds.values()]);
  yield* storeTransfers(state);
  yield* insertRows('log', logColumns, state.logs.map(logRow));
  for (const sweep of state.sweeps) yield* storeSweep(sweep);
  for (const correction of state.corrections) yield* storeCorrection(correction);
  yield* storeHourly(state);
  yield* storeChannels(state);
  for (const { tokenId, now } of state.exhausted) yield* storeExhausted(tokenId, now);
}

function expectChanges(result: StatementResult, wanted: number, table: string): void {
  // Rolls everything back: the rows were locked, so this means that somebody else writes balances.
  if (result.changes !== wanted) throw new Error(`The guard of ${table} matched ${result.changes} of ${wanted} rows`);
}

function* storeWallets(state: BatchState): Work<void> {
  const rows = [...state.wallets.values()]
    .filter(({ delta }) => delta.available !== 0 || delta.held !== 0 || delta.used !== 0 || delta.count !== 0)
    .map(({ userId, delta }) => [userId, delta.available, delta.held, delta.used, delta.count]);
  if (rows.length === 0) return;
  const values = valuesTable(
    [
      ['user_id', 'int'],
      ['available', 'int'],
      ['held', 'int'],
      ['used', 'int'],
      ['requests', 'int'],
    ],
    rows,
  );
  const result = yield {
    sql:
      `${values.sql} UPDATE wallet SET available = wallet.available + v.available, held = wallet.held + v.held, ` +
      'used_quota = wallet.used_quota + v.used, request_count = wallet.request_count + v.requests, version = wallet.version + 1 ' +
      'FROM v WHERE wallet.user_id = v.user_id AND wallet.available + v.available >= 0 AND wallet.held + v.held >= 0',
    parameters: values.parameters,
  };
  expectChanges(result, rows.length, 'wallet');
}

function* storeTokens(state: BatchState): Work<void> {
  const rows = [...state.tokens.values()]
    .filter(({ delta, usedAt }) => delta.remain !== 0 || delta.used !== 0 || delta.held !== 0 || usedAt !== 0)
    .map(({ id, delta, usedAt }) => [id, delta.remain, delta.used, delta.held, usedAt]);
  if (rows.length === 0) return;
  const values = valuesTable(
    [
      ['id', 'int'],
      ['remain', 'int'],
      ['used', 'int'],
      ['held', 'int'],
      ['used_at', 'int'],
    ],
    rows,
  );
  const result = yield {
    sql:
      `${values.sql} UPDATE token SET remain_quota = token.remain_quota + v.remain, used_quota = token.used_quota + v.used, ` +
      'held_quota = token.held_quota + v.held, ' +
      'accessed_at = CASE WHEN v.used_at > token.accessed_at THEN v.used_at ELSE token.accessed_at END FROM v ' +
      'WHERE token.id = v.id AND token.remain_quota + v.remain >= 0 AND token.held_quota + v.held >= 0',
    parameters: values.parameters,
  };
  expectChanges(result, rows.length, 'token');
}

const holdColumns = [
  'id',
  'user_id',
  'token_id',
  'amount',
  'floor_cost',
  'checkpoint_cost',
  'dispatched',
  'node',
  'lease_until',
  'created_at',
  'context',
];

function* storeHolds(holds: readonly HoldState[]): Work<void> {
  const closed = holds.filter((hold) => hold.state === 'closed' && hold.persisted).map((hold) => hold.id);
  if (closed.length > 0) {
    const list = inList(closed);
    const result = yield { sql: `DELETE FROM hold WHERE id IN ${list.sql}`, parameters: list.parameters };
    expectChanges(result, closed.length, 'hold');
  }
  const changed = holds.filter((hold) => hold.state === 'changed' && hold.persisted);
  if (changed.length > 0) yield* updateHolds(changed);
  const fresh = holds.filter((hold) => hold.state !== 'closed' && !hold.persisted);
  yield* insertRows('hold', holdColumns, fresh.map(holdRow));
}

function holdRow(hold: HoldState): (string | number)[] {
  const { id, userId, tokenId, amount, floorCost, checkpointCost, node, leaseUntil, createdAt, context } = hold;
  const dispatched = hold.dispatched ? 1 : 0;
  return [id, userId, tokenId, amount, floorCost, checkpointCost, dispatched, node, leaseUntil, createdAt, context];
}

function* updateHolds(holds: readonly HoldState[]): Work<void> {
  const values = valuesTable(
    [
      ['id', 'text'],
      ['amount', 'int'],
      ['checkpoint', 'int'],
      ['dispatched', 'int'],
      ['lease', 'int'],
    ],
    holds.map((hold) => [hold.id, hold.amount, hold.checkpointCost, hold.dispatched ? 1 : 0, hold.leaseUntil]),
  );
  const result = yield {
    sql:
      `${values.sql} UPDATE hold SET amount = v.amount, checkpoint_cost = v.checkpoint, dispatched = v.dispatched, ` +
      'lease_until = v.lease FROM v WHERE hold.id = v.id',
    parameters: values.parameters,
  };
  expectChanges(result, holds.length, 'hold');
}

const transferColumns = [
  'from_account',
  'to_account',
  'amount',
  'unit',
  'kind',
  'ref',
  'user_id',
  'actor_id',
  'created_at',
  'note',
];

function* storeTransfers(state: BatchState): Work<void> {
  const rows = state.transfers.map(({ from, to, amount, kind, ref, userId, now }) => [
    ...[from, to, amount, 'quota', kind, ref],
    ...[userId, userId, now, ''],
  ]);
  yield* insertRows('transfer', transferColumns, rows);
}

function* storeSweep({ hold, collected, now, log }: BatchState['sweeps'][number]): Work<void> {
  const logId = log ? yield* insertLog(log) : 0;
  yield {
    sql: 'INSERT INTO swept (id, user_id, token_id, collected, log_id, closed_at) VALUES (?, ?, ?, ?, ?, ?)',
    parameters: [hold.id, hold.userId, hold.tokenId, collected, logId, now],
  };
}

function* insertLog(log: NewLog): Work<number> {
  const marks = logColumns.map(() => '?').join(', ');
  const sql = `INSERT INTO log (${logColumns.join(', ')}) VALUES (${marks}) RETURNING id`;
  const { rows } = yield { sql, parameters: logRow(log) };
  return Number(rows[0]?.id ?? 0);
}

function* storeCorrection({ swept, log }: BatchState['corrections'][number]): Work<void> {
  yield { sql: 'DELETE FROM swept WHERE id = ?', parameters: [swept.id] };
  const set = logColumns.map((column) => `${column} = ?`).join(', ');
  const { changes } = yield { sql: `UPDATE log SET ${set} WHERE id = ?`, parameters: [...logRow(log), swept.logId] };
  if (changes === 0) yield* insertLog(log);
}

function* storeHourly(state: BatchState): Work<void> {
  const rows = [...state.hourly.entries()]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([, { userId, model, hour, count, quota, tokens }]) => [userId, model, hour, count, quota, tokens]);
  yield* insertRows(
    'usage_hourly',
    ['user_id', 'model_name', 'hour', 'count', 'quota', 'token_used'],
    rows,
    'ON CONFLICT (user_id, model_name, hour) DO UPDATE SET count = usage_hourly.count + excluded.count, ' +
      'quota = usage_hourly.quota + excluded.quota, token_used = usage_hourly.token_used + excluded.token_used',
  );
}

function* storeChannels(state: BatchState): Work<void> {
  const rows = [...state.channels].filter(([, quota]) => quota !== 0).sort(([left], [right]) => left - right);
  if (rows.length === 0) return;
  if (rows.length > 1) {
    const list = inList(rows.map(([id]) => id));
    yield { sql: `SELECT id FROM channel WHERE id IN ${list.sql} ORDER BY id`, parameters: list.parameters, lock: 'wait' };
  }
  const values = valuesTable(
    [
      ['id', 'int'],
      ['quota', 'int'],
    ],
    rows,
  );
  yield {
    sql: `${values.sql} UPDATE channel SET used_quota = channel.used_quota + v.quota FROM v WHERE channel.id = v.id`,
    parameters: values.parameters,
  };
}

function* storeExhausted(tokenId: number, now: number): Work<void> {
  yield { sql: 'UPDATE token SET status = ? WHERE id = ?', parameters: [tokenState.exhausted, tokenId] };
  yield* notifyChange('token', String(tokenId), now);
}
