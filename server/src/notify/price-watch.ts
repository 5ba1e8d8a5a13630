import { type OptionDiff, priceOptions } from '@tollgate/contract';
import type { Prices } from '../billing/index.ts';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import type { Options } from '../settings/index.ts';
import type { Database } from '../storage/database.ts';
import { publish } from './publish.ts';
import { comingPriceMessage, priceMessage } from './texts.ts';

interface Parts {
  readonly db: Database;
  readonly clock: Clock;
  readonly options: () => Pick<Options, 'ServerAddress'>;
}

const mark = 'price_change';
/** Several saves in a row are one change to whoever pays. */
const restSeconds = 120;
/** Older ones were made before anybody could be told. */
const lookBackSeconds = 86_400;
const maxVersions = 200;

/**
 * Tells of saves that changed prices, once for all nodes: the history of options says what changed, a mark how far it was
 * told. Returns whether it did. Throws DatabaseError.
 */
export async function tellPriceChanges({ db, clock, options }: Parts): Promise<boolean> {
  const now = nowSeconds(clock);
  const told = await db.read.selectFrom('notification_mark').select('reached').where('name', '=', mark).executeTakeFirst();
  const versions = await db.read
    .selectFrom('option_version')
    .select(['id', 'created_at', 'diff'])
    .where('id', '>', told?.reached ?? 0)
    .where('created_at', '>', now - lookBackSeconds)
    .where('changed', '>', 0)
    .where('price_values', '!=', '')
    .orderBy('id')
    .limit(maxVersions)
    .execute();
  const last = versions.at(-1);
  if (last === undefined || last.created_at > now - restSeconds) return false;
  const changed = outcomeOf(versions.flatMap(({ diff }) => (JSON.parse(diff) as OptionDiff[]).filter(isPrice)));
  if (changed.length === 0) return false;
  const message = priceMessage({ ...sorted(changed), serverAddress: options().ServerAddress });
  const once = { name: mark, reached: last.id, apart: 1 };
  return db.transaction((tx) => tx.perform(publish({ event: 'price_change', message, audience: 'all', once }, now)));
}

const comingMark = 'price_day';
const aheadSeconds = 7 * 86_400;

/**
 * Tells subscribers and root of prices that begin on a day within a week, once for each such day and all nodes. Returns whether it
 * did. Throws DatabaseError.
 */
export async function tellComingPrices({
  db,
  clock,
  options,
  prices,
}: Parts & { readonly prices: Pick<Prices, 'coming'> }): Promise<boolean> {
  const now = nowSeconds(clock);
  const near = prices.coming().filter(({ from }) => from > now && from <= now + aheadSeconds);
  if (near.length === 0) return false;
  const told = await db.read.selectFrom('notification_mark').select('reached').where('name', '=', comingMark).executeTakeFirst();
  const untold = near.filter(({ from }) => from > (told?.reached ?? 0));
  const from = Math.min(...untold.map((each) => each.from));
  const models = untold.filter((each) => each.from === from).map(({ model }) => model);
  if (models.length === 0) return false;
  const message = comingPriceMessage({ models, from, serverAddress: options().ServerAddress });
  const once = { name: comingMark, reached: from, apart: 1 };
  return db.transaction(async (tx) => {
    const isNew = await tx.perform(publish({ event: 'price_change', message, audience: 'all', once }, now));
    return isNew && tx.perform(publish({ event: 'price_watch', message, audience: 'root' }, now));
  });
}

/** What several saves come to: what the last one took back was no change to whoever pays. */
function outcomeOf(changes: readonly OptionDiff[]): OptionDiff[] {
  const entries = new Map<string, OptionDiff>();
  for (const change of changes) {
    const key = `${change.option} ${change.name}`;
    entries.set(key, { ...change, from: entries.get(key)?.from ?? change.from });
  }
  return [...entries.values()].filter(({ from, to }) => from !== to);
}

function isPrice({ option }: OptionDiff): boolean {
  return priceOptions.some((name) => name === option);
}

/** An option that was changed as a whole counts as a model: it may be anybody's. */
function sorted(changed: readonly OptionDiff[]) {
  const named = (option: string) => changed.filter((each) => each.option === option && each.name !== '').map(({ name }) => name);
  const isGroup = ({ option, name }: OptionDiff) => name !== '' && (option === 'GroupRatio' || option === 'GroupGroupRatio');
  const models = changed.filter((each) => !isGroup(each)).map(({ name, option }) => (name === '' ? option : name));
  return { models: [...new Set(models)], groups: named('GroupRatio'), ofUsers: named('GroupGroupRatio') };
}
