import { logType } from '@tollgate/contract';
import type { Insertable } from 'kysely';
import { expect } from 'vitest';
import type { Database } from '../src/storage/database.ts';
import type { LogTable } from '../src/storage/schema.ts';
import { createRollup, type Rollup, type UsageFilter } from '../src/usage/index.ts';
import { type Booking, bookUsage } from '../src/usage/sums/book.ts';
import type { UsageSums } from '../src/usage/sums/sums.ts';
import { FakeClock } from './fake-clock.ts';

export type UsageSeed = Omit<Insertable<LogTable>, 'id' | 'hidden'>;

/** A charge as the ledger writes it. */
export function usageRow(row: Partial<UsageSeed> & { created_at: number }): UsageSeed {
  return {
    type: logType.consume,
    user_id: 1,
    username: 'u1',
    token_id: 11,
    token_name: 't1',
    model_name: 'm1',
    channel_id: 1,
    group_name: 'default',
    quota: 10,
    shortfall: 0,
    prompt_tokens: 4,
    completion_tokens: 6,
    use_time: 1,
    is_stream: 1,
    content: '',
    other: '{"cache_tokens":2,"frt":120,"duration_ms":900}',
    request_id: '',
    ip: '',
    receipt: '',
    ...row,
  };
}

/** Whole numbers below `limit` that are the same for the same seed. */
export function pick(seed: number): (limit: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 8) % limit;
  };
}

const kinds = [logType.consume, logType.consume, logType.consume, logType.error, logType.system];

/** Rows of few users, models and channels over `span` seconds; some are errors, some are of other kinds. */
export function randomRows(count: number, seed: number, begin: number, span: number): UsageSeed[] {
  const random = pick(seed);
  return Array.from({ length: count }, () => {
    const user = 1 + random(3);
    const token = random(3);
    return usageRow({
      created_at: begin + random(span),
      type: kinds[random(kinds.length)] ?? logType.consume,
      user_id: user,
      username: `u${user}`,
      token_id: user * 10 + token,
      token_name: `t${token}`,
      model_name: `m${random(3)}`,
      channel_id: 1 + random(3),
      group_name: random(2) === 0 ? 'default' : 'vip',
      quota: random(1000),
      prompt_tokens: random(500),
      completion_tokens: random(500),
      is_stream: random(2),
      other: `{"cache_tokens":${random(50)},"frt":${random(400)},"duration_ms":${random(4000)}}`,
    });
  });
}

/** Writes rows as they are, in one transaction. */
export async function seedLog(db: Database, rows: readonly UsageSeed[]): Promise<void> {
  await db.transaction((tx) =>
    tx.query
      .insertInto('log')
      .values([...rows])
      .execute(),
  );
}

/** Times of tests, in seconds: a day begins at `begin`. */
export const hour = 3600;
export const day = 24 * hour;
export const begin = 1_800_000_000 - (1_800_000_000 % day);
/** The filter that asks for everything. */
export const anything: UsageFilter = {
  ...{ userId: 0, username: '', tokenId: 0, tokenName: '', model: '', channel: 0, group: '' },
  ...{ start: 0, end: 0 },
};

/** A rollup in small steps. */
export function rollupOn(db: Database, node = 'a', batch = 7, clock = new FakeClock(begin * 1000)): Rollup {
  return createRollup({ db, clock, node, batch });
}

/** Steps until nothing is left; PostgreSQL needs one look to note and one to believe. */
export async function rollAll(rollup: Rollup): Promise<void> {
  for (let quiet = 0, guard = 0; quiet < 3 && guard < 10_000; guard += 1) {
    quiet = (await rollup.step()) === 'more' ? 0 : quiet + 1;
  }
}

/**
 * The same, while each transaction on the way loses its power at its first statement, then at its second, until it comes to its
 * end. `look` is asked after each death; there is one at least.
 */
export async function rollAllDying(db: Database, batch: number, look: () => Promise<void>, clock?: FakeClock): Promise<void> {
  const powerCut = new Error('power cut');
  let [deadly, deaths] = [1, 0];
  const run = async <T>(_name: string, input: unknown): Promise<T> => {
    let statements = 0;
    const result = await db.transaction((tx) => {
      const work = bookUsage(input as Booking);
      const next = work.next.bind(work);
      work.next = (...parameters) => {
        statements += 1;
        if (statements === deadly) throw powerCut;
        return next(...parameters);
      };
      return tx.perform(work) as Promise<T>;
    });
    deadly = 1;
    return result;
  };
  const rollup = rollupOn({ ...db, run }, 'a', batch, clock);
  const step = async () => {
    try {
      return await rollup.step();
    } catch (error) {
      if (error !== powerCut) throw error;
      deadly += 1;
      deaths += 1;
      await look();
      return 'more';
    }
  };
  await rollAll({ step });
  expect(deadly).toBe(1);
  expect(deaths).toBeGreaterThan(0);
}

/** No usage. */
export const zero: UsageSums = { calls: 0, errors: 0, quota: 0, prompt_tokens: 0, completion_tokens: 0, streams: 0 };

/** The sums, row by row. */
export function naive(rows: readonly UsageSeed[], filter: UsageFilter): UsageSums {
  const sums = { ...zero };
  for (const row of rows) {
    if (row.created_at < filter.start || (filter.end !== 0 && row.created_at > filter.end)) continue;
    if (filter.userId !== 0 && row.user_id !== filter.userId) continue;
    if (filter.username !== '' && row.username !== filter.username) continue;
    if (filter.tokenId !== 0 && row.token_id !== filter.tokenId) continue;
    if (filter.tokenName !== '' && row.token_name !== filter.tokenName) continue;
    if (filter.channel !== 0 && row.channel_id !== filter.channel) continue;
    if (filter.group !== '' && row.group_name !== filter.group) continue;
    if (filter.model !== '' && !matches(row.model_name, filter.model)) continue;
    if (row.type === logType.error) sums.errors += 1;
    if (row.type !== logType.consume) continue;
    sums.calls += 1;
    sums.quota += row.quota;
    sums.prompt_tokens += row.prompt_tokens;
    sums.completion_tokens += row.completion_tokens;
    sums.streams += row.is_stream;
  }
  return sums;
}

function matches(model: string, pattern: string): boolean {
  return pattern.endsWith('%') ? model.startsWith(pattern.slice(0, -1)) : model === pattern;
}
