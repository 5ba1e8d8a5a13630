import { logType } from '@tollgate/contract/roles.ts';
import type { Statement, StatementResult, Work } from '../storage/database.ts';
import { inList, together } from '../storage/statements.ts';
import type {
  BatchInput,
  BatchState,
  ForgottenState,
  HoldState,
  Operation,
  OperationOf,
  SweptState,
  TokenState,
  WalletState,
} from './works-types.ts';

type Row = StatementResult['rows'][number];

const number = (row: Row, column: string): number => Number(row[column] ?? 0);
const text = (row: Row, column: string): string => String(row[column] ?? '');

/** Locks wallets, then tokens, in id order, and reads the holds that those locks protect. */
export function* loadState({ operations, locks }: BatchInput): Work<BatchState> {
  const owners = yield* ownersOf(operations);
  const wallets = yield* lockWallets(sorted(owners.map((owner) => owner.userId)), locks);
  const late = yield* lockedByOthers(
    'wallet',
    'user_id',
    wallets,
    owners.map((owner) => owner.userId),
    locks,
  );
  const isLate = (index: number): boolean => late.has(owners[index]?.userId ?? 0);
  const current = late.size === 0 ? operations : operations.filter((_, index) => !isLate(index));
  const wanted = owners.filter(({ userId, tokenId }) => tokenId > 0 && !late.has(userId)).map((owner) => owner.tokenId);
  const { tokens, ...records } = yield* lockTokensAndRead(sorted(wanted), current, locks);
  const lateTokens = yield* lockedByOthers('token', 'id', tokens, wanted, locks);
  const deferred = new Set<number>();
  for (const [index, { tokenId }] of owners.entries()) {
    if (isLate(index) || lateTokens.has(tokenId)) deferred.add(index);
  }
  return { ...emptyState(), deferred, wallets, tokens, ...records };
}

function emptyState(): Omit<BatchState, 'deferred' | 'wallets' | keyof Records> {
  return {
    transfers: [],
    logs: [],
    sweeps: [],
    corrections: [],
    channels: new Map(),
    exhausted: [],
  };
}

type Records = Pick<BatchState, 'tokens' | 'holds' | 'swept' | 'forgotten' | 'usedIds'>;

/** In one journey, as each statement sees what is committed when its turn comes: the holds are read behind all locks. */
function* lockTokensAndRead(
  tokenIds: readonly number[],
  operations: readonly Operation[],
  lock: BatchInput['locks'],
): Work<Records> {
  const isFresh = ({ kind }: Operation) => kind === 'hold';
  const fresh = operations.filter(isFresh).map(({ id }) => id);
  const known = operations.filter((operation) => !isFresh(operation)).map(({ id }) => id);
  const withContext = operations.some(({ kind }) => kind === 'sweep');
  const lockTokens = listed(tokenIds, (list) => lockedTokens(list, lock));
  const readHolds = listed(known, (list) => storedHolds(list, withContext));
  const readUsed = listed(fresh, usedIdsAmong);
  const asked = [lockTokens, readHolds, readUsed].filter((each) => each !== undefined);
  const results = yield* together(asked);
  const rowsOf = (statement: Statement | undefined) => (statement && results[asked.indexOf(statement)]?.rows) ?? [];
  const tokens = new Map(rowsOf(lockTokens).map((row) => [number(row, 'id'), tokenOf(row)]));
  const holds = new Map(rowsOf(readHolds).map((row) => [text(row, 'id'), holdOf(row)]));
  const usedIds = new Set(rowsOf(readUsed).map((row) => text(row, 'id')));
  const isLost = (operation: Operation): operation is OperationOf<'settle'> =>
    operation.kind === 'settle' && !holds.has(operation.id);
  return { tokens, holds, usedIds, ...(yield* readLost(operations.filter(isLost))) };
}

/** Seldom: a sweep was quicker than the settlement, it is repeated, or the database forgot its hold. */
function* readLost(lost: readonly OperationOf<'settle'>[]): Work<Pick<Records, 'swept' | 'forgotten'>> {
  const swept = new Map<string, SweptState>();
  const forgotten = new Map<string, ForgottenState>();
  const readSwept = listed(idsOf(lost), sweptHolds);
  if (readSwept !== undefined) for (const row of (yield readSwept).rows) swept.set(text(row, 'id'), sweptOf(row));
  const closed = lost.filter(({ id }) => !swept.has(id));
  const [first] = closed;
  if (first === undefined) return { swept, forgotten };
  const [booked, users, tokens] = (yield* together([
    chargedAmong(inList(idsOf(closed))),
    usersAmong(inList(closed.map(({ userId }) => userId))),
    tokensAmong(inList(closed.map(({ tokenId }) => tokenId))),
  ])).map(({ rows }) => rows);
  const isBooked = new Set(booked?.map((row) => text(row, 'id')));
  const names = new Map(users?.map((row) => [number(row, 'id'), text(row, 'username')]));
  const owners = new Map(tokens?.map((row) => [number(row, 'id'), `${number(row, 'user_id')} ${text(row, 'name')}`]));
  for (const { id, userId, tokenId, draft } of closed) {
    if (isBooked.has(id)) continue;
    // Numbers that were forgotten are given to others: a name says whether it is still the same.
    const isUserKnown = names.get(userId) === draft.username;
    const isTokenKnown = owners.get(tokenId) === `${userId} ${draft.tokenName}`;
    forgotten.set(id, { isUserKnown, isTokenKnown });
  }
  return { swept, forgotten };
}

const idsOf = (operations: readonly Operation[]): string[] => operations.map(({ id }) => id);

type List = ReturnType<typeof inList>;

/** Nothing is asked for nobody. */
function listed(ids: readonly (string | number)[], statement: (list: List) => Statement): Statement | undefined {
  return ids.length === 0 ? undefined : statement(inList(ids));
}

/** Which of the rows that a skipping lock left out do exist: somebody else has them. */
function* lockedByOthers(
  table: 'wallet' | 'token',
  key: 'user_id' | 'id',
  locked: ReadonlyMap<number, unknown>,
  wanted: readonly number[],
  locks: BatchInput['locks'],
): Work<Set<number>> {
  const missing = sorted(wanted.filter((id) => !locked.has(id)));
  if (locks === 'wait' || missing.length === 0) return new Set();
  const list = inList(missing);
  const { rows } = yield { sql: `SELECT ${key} FROM ${table} WHERE ${key} IN ${list.sql}`, parameters: list.parameters };
  return new Set(rows.map((row) => number(row, key)));
}

/** Distinct and in the order in which rows are locked. */
function sorted(ids: readonly number[]): number[] {
  return [...new Set(ids)].sort((left, right) => left - right);
}

interface Owner {
  userId: number;
  tokenId: number;
}

const nobody: Owner = { userId: -1, tokenId: 0 };

/** Whose rows each operation touches. A hold's owner never changes, so this may be read before the locks. */
function* ownersOf(operations: readonly Operation[]): Work<Owner[]> {
  const strangers = operations.filter((operation) => operation.userId < 0).map((operation) => operation.id);
  if (strangers.length === 0) return operations.map(({ userId, tokenId }) => ({ userId, tokenId }));
  const list = inList(strangers);
  const { rows } = yield { sql: `SELECT id, user_id, token_id FROM hold WHERE id IN ${list.sql}`, parameters: list.parameters };
  const found = new Map(
    rows.map((row) => [text(row, 'id'), { userId: number(row, 'user_id'), tokenId: number(row, 'token_id') }]),
  );
  return operations.map(({ id, userId, tokenId }) => (userId < 0 ? (found.get(id) ?? nobody) : { userId, tokenId }));
}

function* lockWallets(ids: readonly number[], lock: BatchInput['locks']): Work<Map<number, WalletState>> {
  const wallets = new Map<number, WalletState>();
  if (ids.length === 0) return wallets;
  const list = inList(ids);
  const sql = `SELECT user_id, available FROM wallet WHERE user_id IN ${list.sql} ORDER BY user_id`;
  const { rows } = yield { sql, parameters: list.parameters, lock };
  for (const row of rows) {
    const userId = number(row, 'user_id');
    wallets.set(userId, {
      userId,
      available: number(row, 'available'),
      delta: { available: 0, held: 0, used: 0, count: 0 },
    });
  }
  return wallets;
}

function lockedTokens({ sql, parameters }: List, lock: BatchInput['locks']): Statement {
  const columns = 'id, remain_quota, held_quota, unlimited_quota, status, deleted_at';
  return { sql: `SELECT ${columns} FROM token WHERE id IN ${sql} ORDER BY id`, parameters, lock };
}

function tokenOf(row: Row): TokenState {
  return {
    id: number(row, 'id'),
    remain: number(row, 'remain_quota'),
    held: number(row, 'held_quota'),
    limited: number(row, 'unlimited_quota') === 0,
    deleted: row.deleted_at !== null,
    status: number(row, 'status'),
    delta: { remain: 0, used: 0, held: 0 },
    usedAt: 0,
  };
}

const holdFacts =
  'hold.id, user_id, token_id, amount, floor_cost, checkpoint_cost, dispatched, node, lease_until, created_at, keeper';

/** `withContext`: the long text too, which only a sweep needs. */
function storedHolds({ sql, parameters }: List, withContext: boolean): Statement {
  const columns = withContext ? `${holdFacts}, context, note_id, hold_note.content AS note` : holdFacts;
  const from = withContext ? 'hold LEFT JOIN hold_note ON hold_note.id = hold.note_id' : 'hold';
  return { sql: `SELECT ${columns} FROM ${from} WHERE hold.id IN ${sql}`, parameters };
}

function holdOf(row: Row): HoldState {
  return {
    id: text(row, 'id'),
    userId: number(row, 'user_id'),
    tokenId: number(row, 'token_id'),
    amount: number(row, 'amount'),
    floorCost: number(row, 'floor_cost'),
    checkpointCost: number(row, 'checkpoint_cost'),
    dispatched: number(row, 'dispatched') === 1,
    node: text(row, 'node'),
    leaseUntil: number(row, 'lease_until'),
    createdAt: number(row, 'created_at'),
    context: text(row, 'context'),
    note: { id: text(row, 'note_id'), content: text(row, 'note') },
    keeper: text(row, 'keeper') === 'task' ? 'task' : '',
    state: 'stored',
    persisted: true,
  };
}

/** Locked, so that none is trimmed meanwhile: while it is here, a cleanup leaves the log row that its sweep wrote. */
function sweptHolds({ sql, parameters }: List): Statement {
  return { sql: `SELECT * FROM swept WHERE id IN ${sql} ORDER BY id`, parameters, lock: 'wait' };
}

/** Every settlement leaves a log row, and a transfer where something was collected. */
function chargedAmong({ sql, parameters }: List): Statement {
  return {
    sql: `SELECT ref AS id FROM transfer WHERE ref IN ${sql} UNION ALL SELECT request_id AS id FROM log WHERE request_id IN ${sql} AND request_id <> '' AND type = ?`,
    parameters: [...parameters, ...parameters, logType.consume],
  };
}

function usersAmong({ sql, parameters }: List): Statement {
  return { sql: `SELECT id, username FROM users WHERE id IN ${sql}`, parameters };
}

function tokensAmong({ sql, parameters }: List): Statement {
  return { sql: `SELECT id, user_id, name FROM token WHERE id IN ${sql}`, parameters };
}

function sweptOf(row: Row): SweptState {
  return {
    id: text(row, 'id'),
    userId: number(row, 'user_id'),
    tokenId: number(row, 'token_id'),
    collected: number(row, 'collected'),
    logId: number(row, 'log_id'),
    closedAt: number(row, 'closed_at'),
  };
}

/** A request id that is held, was swept or was charged must not open a second hold: one statement, since nearly none is. */
function usedIdsAmong({ sql, parameters }: List): Statement {
  return {
    sql: `SELECT id FROM hold WHERE id IN ${sql} UNION ALL SELECT id FROM swept WHERE id IN ${sql} UNION ALL SELECT ref FROM transfer WHERE ref IN ${sql}`,
    parameters: [...parameters, ...parameters, ...parameters],
  };
}
