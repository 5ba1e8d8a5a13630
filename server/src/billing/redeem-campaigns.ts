import { type CodeCampaign, redemptionStatus } from '@tollgate/contract';
import { expressionBuilder, sql } from 'kysely';
import { nameKey } from '../platform/name-key.ts';
import type { Database } from '../storage/database.ts';
import { type ListPage, rowsOf } from '../storage/page.ts';
import type { Schema } from '../storage/schema.ts';
import { isOpen } from './redeem-validity.ts';
import { shownSum } from './shown-sum.ts';

type Sums = Record<Exclude<keyof CodeCampaign, 'name' | 'withdrawn'>, number | string | null> & { campaign: string };

/** All names of codes by what people take for one campaign (decision 0150), of each the spelling of its newest code first. */
async function spellings({ analyse }: Pick<Database, 'analyse'>): Promise<[key: string, names: string[]][]> {
  const names = analyse.selectFrom('redemption').select('name').groupBy('name');
  const found = await names.orderBy(({ fn }) => fn.max('id'), 'desc').execute();
  const keys = Map.groupBy(
    found.map(({ name }) => name),
    nameKey,
  );
  return [...keys];
}

/** This name and all that are taken for it. */
export async function spellingsOf(db: Pick<Database, 'analyse'>, name: string): Promise<string[]> {
  const known = new Map(await spellings(db)).get(nameKey(name)) ?? [];
  return [...new Set([name, ...known])];
}

/**
 * What became of the codes of each name that begins with the keyword, the newest first. Those that were deleted count: what they
 * gave was given. Reads them all: where long reading is done. `now` in unix seconds.
 */
export async function codeCampaigns(
  db: Pick<Database, 'analyse'>,
  { keyword, now, ...pages }: ListPage & { keyword: string; now: number },
): Promise<CodeCampaign[]> {
  const { limit, offset } = rowsOf(pages);
  const begun = (await spellings(db)).filter(([key]) => key.startsWith(nameKey(keyword)));
  const shown = begun.slice(offset, offset + limit).map(([, names]) => names);
  if (shown.length === 0) return [];
  const others = shown.flatMap(([first = '', ...rest]) => rest.map((name) => sql`WHEN ${name} THEN ${first}`));
  const name = others.length === 0 ? sql.ref<string>('name') : sql<string>`CASE name ${sql.join(others, sql` `)} ELSE name END`;
  const used = sql`status = ${redemptionStatus.used}`;
  const build = expressionBuilder<Schema, 'redemption'>();
  const open = build.and([isOpen(build, now), build('deleted_at', 'is', null)]);
  // Deleted after it had ended, it had ended.
  const expired = sql`status = ${redemptionStatus.unused} AND expires_at > 0 AND expires_at <= COALESCE(deleted_at, ${now})`;
  const rows = await db.analyse
    .selectFrom('redemption')
    .where('name', 'in', shown.flat())
    .select(({ fn }) => [
      name.as('campaign'),
      fn.countAll<number | string>().as('made'),
      sql<number>`SUM(CASE WHEN ${used} THEN 1 ELSE 0 END)`.as('redeemed'),
      sql<number>`SUM(CASE WHEN ${expired} THEN 1 ELSE 0 END)`.as('expired'),
      sql<number>`SUM(CASE WHEN ${open} THEN 1 ELSE 0 END)`.as('open'),
      sql<number>`COUNT(DISTINCT CASE WHEN ${used} THEN used_user_id END)`.as('users'),
      shownSum(sql`CASE WHEN ${used} THEN quota ELSE 0 END`).as('quota_given'),
      shownSum(sql`CASE WHEN ${open} THEN quota ELSE 0 END`).as('quota_open'),
      fn.min<number | string>('created_at').as('created_time'),
    ])
    .groupBy(sql.ref('campaign'))
    .$castTo<Sums>()
    .execute();
  const found = new Map(rows.map((row) => [row.campaign, row]));
  return shown.flatMap(([name = '']) => {
    const sums = found.get(name);
    if (sums === undefined) return [];
    const [made, redeemed, ended, left] = [sums.made, sums.redeemed, sums.expired, sums.open].map(Number) as Counts;
    return {
      ...{ name, made, redeemed, expired: ended, open: left, withdrawn: made - redeemed - ended - left },
      users: Number(sums.users),
      quota_given: Number(sums.quota_given),
      quota_open: Number(sums.quota_open),
      created_time: Number(sums.created_time),
    };
  });
}

type Counts = [number, number, number, number];
