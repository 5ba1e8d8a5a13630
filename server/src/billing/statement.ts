import { logType, type Statement, type StatementCharge, type StatementQuery } from '@tollgate/contract';
import { type Kysely, sql } from 'kysely';
import { nowSeconds, type WallClock } from '../platform/clock.ts';
import { PublicError } from '../platform/errors.ts';
import type { Database } from '../storage/database.ts';
import type { Schema } from '../storage/schema.ts';
import { daysIn, sumsOfUser, zoneStretches } from '../usage/index.ts';
import { movementsOnly } from './accounts.ts';
import { shownSum } from './shown-sum.ts';

type Read = Kysely<Schema>;
type User = Pick<Statement, 'user_id' | 'username'>;

export interface Statements {
  /**
   * A month of the user's account, all of one moment: what was charged comes from the sums of usage, not from the log. Throws
   * PublicError `statement_before_import`, and `parameter_error` for an unknown zone; DatabaseError.
   */
  read(user: User, query: StatementQuery): Promise<Statement>;
}

const daySeconds = 86_400;
const hourSeconds = 3600;
const maxCharges = 1_000;
/** Of one question. */
const maxCalls = 500;

export function createStatements({ db, clock }: { db: Pick<Database, 'analyse'>; clock: WallClock }): Statements {
  return {
    async read(user, query) {
      const { time_zone } = query;
      const { month, ...range } = monthOf(query, nowSeconds(clock));
      const { start, end } = await rangeOf(db.analyse, user.user_id, range);
      const { balance, later, charges, moved } = await readLines(db.analyse, user.user_id, start, end);
      const rows = [...charges.values()].filter(({ calls, quota }) => calls !== 0 || quota !== 0);
      const charged = sumOf(rows.map(({ quota }) => quota));
      const movements = [...moved.values()].filter(({ amount }) => amount !== 0);
      const closing = balance + later;
      const opening = closing + charged - sumOf(movements.map(({ amount }) => amount));
      return { ...user, month, time_zone, start, end, opening, movements, charged, charges: dearest(rows), closing };
    },
  };
}

interface Range {
  start: number;
  /** Exclusive. */
  end: number;
}

/** The month that is asked for, or the present one, where clocks show it. Throws PublicError for an unknown zone. */
export function monthOf({ month: asked, time_zone: timeZone }: StatementQuery, now: number): Range & { month: string } {
  const month = asked || monthAt(now, timeZone);
  const [year = 0, number = 0] = month.split('-').map(Number);
  const [first, next] = [number - 1, number].map((each) => Date.UTC(year, each) / 1000 / daySeconds) as [number, number];
  const local = daysIn(zoneStretches(timeZone, (first - 1) * daySeconds, (next + 1) * daySeconds), 'start');
  return { month, start: local.begin(first), end: local.begin(next) };
}

/** Which month clocks show. */
function monthAt(now: number, timeZone: string): string {
  const day = daysIn(zoneStretches(timeZone, now - daySeconds, now + daySeconds), 'start').dayOf(now);
  return new Date(day * daySeconds * 1000).toISOString().slice(0, 7);
}

const sumOf = (amounts: readonly number[]): number => amounts.reduce((sum, amount) => sum + amount, 0);

/** What was spent elsewhere before an import has rows, but never was in this account: its books begin with the full hour after the last one. */
async function rangeOf(read: Read, userId: number, { start, end }: Range): Promise<Range> {
  const opened = await read
    .selectFrom('transfer')
    .select(({ fn }) => fn.max<number | null>('created_at').as('at'))
    .where('user_id', '=', userId)
    .where(sql.raw<boolean>(movementsOnly))
    .where('kind', '=', 'opening')
    .executeTakeFirst();
  const begins = opened?.at ? (Math.floor(opened.at / hourSeconds) + 1) * hourSeconds : 0;
  if (begins >= end) throw new PublicError('statement_before_import');
  return { start: Math.max(begins, start), end };
}

interface Line {
  part: 'balance' | 'charge' | 'later' | 'movement' | 'moved';
  /** A model, or what moved. */
  name: string;
  /** A token, or the ref of a charge that was given back. */
  detail: string;
  calls: number;
  prompt_tokens: number;
  completion_tokens: number;
  quota: number;
}

interface Lines {
  /** As it is now. */
  balance: number;
  /** What brings it back to the end of the month. */
  later: number;
  charges: Map<string, StatementCharge>;
  moved: Map<string, { kind: string; count: number; amount: number }>;
}

/** One statement, so that a call which is charged meanwhile is in the balance and in the sums, or in neither. */
async function readLines(read: Read, userId: number, start: number, end: number): Promise<Lines> {
  const account = `user:${userId}`;
  const charges = await sumsOfUser(read, { userId, start, end: end - 1 }, ['model_name', 'token_name']);
  const later = await sumsOfUser(read, { userId, start: end, end: 0 }, []);
  const { rows } = await sql<Line>`
    SELECT 'charge' AS part, model_name AS name, token_name AS detail, calls, prompt_tokens, completion_tokens, quota
    FROM (${charges}) AS charges
    UNION ALL SELECT 'later', '', '', calls, 0, 0, quota FROM (${later}) AS later
    UNION ALL SELECT * FROM (
      SELECT CASE WHEN created_at < ${end} THEN 'movement' ELSE 'moved' END AS part, kind AS name,
        CASE WHEN from_account = 'revenue' THEN ref ELSE '' END AS detail, COUNT(*) AS calls, 0 AS prompt, 0 AS completion,
        ${shownSum(sql`CASE WHEN to_account = ${account} THEN amount ELSE -amount END`)} AS quota
      FROM transfer WHERE user_id = ${userId} AND ${sql.raw(movementsOnly)} AND created_at >= ${start}
        AND (to_account = ${account} OR from_account = ${account})
      GROUP BY 1, 2, 3, to_account
    ) AS movements
    UNION ALL SELECT 'balance', '', '', 0, 0, 0, available + held FROM wallet WHERE user_id = ${userId}`.execute(read);
  const found: Lines = { balance: 0, later: 0, charges: new Map(), moved: new Map() };
  for (const line of rows) addLine(found, line);
  await putBack(read, found, rows, { start, end });
  return found;
}

function addLine(found: Lines, { part, name, detail, calls, quota, ...tokens }: Line): void {
  if (part === 'balance') found.balance = quota;
  else if (part === 'later') found.later += quota;
  else if (part === 'moved') found.later -= quota;
  else if (part === 'charge')
    found.charges.set(JSON.stringify([name, detail]), { model: name, token: detail, calls, ...tokens, quota });
  else {
    const kind = detail === '' ? name : 'give_back';
    const key = `${kind} ${quota > 0}`;
    const known = found.moved.get(key);
    found.moved.set(key, { kind, count: (known?.count ?? 0) + calls, amount: (known?.amount ?? 0) + quota });
  }
}

/**
 * A charge that was given back was taken out of the sums where it was counted (decision 0173): here it is put back there, so that
 * the month of the call stays as it was told and the money comes in the month in which it came. Of a call whose row was cleaned
 * away nobody knows when it was: it is taken for one of the month in which it was given back.
 */
async function putBack(read: Read, found: Lines, lines: readonly Line[], { start, end }: { start: number; end: number }) {
  const given = lines.filter(({ part, detail }) => detail !== '' && (part === 'movement' || part === 'moved'));
  for (let from = 0; from < given.length; from += maxCalls) {
    const some = given.slice(from, from + maxCalls);
    const calls = await read
      .selectFrom('log')
      .select(['request_id', 'created_at', 'model_name', 'token_name'])
      .where('request_id', 'in', some.map(callOf))
      .where('type', '=', logType.consume)
      .execute();
    const known = new Map(calls.map((call) => [call.request_id, call]));
    for (const line of some) {
      const call = known.get(callOf(line));
      const at = call?.created_at ?? (line.part === 'moved' ? end : start);
      if (at >= end) found.later += line.quota;
      else if (at >= start) addCharge(found.charges, [call?.model_name ?? '?', call?.token_name ?? '?'], line.quota);
    }
  }
}

const callOf = ({ detail }: Line): string => detail.slice(0, detail.lastIndexOf(':refund:'));

function addCharge(charges: Lines['charges'], [model, token]: [string, string], quota: number): void {
  const key = JSON.stringify([model, token]);
  const known = charges.get(key) ?? { model, token, calls: 0, prompt_tokens: 0, completion_tokens: 0, quota: 0 };
  charges.set(key, { ...known, quota: known.quota + quota });
}

/** With those that get no row of their own as one. */
function dearest(charges: readonly StatementCharge[]): StatementCharge[] {
  const sorted = charges.toSorted((left, right) => right.quota - left.quota || right.calls - left.calls);
  const shown = sorted.slice(0, maxCharges);
  const others: StatementCharge = { model: '', token: '', calls: 0, prompt_tokens: 0, completion_tokens: 0, quota: 0 };
  for (const row of sorted.slice(maxCharges))
    for (const sum of ['calls', 'prompt_tokens', 'completion_tokens', 'quota'] as const) others[sum] += row[sum];
  return sorted.length > maxCharges ? [...shown, others] : shown;
}
