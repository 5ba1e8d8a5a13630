import { channelStatus, logType } from '@tollgate/contract';
import { sql } from 'kysely';
import { createPriceBook, priceTables, soldBelow } from '../../billing/index.ts';
import { splitList } from '../../platform/split-list.ts';
import {
  createPace,
  openChannelKey,
  type Pace,
  type RouteChannel,
  routeChannel,
  type StoredChannel,
  servingColumns,
  upstreamModel,
} from '../../routing/index.ts';
import type { Options } from '../../settings/index.ts';
import { isNearby } from '../nearby.ts';
import type { World } from '../world.ts';
import { named } from './named.ts';

/** Channels are named as `name (id)`. */
export interface ChannelFacts {
  readonly enabled: number;
  readonly autoDisabled: readonly string[];
  /** Abilities of channels that do not exist. */
  readonly orphanAbilities: readonly string[];
  readonly withoutAbilities: readonly string[];
  readonly withoutKey: readonly string[];
  readonly unreadableKey: readonly string[];
  readonly withoutModels: readonly string[];
  readonly withoutGroups: readonly string[];
  readonly unknownGroups: readonly string[];
  /** The relay leaves them out, whatever their keys. */
  readonly unreadable: readonly string[];
  readonly circularMapping: readonly string[];
  /** Upstreams on the internet that are spoken to in clear. */
  readonly plainHttp: readonly string[];
  readonly emptyBalance: readonly string[];
  /** Their last test took longer than an automatic test may. */
  readonly tooSlow: readonly string[];
  /** Models that are served and that no price is known of. */
  readonly unpriced: readonly string[];
  /** Models that are sold for less than they cost. */
  readonly belowCost: readonly string[];
  readonly freeModels: readonly string[];
  /** Models of which every channel is off. */
  readonly unserved: readonly string[];
  readonly backupTag: string;
  readonly backupChannels: number;
  readonly retries: number;
  readonly freeGroups: readonly string[];
  /** Whose figures were impossible in newer charges, with how many; the worst first. */
  readonly anomalies: readonly string[];
}

/** Opening a key takes some microseconds. */
const mostChannels = 5_000;
const recentRows = 20_000;
const mostPairs = 20_000;
const columns = [...servingColumns, 'balance', 'balance_updated_at', 'response_time_ms', 'test_time'] as const;

export async function gatherChannels(world: World): Promise<ChannelFacts> {
  const { read } = world.db;
  const { options } = await world.settings();
  const rows = await read
    .selectFrom('channel')
    .select(columns)
    .where('status', '=', channelStatus.enabled)
    .orderBy('id')
    .limit(mostChannels)
    .execute();
  const pace = createPace();
  return {
    enabled: rows.length,
    autoDisabled: await named(
      read.selectFrom('channel').select('name').where('status', '=', channelStatus.autoDisabled).orderBy('id'),
    ),
    orphanAbilities: await named(
      read
        .selectFrom('ability')
        .leftJoin('channel', 'channel.id', 'ability.channel_id')
        .select('ability.channel_id as name')
        .distinct()
        .where('channel.id', 'is', null),
    ),
    withoutAbilities: await named(
      read
        .selectFrom('channel')
        .leftJoin('ability', 'ability.channel_id', 'channel.id')
        .select('channel.name as name')
        .where('channel.status', '=', channelStatus.enabled)
        .where('channel.models', '<>', '')
        .where('channel.group_names', '<>', '')
        .where('ability.channel_id', 'is', null),
    ),
    ...(await whatHolds(rows, questions(world, options), pace)),
    ...(await prices(world, options, rows, pace)),
    unserved: await named(
      read
        .selectFrom('ability')
        .select('model as name')
        .groupBy('model')
        .having(({ fn }) => fn.max('enabled'), '=', 0),
    ),
    backupTag: options.BackupPoolTag,
    backupChannels: rows.filter(({ tag }) => tag === options.BackupPoolTag).length,
    retries: options.RetryTimes,
    freeGroups: [...options.GroupRatio].filter(([, ratio]) => ratio === 0).map(([group]) => group),
    anomalies: await anomalies(world),
  };
}

type Row = Pick<StoredChannel, (typeof columns)[number]>;
/** `channel`: as the calls see it, but for the keys, which are looked at apart. */
type Question = (row: Row, channel: RouteChannel | undefined) => boolean;

/** What is asked of each channel. */
function questions({ crypto }: World, options: Options) {
  const mostMs = options.ChannelDisableThreshold * 1000;
  return {
    withoutKey: (row) => row.key_sealed === '',
    unreadableKey: (row) => !opens(() => openChannelKey(crypto, row)),
    withoutModels: (row) => splitList(row.models).length === 0,
    withoutGroups: (row) => splitList(row.group_names).length === 0,
    unknownGroups: (row) => splitList(row.group_names).some((group) => !options.GroupRatio.has(group)),
    unreadable: (_row, channel) => channel === undefined,
    circularMapping: (_row, channel) => isCircular(channel?.modelMapping),
    plainHttp: (row) => isPlain(row.base_url),
    emptyBalance: (row) => row.balance_updated_at > 0 && row.balance <= options.AlertUpstreamBalance,
    tooSlow: (row) => mostMs > 0 && row.test_time > 0 && row.response_time_ms > mostMs,
  } satisfies Record<string, Question>;
}

/** The channels for which each of the questions is answered with yes. */
async function whatHolds<Name extends string>(rows: readonly Row[], asked: Record<Name, Question>, pace: Pace) {
  const list = Object.entries<Question>(asked).map(([name, holds]) => ({ name, holds, names: [] as string[] }));
  for (const row of rows) {
    if (pace.isDue()) await pace.rest();
    const channel = routeChannel(row, { openKey: () => '' });
    for (const { holds, names } of list) if (holds(row, channel)) names.push(`${row.name} (${row.id})`);
  }
  return Object.fromEntries(list.map(({ name, names }) => [name, names])) as Record<Name, string[]>;
}

/** Counted in receipts: what is hidden of a row where nothing is logged stands there, too. */
async function anomalies({ db }: World): Promise<string[]> {
  const { rows } = await sql<{ id: number; name: string | null; count: number | string }>`
    SELECT newest.channel_id AS id, MAX(channel.name) AS name, COUNT(*) AS count
    FROM (SELECT channel_id, type, receipt FROM log ORDER BY id DESC LIMIT ${sql.lit(recentRows)}) AS newest
    LEFT JOIN channel ON channel.id = newest.channel_id
    WHERE newest.type = ${sql.lit(logType.consume)} AND newest.receipt LIKE '%"anomaly":true%'
    GROUP BY newest.channel_id ORDER BY count DESC, id`.execute(db.read);
  return rows.map(({ id, name, count }) => `${name ?? ''} (${id}): ${count}`);
}

function opens(attempt: () => unknown): boolean {
  try {
    attempt();
    return true;
  } catch {
    return false;
  }
}

function isCircular(mapping: ReadonlyMap<string, string> = new Map()): boolean {
  return [...mapping.keys()].some((model) => upstreamModel(mapping, model) === undefined);
}

/** Neighbours may be spoken to as they like. */
function isPlain(address: string): boolean {
  return URL.parse(address)?.protocol === 'http:' && !isNearby(address);
}

async function prices({ listPrice }: World, options: Options, rows: readonly Row[], pace: Pace) {
  const served = new Map<string, Set<string>>();
  let pairs = 0;
  for (const row of rows) {
    if (pace.isDue()) await pace.rest();
    for (const group of splitList(row.group_names)) {
      const models = served.get(group) ?? new Set();
      served.set(group, models);
      for (const model of splitList(row.models)) {
        if (pairs >= mostPairs) break;
        pairs += models.has(model) ? 0 : 1;
        models.add(model);
      }
    }
  }
  const book = createPriceBook(priceTables(options), listPrice, 0);
  const models = (group: string) => [...(served.get(group) ?? [])];
  const unpriced = new Set<string>();
  const free = new Set<string>();
  for (const group of served.keys()) {
    if (!options.GroupRatio.has(group)) continue;
    for (const model of models(group)) {
      if (pace.isDue()) await pace.rest();
      const price = book.lookup({ model, userGroup: group, usingGroup: group });
      if (price === undefined) unpriced.add(model);
      else if ((price.kind === 'call' ? price.callPriceNano : price.modelRatioNano) === 0) free.add(model);
    }
  }
  const cost = options.AlertCostRatio;
  const below = cost === 0 ? [] : soldBelow({ options, prices: book, models, listPrice, cost });
  return {
    unpriced: [...unpriced],
    freeModels: [...free],
    belowCost: below.map(({ model, share }) => `${model} ${Math.round(share * 100)} %`),
  };
}
