import { channelStatus } from '@tollgate/contract';
import type { Selectable } from 'kysely';
import { PublicError } from '../platform/errors.ts';
import { splitList } from '../platform/split-list.ts';
import type { Transaction } from '../storage/database.ts';
import type { AbilityTable } from '../storage/schema.ts';

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
  const own = tx.query.selectFrom('ability').selectAll().where('channel_id', '=', channel.id);
  const { added, gone, isOutdated } = abilityChanges(channel, await own.execute());
  for (const [group, rows] of Map.groupBy(gone, ({ group_name }) => group_name)) {
    for (const some of parts(rows)) {
      await tx.query
        .deleteFrom('ability')
        .where('group_name', '=', group)
        .where('model', 'in', modelsOf(some))
        .where('channel_id', '=', channel.id)
        .execute();
    }
  }
  if (isOutdated) await tx.query.updateTable('ability').set(sharedOf(channel)).where('channel_id', '=', channel.id).execute();
  await insertRows(tx, added);
  return isOutdated || added.length > 0 || gone.length > 0;
}

/** Of a new channel. */
export async function insertAbilities(tx: Transaction, channel: AbilitySource): Promise<void> {
  await insertRows(tx, abilityRows(channel));
}

/** Whether the rows that a channel has are those that it should have. */
export function areAbilitiesOf(channel: AbilitySource, present: readonly AbilityRow[]): boolean {
  const { added, gone, isOutdated } = abilityChanges(channel, present);
  return !isOutdated && added.length === 0 && gone.length === 0;
}

function abilityChanges(channel: AbilitySource, present: readonly AbilityRow[]) {
  const name = ({ group_name, model }: AbilityRow) => `${group_name},${model}`;
  const wanted = new Map(abilityRows(channel).map((row) => [name(row), row]));
  const gone: AbilityRow[] = [];
  const shared = sharedOf(channel);
  let isOutdated = false;
  for (const row of present) {
    if (!wanted.delete(name(row))) gone.push(row);
    else isOutdated ||= columnsOfAll.some((column) => row[column] !== shared[column]);
  }
  return { added: [...wanted.values()], gone, isOutdated };
}

async function insertRows(tx: Transaction, rows: readonly AbilityRow[]): Promise<void> {
  for (const some of parts(rows)) await tx.query.insertInto('ability').values(some).execute();
}

function* parts(rows: readonly AbilityRow[]): Generator<AbilityRow[]> {
  for (let start = 0; start < rows.length; start += rowsPerStatement) yield rows.slice(start, start + rowsPerStatement);
}

const modelsOf = (rows: readonly AbilityRow[]): string[] => rows.map(({ model }) => model);

type AbilityRow = Selectable<AbilityTable>;

function abilityRows(channel: AbilitySource): AbilityRow[] {
  const models = splitList(channel.models);
  const shared = sharedOf(channel);
  return splitList(channel.group_names).flatMap((group) =>
    models.map((model) => ({ group_name: group, model, channel_id: channel.id, ...shared })),
  );
}

const columnsOfAll = ['enabled', 'priority', 'weight', 'tag'] as const;

/** What all rows of a channel have in common. */
function sharedOf({ status, priority, weight, tag }: AbilitySource): Pick<AbilityRow, (typeof columnsOfAll)[number]> {
  return { enabled: status === channelStatus.enabled ? 1 : 0, priority, weight, tag };
}
