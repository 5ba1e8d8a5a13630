import { tokenStatus } from '@tollgate/contract/roles.ts';
import { notifyChange } from '../storage/changes.ts';
import type { Insertion, Statement, Work } from '../storage/database.ts';
import { logSegmentOf, touchLogSegment } from '../storage/log-segments.ts';
import { inList, rowUpdate, together } from '../storage/statements.ts';
import { logColumns, reviseSums, type UsageRow } from '../usage/works.ts';
import type { BatchState, HoldState, NewLog } from './works-types.ts';

const columns = [...logColumns, 'hidden'];

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
    draft.hidden === true ? 1 : 0,
  ];
}

/** Writes what the batch decided: wallet, token, hold, then the records; one statement per table where it can be. */
export function* storeState(state: BatchState): Work<void> {
  const holds = [...state.holds.values()];
  const writes: Write[] = [
    ...changedWallets(state),
    ...changedTokens(state),
    ...changedHolds(holds),
    ...added('transfer', transferColumns, state.transfers.map(transferRow)),
    ...added('log', columns, state.logs.map(logRow)),
    ...chargedChannels(state),
  ];
  const results = yield* together(writes.map(({ asked }) => asked));
  for (const [index, { guard }] of writes.entries()) {
    const changes = results[index]?.changes ?? 0;
    // Rolls everything back: the rows were locked, so this means that somebody else writes balances.
    if (guard !== undefined && changes !== guard.rows)
      throw new Error(`The guard of ${guard.table} matched ${changes} of ${guard.rows} rows`);
  }
  for (const sweep of state.sweeps) yield* storeSweep(sweep);
  for (const correction of state.corrections) yield* storeCorrection(correction);
  for (const { tokenId, now } of state.exhausted) yield* storeExhausted(tokenId, now);
}

/** `guard`: how many rows the statement must find. */
interface Write {
  readonly asked: Statement | Insertion;
  readonly guard?: { readonly table: string; readonly rows: number };
}

function added(table: string, columns: readonly string[], rows: Insertion['rows'], tail = ''): Write[] {
  return rows.length === 0 ? [] : [{ asked: { table, columns, rows, tail } }];
}

function guarded(table: string, rows: Insertion['rows'], update: ReturnType<typeof rowUpdate>): Write[] {
  return rows.length === 0 ? [] : [{ asked: update(rows), guard: { table, rows: rows.length } }];
}

const updateWallets = rowUpdate(
  'wallet',
  [
    ['user_id', 'int'],
    ['available', 'int'],
    ['held', 'int'],
    ['used', 'int'],
    ['requests', 'int'],
  ],
  'available = wallet.available + v.available, held = wallet.held + v.held, ' +
    'used_quota = wallet.used_quota + v.used, request_count = wallet.request_count + v.requests, version = wallet.version + 1',
  'wallet.user_id = v.user_id AND wallet.available + v.available >= 0 AND wallet.held + v.held >= 0',
);
const updateTokens = rowUpdate(
  'token',
  [
    ['id', 'int'],
    ['remain', 'int'],
    ['used', 'int'],
    ['held', 'int'],
    ['used_at', 'int'],
  ],
  'remain_quota = token.remain_quota + v.remain, used_quota = token.used_quota + v.used, ' +
    'held_quota = token.held_quota + v.held, ' +
    'accessed_at = CASE WHEN v.used_at > token.accessed_at THEN v.used_at ELSE token.accessed_at END',
  'token.id = v.id AND token.remain_quota + v.remain >= 0 AND token.held_quota + v.held >= 0',
);
const changeHolds = rowUpdate(
  'hold',
  [
    ['id', 'text'],
    ['amount', 'int'],
    ['checkpoint', 'int'],
    ['dispatched', 'int'],
    ['lease', 'int'],
  ],
  'amount = v.amount, checkpoint_cost = v.checkpoint, dispatched = v.dispatched, lease_until = v.lease',
  'hold.id = v.id',
);
function changedWallets(state: BatchState): Write[] {
  const rows = [...state.wallets.values()]
    .filter(({ delta }) => delta.available !== 0 || delta.held !== 0 || delta.used !== 0 || delta.count !== 0)
    .map(({ userId, delta }) => [userId, delta.available, delta.held, delta.used, delta.count]);
  return guarded('wallet', rows, updateWallets);
}

function changedTokens(state: BatchState): Write[] {
  const rows = [...state.tokens.values()]
    .filter(({ delta, usedAt }) => delta.remain !== 0 || delta.used !== 0 || delta.held !== 0 || usedAt !== 0)
    .map(({ id, delta, usedAt }) => [id, delta.remain, delta.used, delta.held, usedAt]);
  return guarded('token', rows, updateTokens);
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
  'keeper',
  'note_id',
];

function changedHolds(holds: readonly HoldState[]): Write[] {
  const fresh = holds.filter((hold) => hold.state !== 'closed' && !hold.persisted);
  const changed = holds
    .filter((hold) => hold.state === 'changed' && hold.persisted)
    .map((hold) => [hold.id, hold.amount, hold.checkpointCost, hold.dispatched ? 1 : 0, hold.leaseUntil]);
  return [
    ...closedHolds(holds),
    ...guarded('hold', changed, changeHolds),
    ...added(
      'hold_note',
      ['id', 'content', 'used_at'],
      notesOf(fresh),
      'ON CONFLICT (id) DO UPDATE SET used_at = excluded.used_at',
    ),
    ...added('hold', holdColumns, fresh.map(holdRow)),
  ];
}

function closedHolds(holds: readonly HoldState[]): Write[] {
  const closed = holds.filter((hold) => hold.state === 'closed' && hold.persisted).map((hold) => hold.id);
  if (closed.length === 0) return [];
  const { sql, parameters } = inList(closed);
  return [{ asked: { sql: `DELETE FROM hold WHERE id IN ${sql}`, parameters }, guard: { table: 'hold', rows: closed.length } }];
}

/** In one order everywhere: two nodes that write the same texts do not wait for each other in a circle. */
function notesOf(holds: readonly HoldState[]): (string | number)[][] {
  const notes = new Map(
    holds.filter(({ note }) => note.content !== '').map(({ note, createdAt }) => [note.id, { ...note, createdAt }]),
  );
  return [...notes.values()]
    .sort((left, right) => (left.id < right.id ? -1 : 1))
    .map(({ id, content, createdAt }) => [id, content, createdAt]);
}

function holdRow(hold: HoldState): (string | number)[] {
  const { id, userId, tokenId, amount, floorCost, checkpointCost, node, leaseUntil, createdAt, context } = hold;
  const dispatched = hold.dispatched ? 1 : 0;
  return [
    ...[id, userId, tokenId, amount, floorCost, checkpointCost, dispatched, node, leaseUntil, createdAt, context],
    ...[hold.keeper, hold.note.id],
  ];
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

function transferRow({ from, to, amount, kind, ref, userId, now }: BatchState['transfers'][number]): (string | number)[] {
  return [from, to, amount, 'quota', kind, ref, userId, userId, now, ''];
}

function* storeSweep({ hold, collected, now, log }: BatchState['sweeps'][number]): Work<void> {
  const logId = log ? yield* insertLog(log) : 0;
  yield {
    sql: 'INSERT INTO swept (id, user_id, token_id, collected, log_id, closed_at) VALUES (?, ?, ?, ?, ?, ?)',
    parameters: [hold.id, hold.userId, hold.tokenId, collected, logId, now],
  };
}

function* insertLog(log: NewLog): Work<number> {
  const marks = columns.map(() => '?').join(', ');
  const sql = `INSERT INTO log (${columns.join(', ')}) VALUES (${marks}) RETURNING id`;
  const { rows } = yield { sql, parameters: logRow(log) };
  return Number(rows[0]?.id ?? 0);
}

function* storeCorrection({ swept, log }: BatchState['corrections'][number]): Work<void> {
  yield { sql: 'DELETE FROM swept WHERE id = ?', parameters: [swept.id] };
  yield* reviseSums(swept.logId, usageOf(log));
  const set = columns.map((column) => `${column} = ?`).join(', ');
  const { changes } = yield { sql: `UPDATE log SET ${set} WHERE id = ?`, parameters: [...logRow(log), swept.logId] };
  if (changes === 0) yield* insertLog(log);
  else yield* touchLogSegment(logSegmentOf(swept.logId));
}

function usageOf({ draft, now, quota }: NewLog): UsageRow {
  return {
    created_at: now,
    type: draft.type,
    user_id: draft.userId,
    username: draft.username,
    token_id: draft.tokenId,
    token_name: draft.tokenName,
    model_name: draft.model,
    channel_id: draft.channelId,
    group_name: draft.group,
    quota,
    prompt_tokens: draft.promptTokens,
    completion_tokens: draft.completionTokens,
    use_time: draft.useTime,
    is_stream: draft.isStream ? 1 : 0,
    other: draft.other,
  };
}

/** Appended, not added up: the row of a channel is common to all nodes, and none may wait there for another. */
function chargedChannels(state: BatchState): Write[] {
  const rows = [...state.channels].filter(([, quota]) => quota !== 0);
  return added('channel_charge', ['channel_id', 'quota'], rows);
}

function* storeExhausted(tokenId: number, now: number): Work<void> {
  yield { sql: 'UPDATE token SET status = ? WHERE id = ?', parameters: [tokenStatus.exhausted, tokenId] };
  yield* notifyChange('token', String(tokenId), now);
}
