import { sql } from 'kysely';
import type { Database } from '../storage/database.ts';
import { DatabaseError } from '../storage/errors.ts';
import type { Check } from './prove-agents.ts';

type Reader = Pick<Database, 'read'>;

/** Checks that add up all transfers or all of the log; `detail`: what is compared, for the page. */
export const sumChecks = [
  { name: 'wallet_equals_transfers', detail: 'available + held of every wallet = sum of its transfers' },
  { name: 'transfers_have_wallets', detail: 'every user account that moved has a wallet' },
  {
    name: 'used_equals_revenue',
    detail: 'used quota of every wallet = its transfers to revenue, less what was given back',
  },
  {
    name: 'used_equals_log',
    detail: 'used quota of every wallet = sum of its consumption rows in the log, deleted ones included',
  },
  { name: 'accounts_have_one_unit', detail: 'no account moves quota and cents' },
] as const;

type SumCheck = (typeof sumChecks)[number]['name'];

export interface Difference {
  readonly what: string;
  readonly expected: number | bigint;
  readonly found: number | bigint;
}

/**
 * Rows that one statement adds up: what it may keep waiting behind it, and what its answer brings to this thread. Newer rows
 * than that are always left to the statement that reads the wallets, so that those before them are all there.
 */
const windowRows = 50_000;
const pageWallets = 5_000;
/** Of one check. */
const maxDifferences = 1_000;
const maxPasses = 5;

/**
 * Runs those checks on ledgers of any size while calls go on; answers the first row that differs, by check. Sums are made
 * window by window of rows that no longer change, and finished by the statement that reads the wallets, so that each is
 * compared within one moment. A late correction may still change a row of the log between two of them: where there were
 * windows, a difference counts when a second pass finds the very same. A pass in which the log was cleaned says nothing of
 * differences. Throws DatabaseError; kind `busy` when there were some and each pass was such a one.
 */
export async function proveSums(db: Reader, rows = windowRows): Promise<ReadonlyMap<SumCheck, Difference>> {
  let known: Differences | undefined;
  for (let pass = 1; pass <= maxPasses; pass += 1) {
    const { differences, hasWindows, wasCleaned } = await readPass(db, rows);
    if (differences.size === 0 || !hasWindows) return firsts(differences);
    if (wasCleaned) continue;
    if (known !== undefined) return firsts(foundTwice(known, differences));
    known = differences;
  }
  throw new DatabaseError('busy', '', 'The log was cleaned all the time while its sums were proven');
}

/** By check, in the order in which they are told. */
type Differences = Map<SumCheck, Difference[]>;

function foundTwice(before: Differences, now: Differences): Differences {
  const isKnown = (check: SumCheck, { what, expected, found }: Difference) =>
    before.get(check)?.some((known) => known.what === what && gap(known) === gap({ expected, found })) ?? false;
  return new Map([...now].map(([check, found]) => [check, found.filter((difference) => isKnown(check, difference))]));
}

/** The figures themselves may move while the difference stays. */
export const gap = ({ expected, found }: Pick<Difference, 'expected' | 'found'>) => BigInt(found) - BigInt(expected);

function firsts(differences: Differences): ReadonlyMap<SumCheck, Difference> {
  return new Map([...differences].flatMap(([check, [first]]) => (first === undefined ? [] : [[check, first] as const])));
}

/**
 * Sums of the windows; what later rows add is not in them. What came and went adds up beyond the exact whole numbers although
 * no balance does.
 */
interface Sums {
  /** Quota of each account. */
  readonly moved: Map<string, bigint>;
  /** Of each user: charged, less what was given back. */
  readonly earned: Map<number, bigint>;
  readonly logged: Map<number, bigint>;
}

/** Of all rows. */
interface Seen {
  readonly units: Map<string, Set<string>>;
  /** Users whose own account moved, with the first row in which it did. */
  readonly movers: Map<number, number>;
}

interface Pass {
  readonly differences: Differences;
  readonly hasWindows: boolean;
  readonly wasCleaned: boolean;
}

async function readPass(db: Reader, rows: number): Promise<Pass> {
  const cleanedBefore = await cleanedRows(db);
  const sums: Sums = { moved: new Map(), earned: new Map(), logged: new Map() };
  const seen: Seen = { units: new Map(), movers: new Map() };
  const transfers = windowsOf(await idsOf(db, 'transfer'), rows);
  for (const window of transfers.windows) {
    for (const group of await readGroups(db, window)) {
      see(seen, group);
      addGroup(sums, group);
    }
  }
  const log = windowsOf(await idsOf(db, 'log'), rows);
  for (const window of log.windows) {
    for (const { user_id, total } of await readCharges(db, window)) add(sums.logged, user_id, BigInt(total));
  }
  // Before the wallets: whoever moved has one by then.
  for (const group of await readGroups(db, { after: transfers.end, to: Number.MAX_SAFE_INTEGER })) see(seen, group);
  const differences: Differences = new Map();
  await compareWallets(db, { transfer: transfers.end, log: log.end }, sums, seen, differences);
  await nameMovers(db, seen, differences);
  for (const account of [...seen.units.keys()].sort()) {
    compare(differences, 'accounts_have_one_unit', account, 1, seen.units.get(account)?.size ?? 1);
  }
  const hasWindows = transfers.windows.length + log.windows.length > 0;
  return { differences, hasWindows, wasCleaned: (await cleanedRows(db)) !== cleanedBefore };
}

async function cleanedRows({ read }: Reader): Promise<number> {
  const row = await read
    .selectFrom('log_compaction')
    .select(({ fn }) => fn.sum<number>('row_count').as('total'))
    .executeTakeFirst();
  return row?.total ?? 0;
}

function compare<N extends number | bigint>(
  differences: Differences,
  check: SumCheck,
  what: string,
  expected: N,
  found: N,
): void {
  if (expected === found) return;
  const known = differences.get(check) ?? [];
  if (known.length < maxDifferences) known.push({ what, expected, found });
  differences.set(check, known);
}

interface Window {
  readonly after: number;
  readonly to: number;
}

/** Whole windows that leave at least as many ids again above them; `end`: after which id the rest begins. */
function windowsOf({ first, last }: { first: number; last: number }, rows: number) {
  const windows: Window[] = [];
  let end = first - 1;
  for (; end + 2 * rows <= last; end += rows) windows.push({ after: end, to: end + rows });
  return { windows, end };
}

/** The ends of a table's ids. */
export async function idsOf(
  { read }: Reader,
  table: 'transfer' | 'log' | NonNullable<Check['each']>,
): Promise<{ first: number; last: number }> {
  const name = sql.table(table);
  const { rows } = await sql<{ first: number | null; last: number | null }>`
    SELECT (SELECT MIN(id) FROM ${name}) AS first, (SELECT MAX(id) FROM ${name}) AS last`.execute(read);
  return { first: rows[0]?.first ?? 1, last: rows[0]?.last ?? 0 };
}

/** As text every number is exact, on both engines. */
const exactSum = (amount: string) => sql.raw<string>(`CAST(SUM(${amount}) AS text)`);

interface Group {
  readonly from_account: string;
  readonly to_account: string;
  readonly unit: string;
  readonly user_id: number;
  readonly total: string;
  readonly first: number;
}

async function readGroups({ read }: Reader, { after, to }: Window): Promise<readonly Group[]> {
  const { rows } = await sql<Group>`
    SELECT from_account, to_account, unit, user_id, ${exactSum('amount')} AS total, MIN(id) AS first
    FROM transfer WHERE id > ${after} AND id <= ${to} GROUP BY from_account, to_account, unit, user_id`.execute(read);
  return rows;
}

function see({ units, movers }: Seen, { from_account, to_account, unit, user_id, first }: Group): void {
  for (const account of [from_account, to_account]) {
    const known = units.get(account);
    if (known === undefined) units.set(account, new Set([unit]));
    else known.add(unit);
    if (account === `user:${user_id}`) movers.set(user_id, Math.min(first, movers.get(user_id) ?? first));
  }
}

function addGroup({ moved, earned }: Sums, { from_account, to_account, unit, user_id, ...group }: Group): void {
  const total = BigInt(group.total);
  if (to_account === 'revenue' || from_account === 'revenue') add(earned, user_id, to_account === 'revenue' ? total : -total);
  if (unit !== 'quota') return;
  add(moved, to_account, total);
  add(moved, from_account, -total);
}

function add<K>(sums: Map<K, bigint>, key: K, amount: bigint): void {
  sums.set(key, (sums.get(key) ?? 0n) + amount);
}

async function readCharges({ read }: Reader, { after, to }: Window): Promise<readonly { user_id: number; total: string }[]> {
  const { rows } = await sql<{ user_id: number; total: string }>`
    SELECT user_id, ${exactSum('quota')} AS total FROM log WHERE type = 2 AND id > ${after} AND id <= ${to} GROUP BY user_id`.execute(
    read,
  );
  return rows;
}

interface WalletRow {
  readonly user_id: number;
  readonly balance: number;
  readonly used: number;
  /** What rows after the windows add; null = nothing. */
  readonly moved: string | null;
  readonly earned: string | null;
  readonly logged: string | null;
}

async function compareWallets(
  { read }: Reader,
  after: { transfer: number; log: number },
  { moved, earned, logged }: Sums,
  { movers }: Seen,
  differences: Differences,
): Promise<void> {
  for (let last = Number.MIN_SAFE_INTEGER, isLast = false; !isLast; ) {
    const { rows } = await sql<WalletRow>`
      SELECT wallet.user_id, wallet.available + wallet.held AS balance, wallet.used_quota AS used,
        moves.total AS moved, earnings.total AS earned, charges.total AS logged
      FROM (SELECT * FROM wallet WHERE user_id > ${last} ORDER BY user_id LIMIT ${pageWallets}) AS wallet
      LEFT JOIN (
        SELECT account, ${exactSum('amount')} AS total FROM (
          SELECT to_account AS account, amount FROM transfer WHERE unit = 'quota' AND id > ${after.transfer}
          UNION ALL SELECT from_account, -amount FROM transfer WHERE unit = 'quota' AND id > ${after.transfer}
        ) AS sides GROUP BY account
      ) AS moves ON moves.account = 'user:' || wallet.user_id
      LEFT JOIN (
        SELECT user_id, ${exactSum("CASE WHEN to_account = 'revenue' THEN amount ELSE -amount END")} AS total
        FROM transfer WHERE (to_account = 'revenue' OR from_account = 'revenue') AND id > ${after.transfer} GROUP BY user_id
      ) AS earnings ON earnings.user_id = wallet.user_id
      LEFT JOIN (
        SELECT user_id, ${exactSum('quota')} AS total FROM (
          SELECT user_id, quota FROM log WHERE type = 2 AND id > ${after.log}
          UNION ALL SELECT user_id, quota FROM log_compaction
        ) AS parts GROUP BY user_id
      ) AS charges ON charges.user_id = wallet.user_id
      ORDER BY wallet.user_id`.execute(read);
    for (const row of rows) {
      const { user_id } = row;
      const what = `user:${user_id}`;
      const [balance, used] = [BigInt(row.balance), BigInt(row.used)];
      movers.delete(user_id);
      compare(differences, 'wallet_equals_transfers', what, (moved.get(what) ?? 0n) + BigInt(row.moved ?? 0), balance);
      compare(differences, 'used_equals_revenue', what, (earned.get(user_id) ?? 0n) + BigInt(row.earned ?? 0), used);
      compare(differences, 'used_equals_log', what, (logged.get(user_id) ?? 0n) + BigInt(row.logged ?? 0), used);
    }
    last = rows.at(-1)?.user_id ?? last;
    isLast = rows.length < pageWallets;
  }
}

/** Those that are left have no wallet. */
async function nameMovers({ read }: Reader, { movers }: Seen, differences: Differences): Promise<void> {
  const first = [...movers.values()].sort((left, right) => left - right)[0];
  if (first === undefined) return;
  const row = await read.selectFrom('transfer').select('ref').where('id', '=', first).executeTakeFirst();
  compare(differences, 'transfers_have_wallets', row?.ref ?? String(first), 1, 0);
}
