import { type CodeCampaign, redemptionStatus } from '@tollgate/contract';
import { expressionBuilder, sql } from 'kysely';
import type { Database } from '../storage/database.ts';
import { beginsWith } from '../storage/like.ts';
import { type ListPage, rowsOf } from '../storage/page.ts';
import type { Schema } from '../storage/schema.ts';
import { isOpen } from './redeem-validity.ts';
import { shownSum } from './shown-sum.ts';

type Sums = Record<Exclude<keyof CodeCampaign, 'name' | 'withdrawn'>, number | string | null> & { name: string };

/**
 * What became of the codes of each name that begins with the keyword, the newest first. Those that were deleted count: what they
 * gave was given. Reads them all: where long reading is done. `now` in unix seconds.
 */
export async function codeCampaigns(
  { analyse }: Pick<Database, 'analyse'>,
  { keyword, now, ...pages }: ListPage & { keyword: string; now: number },
): Promise<CodeCampaign[]> {
  const { limit, offset } = rowsOf(pages);
  const used = sql`status = ${redemptionStatus.used}`;
  const build = expressionBuilder<Schema, 'redemption'>();
  const open = build.and([isOpen(build, now), build('deleted_at', 'is', null)]);
  // Deleted after it had ended, it had ended.
  const expired = sql`status = ${redemptionStatus.unused} AND expires_at > 0 AND expires_at <= COALESCE(deleted_at, ${now})`;
  let rows = analyse
    .selectFrom('redemption')
    .select(({ fn }) => [
      'name',
      fn.countAll<number | string>().as('made'),
      sql<number>`SUM(CASE WHEN ${used} THEN 1 ELSE 0 END)`.as('redeemed'),
      sql<number>`SUM(CASE WHEN ${expired} THEN 1 ELSE 0 END)`.as('expired'),
      sql<number>`SUM(CASE WHEN ${open} THEN 1 ELSE 0 END)`.as('open'),
      sql<number>`COUNT(DISTINCT CASE WHEN ${used} THEN used_user_id END)`.as('users'),
      shownSum(sql`CASE WHEN ${used} THEN quota ELSE 0 END`).as('quota_given'),
      shownSum(sql`CASE WHEN ${open} THEN quota ELSE 0 END`).as('quota_open'),
      fn.min<number | string>('created_at').as('created_time'),
    ])
    .groupBy('name');
  if (keyword !== '') rows = rows.where(beginsWith('name', keyword));
  const found = await rows
    .orderBy(({ fn }) => fn.max('id'), 'desc')
    .limit(limit)
    .offset(offset)
    .$castTo<Sums>()
    .execute();
  return found.map(({ name, ...sums }) => {
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
