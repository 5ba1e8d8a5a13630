import { channelStatus } from '@tollgate/contract';
import { type Kysely, sql } from 'kysely';
import { PublicError } from '../platform/errors.ts';
import { splitList } from '../platform/split-list.ts';
import type { Transaction } from '../storage/database.ts';
import type { AbilityTable, Schema } from '../storage/schema.ts';

/** What of a channel decides its abilities. */
export interface AbilitySource {
  id: number;
  status: number;
  models: string;
  group_names: string;
  priority: number;
  weight: number;
  tag: string;
}

const rowsPerStatement = 500;
/** Rows that one channel, or all that are made at once, may have: some seconds of the writer's time. */
const maxAbilities = 100_000;

/** How many rows a channel has, or as many channels alike. Throws PublicError when they are more than may be written at once. */
export function countAbilities({ models, group_names }: Pick<AbilitySource, 'models' | 'group_names'>, channels = 1): number {
  const count = splitList(models).length * splitList(group_names).length * channels;
  if (count > maxAbilities) throw new PublicError('channel_abilities_many', { max: maxAbilities, count });
  return count;
}

/**
 * One row per group and model (contract 4.6); written in the transaction that changed the channel. Only what differs, since
 * nobody else writes meanwhile where there is one writer. Returns whether anything did.
 */
export async function rebuildAbilities(tx: Transaction, channel: AbilitySource): Promise<boolean> {
  const { added, gone, isOutdated } = await abilityChanges(tx.query, channel);
  for (const [group, models] of gone) {
    for (const some of parts(models)) {
      await tx.query
        .deleteFrom('ability')
        .where('group_name', '=', group)
        .where('model', 'in', some)
        .where('channel_id', '=', channel.id)
        .execute();
    }
  }
  if (isOutdated) await tx.query.updateTable('ability').set(sharedOf(channel)).where('channel_id', '=', channel.id).execute();
  await insertRows(tx, channel, added);
  return isOutdated || added.size > 0 || gone.size > 0;
}

/** Of a new channel. */
export async function insertAbilities(tx: Transaction, channel: AbilitySource): Promise<void> {
  await insertRows(tx, channel, wantedOf(channel));
}

/** Whether the rows that a channel has are those that it should have. Throws DatabaseError. */
export async function areAbilitiesRight(read: Kysely<Schema>, channel: AbilitySource): Promise<boolean> {
  const { added, gone, isOutdated } = await abilityChanges(read, channel);
  return !isOutdated && added.size === 0 && gone.size === 0;
}

/** Models by group. */
type Models = Map<string, readonly string[]>;

function wantedOf({ models, group_names }: AbilitySource): Models {
  const list = splitList(models);
  return new Map(list.length === 0 ? [] : splitList(group_names).map((group) => [group, list]));
}

/** What the rows of a channel lack and have too much, and whether those that stay say something else than the channel. */
async function abilityChanges(query: Kysely<Schema>, channel: AbilitySource) {
  const present = await query
    .selectFrom('ability')
    // One row a group and not one a model: they may be tens of thousands.
    .select(['group_name', ...shared, sql<string>`string_agg(model, ',')`.as('models')])
    .where('channel_id', '=', channel.id)
    .groupBy(['group_name', ...shared])
    .execute();
  const added = wantedOf(channel);
  const gone: Models = new Map();
  const own = sharedOf(channel);
  let isOutdated = false;
  for (const { group_name: group, models: text, ...row } of present) {
    const models = text.split(',');
    const [wanted, had] = [new Set(added.get(group)), new Set(models)];
    const extra = models.filter((model) => !wanted.has(model));
    if (extra.length > 0) gone.set(group, [...(gone.get(group) ?? []), ...extra]);
    if (extra.length < models.length) isOutdated ||= shared.some((column) => row[column] !== own[column]);
    const missing = [...wanted].filter((model) => !had.has(model));
    if (missing.length > 0) added.set(group, missing);
    else added.delete(group);
  }
  return { added, gone, isOutdated };
}

async function insertRows(tx: Transaction, channel: AbilitySource, models: Models): Promise<void> {
  const own = { channel_id: channel.id, ...sharedOf(channel) };
  const rows = [...models].flatMap(([group_name, list]) => list.map((model) => ({ group_name, model, ...own })));
  for (const some of parts(rows)) await tx.query.insertInto('ability').values(some).execute();
}

function* parts<T>(rows: readonly T[]): Generator<T[]> {
  for (let start = 0; start < rows.length; start += rowsPerStatement) yield rows.slice(start, start + rowsPerStatement);
}

const shared = ['enabled', 'priority', 'weight', 'tag'] as const;

/** What all rows of a channel have in common. */
function sharedOf({ status, priority, weight, tag }: AbilitySource): Pick<AbilityTable, (typeof shared)[number]> {
  return { enabled: status === channelStatus.enabled ? 1 : 0, priority, weight, tag };
}
