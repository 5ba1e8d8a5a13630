import type { Work } from '../storage/database.ts';
import { LedgerRefusal } from './errors.ts';
import type { TransferRequest } from './types.ts';

/** Creates the wallet of a new user; perform it in the transaction that creates the user. A second call does nothing. */
export function* openWallet(userId: number): Work<void> {
  yield {
    sql:
      'INSERT INTO wallet (user_id, available, held, used_quota, request_count, version) VALUES (?, 0, 0, 0, 0, 0) ' +
      'ON CONFLICT (user_id) DO NOTHING',
    parameters: [userId],
  };
}

/** Agents earn and withdraw in cents of the pay currency; everything else is quota. An account has one unit (rulings 7). */
const centAccount = /^(?:agent:\d+(?::\w+)?|dividend|payout|payout:fee)$/;

function unitOf(account: string): 'quota' | 'cent' {
  return centAccount.test(account) ? 'cent' : 'quota';
}

/**
 * Moves quota, or cents, between two accounts, once per ref. Returns false when the same movement was booked before. Throws
 * LedgerRefusal `insufficient` when the source is a user who has less, `ref_reused` when the ref names another movement,
 * `invalid` when a wallet would hold more than a number can.
 */
export function* transfer(request: TransferRequest): Work<boolean> {
  const { from, to, amount, ref } = request;
  if (!Number.isSafeInteger(amount) || amount <= 0) throw new LedgerRefusal('invalid', `Not an amount to move: ${amount}`);
  if (from === to) throw new LedgerRefusal('invalid', `Both sides are ${from}`);
  const unit = unitOf(from);
  if (unit !== unitOf(to)) throw new LedgerRefusal('invalid', `${from} and ${to} are in different units`);
  const wallets = yield* lockWallets([walletOf(from), walletOf(to)]);
  if (yield* isRepeated(request)) return false;
  yield* guardSource(from, amount, wallets);
  guardTarget(to, amount, wallets);
  const { changes } = yield {
    sql:
      'INSERT INTO transfer (from_account, to_account, amount, unit, kind, ref, user_id, actor_id, created_at, note) ' +
      'VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (ref) DO NOTHING',
    parameters: [from, to, amount, unit, request.kind, ref, request.userId, request.actorId, request.now, request.note],
  };
  // Somebody else booked the same ref between the look and the insert.
  if (changes === 0) return !(yield* isRepeated(request));
  yield* move(walletOf(from), -amount);
  yield* move(walletOf(to), amount);
  return true;
}

/** The user whose wallet an account is; undefined for the platform's accounts and for derived ones like `user:7:affiliate`. */
function walletOf(account: string): number | undefined {
  const match = /^user:(\d+)$/.exec(account);
  return match ? Number(match[1]) : undefined;
}

interface Wallet {
  readonly available: number;
  readonly held: number;
}

function* lockWallets(ids: readonly (number | undefined)[]): Work<Map<number, Wallet>> {
  const wallets = new Map<number, Wallet>();
  const users = ids.filter((id) => id !== undefined).sort((left, right) => left - right);
  for (const userId of users) {
    const sql = 'SELECT available, held FROM wallet WHERE user_id = ?';
    const { rows } = yield { sql, parameters: [userId], lock: 'wait' };
    const [row] = rows;
    if (!row) throw new LedgerRefusal('no_wallet', `User ${userId} has no wallet`);
    wallets.set(userId, { available: Number(row.available), held: Number(row.held) });
  }
  return wallets;
}

function* isRepeated({ from, to, amount, ref }: TransferRequest): Work<boolean> {
  const sql = 'SELECT from_account, to_account, amount FROM transfer WHERE ref = ?';
  const { rows } = yield { sql, parameters: [ref] };
  const [row] = rows;
  if (!row) return false;
  if (row.from_account === from && row.to_account === to && Number(row.amount) === amount) return true;
  throw new LedgerRefusal('ref_reused', `The ref ${ref} belongs to another movement`);
}

/** What is held comes back some day: both together stay a number that code can hold exactly. */
function guardTarget(to: string, amount: number, wallets: ReadonlyMap<number, Wallet>): void {
  const { available, held } = wallets.get(walletOf(to) ?? 0) ?? { available: 0, held: 0 };
  if (!Number.isSafeInteger(available + held + amount)) throw new LedgerRefusal('invalid', `${to} cannot take ${amount} more`);
}

function* guardSource(from: string, amount: number, wallets: ReadonlyMap<number, Wallet>): Work<void> {
  const userId = walletOf(from);
  const have =
    userId !== undefined
      ? (wallets.get(userId)?.available ?? 0)
      : from.startsWith('user:')
        ? yield* accountBalance(from)
        : Infinity;
  if (have < amount) throw new LedgerRefusal('insufficient', `${from} has ${have}, not ${amount}`);
}

/** What a user may spend, 0 without a wallet; the wallet is locked until the end of the transaction. */
export function* availableOf(userId: number): Work<number> {
  const sql = 'SELECT available FROM wallet WHERE user_id = ?';
  const { rows } = yield { sql, parameters: [userId], lock: 'wait' };
  return Number(rows[0]?.available ?? 0);
}

/**
 * Gives back as much as `wanted` of what a user's calls and tasks hold, while they run: what they then cost beyond their holds
 * is taken as of any other, as far as there is something. Calls come first, whose holds are the most that they may cost.
 * Returns how much that was. The wallet is locked by the caller.
 */
export function* freeHeld(userId: number, wanted: number): Work<number> {
  const sql = 'SELECT id, token_id, amount FROM hold WHERE user_id = ? AND amount > 0 ORDER BY keeper, amount DESC, id';
  const { rows } = yield { sql, parameters: [userId] };
  const ofTokens = new Map<number, number>();
  const parts: { id: string; part: number }[] = [];
  let freed = 0;
  for (const { id, token_id, amount } of rows) {
    const part = Math.min(wanted - freed, Number(amount));
    if (part <= 0) break;
    parts.push({ id: String(id), part });
    ofTokens.set(Number(token_id), (ofTokens.get(Number(token_id)) ?? 0) + part);
    freed += part;
  }
  if (freed === 0) return 0;
  yield {
    sql: 'UPDATE wallet SET available = available + ?, held = held - ?, version = version + 1 WHERE user_id = ?',
    parameters: [freed, freed, userId],
  };
  for (const [tokenId, part] of [...ofTokens].sort(([left], [right]) => left - right)) {
    yield {
      sql:
        'UPDATE token SET held_quota = held_quota - ?, ' +
        'remain_quota = CASE WHEN unlimited_quota = 1 THEN remain_quota ELSE remain_quota + ? END WHERE id = ?',
      parameters: [part, part, tokenId],
    };
  }
  for (const { id, part } of parts) yield { sql: 'UPDATE hold SET amount = amount - ? WHERE id = ?', parameters: [part, id] };
  return freed;
}

/**
 * Of transfers, those that are no charges; a condition. Written as the index of these rows has it: where the kinds are parameters SQLite
 * does not use that, and reads every charge there ever was.
 */
export const movementsOnly = "kind NOT IN ('charge', 'correction')";

/** What flowed into an account minus what flowed out; for accounts without a wallet, such as `user:7:affiliate`. */
export function* accountBalance(account: string): Work<number> {
  const userId = Number(/^(?:user|agent):(\d+)/.exec(account)?.[1] ?? 0);
  const { rows } = yield {
    sql:
      'SELECT COALESCE(SUM(CASE WHEN to_account = ? THEN amount ELSE -amount END), 0) AS balance FROM transfer ' +
      `WHERE user_id = ? AND ${movementsOnly} AND (to_account = ? OR from_account = ?)`,
    parameters: [account, userId, account, account],
  };
  return Number(rows[0]?.balance ?? 0);
}

function* move(userId: number | undefined, delta: number): Work<void> {
  if (userId === undefined) return;
  const { changes } = yield {
    sql: 'UPDATE wallet SET available = available + ?, version = version + 1 WHERE user_id = ? AND available + ? >= 0',
    parameters: [delta, userId, delta],
  };
  if (changes !== 1) throw new LedgerRefusal('insufficient', `The wallet of user ${userId} cannot change by ${delta}`);
}

/** The quota columns of a new token, for its INSERT; `used` is what it spent before it came here. */
export function createTokenQuota(quota: { remain: number; unlimited: boolean; used?: number }): {
  granted_quota: number;
  remain_quota: number;
  used_quota: number;
  held_quota: number;
  unlimited_quota: number;
} {
  return {
    granted_quota: quota.remain + (quota.used ?? 0),
    remain_quota: quota.remain,
    used_quota: quota.used ?? 0,
    held_quota: 0,
    unlimited_quota: quota.unlimited ? 1 : 0,
  };
}

/** What is absent stays as it is. */
export interface TokenQuotaChange {
  remain?: number | undefined;
  unlimited?: boolean | undefined;
  /** What the editor saw: when calls moved it meanwhile, the difference is applied instead of the old figure. */
  seenRemain?: number | undefined;
  /** The version beside `seenRemain`: the same change of it is applied once, and none when another one came before it. */
  seenVersion?: number | undefined;
}

interface TokenQuota {
  granted_quota: number;
  remain_quota: number;
  unlimited_quota: number;
}

/** Moves with every edit of a token's quota and with no call: they leave alone what was granted, and the remainder of an unlimited token. */
export function tokenQuotaVersion({ granted_quota, remain_quota, unlimited_quota }: TokenQuota): number {
  return unlimited_quota === 0 ? granted_quota : -1 - remain_quota;
}

/**
 * Sets what a token may still spend; what it used and holds stays, so granted = remain + used + held goes on to hold.
 * Returns the new remainder, undefined when there is no such token. Throws LedgerRefusal `invalid`, `moved`.
 */
export function* setTokenQuota(tokenId: number, change: TokenQuotaChange): Work<number | undefined> {
  const { remain: wanted, unlimited, seenRemain, seenVersion } = change;
  if (wanted !== undefined && (!Number.isSafeInteger(wanted) || wanted < 0))
    throw new LedgerRefusal('invalid', `Not a quota: ${wanted}`);
  const sql = 'SELECT granted_quota, remain_quota, used_quota, held_quota, unlimited_quota FROM token WHERE id = ?';
  const { rows } = yield { sql, parameters: [tokenId], lock: 'wait' };
  const [row] = rows;
  if (!row) return undefined;
  const present = Number(row.remain_quota);
  const isUnlimited = Number(row.unlimited_quota);
  const quota = { granted_quota: Number(row.granted_quota), remain_quota: present, unlimited_quota: isUnlimited };
  if (seenVersion !== undefined && seenVersion !== tokenQuotaVersion(quota)) {
    if (isApplied(quota, change)) return present;
    throw new LedgerRefusal('moved', `The quota of token ${tokenId} was edited since ${seenVersion}`);
  }
  const remain = seenRemain === undefined ? (wanted ?? present) : Math.max(0, present + (wanted ?? seenRemain) - seenRemain);
  const granted = remain + Number(row.used_quota) + Number(row.held_quota);
  if (!Number.isSafeInteger(granted)) throw new LedgerRefusal('invalid', `The token's grant would be too large: ${granted}`);
  yield {
    sql: 'UPDATE token SET remain_quota = ?, granted_quota = ?, unlimited_quota = ? WHERE id = ?',
    parameters: [remain, granted, unlimited === undefined ? isUnlimited : unlimited ? 1 : 0, tokenId],
  };
  return remain;
}

/** The token is as this change of an earlier version would have left it, apart from what was spent since. */
function isApplied(
  { granted_quota: granted, remain_quota: present, unlimited_quota }: TokenQuota,
  { remain: wanted, unlimited, seenRemain, seenVersion = 0 }: TokenQuotaChange,
): boolean {
  const isUnlimited = unlimited_quota === 1;
  if (unlimited !== undefined && unlimited !== isUnlimited) return false;
  if (wanted === undefined || wanted === present) return true;
  if (isUnlimited || seenRemain === undefined || seenVersion < 0) return false;
  const meant = seenVersion + wanted - seenRemain;
  // Nothing goes below 0: then more than `meant` stays granted.
  return granted === meant || (present === 0 && granted > meant);
}
