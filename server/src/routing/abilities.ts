import { channelStatus } from '@tollgate/contract';
import { PublicError } from '../platform/errors.ts';
import { splitList } from '../platform/split-list.ts';
import type { Transaction } from '../storage/database.ts';

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

const rowsPerInsert = 500;
/** Rows that one channel, or all that are made at once, may have: some seconds of the writer's time. */
const maxAbilities = 100_000;

/** How many rows a channel has, or as many channels alike. Throws PublicError when they are more than may be written at once. */
export function countAbilities({ models, group_names }: Pick<AbilitySource, 'models' | 'group_names'>, channels = 1): number {
  const count = splitList(models).length * splitList(group_names).length * channels;
  if (count > maxAbilities) throw new PublicError('channel_abilities_many', { max: maxAbilities, count });
  return count;
}

/** One row per group and model (contract 4.6); written in the transaction that changed the channel. */
export async function rebuildAbilities(tx: Transaction, channel: AbilitySource): Promise<void> {
  await tx.query.deleteFrom('ability').where('channel_id', '=', channel.id).execute();
  await insertAbilities(tx, channel);
}

/** Of a new channel. */
export async function insertAbilities(tx: Transaction, channel: AbilitySource): Promise<void> {
  const rows = abilityRows(channel);
  for (let start = 0; start < rows.length; start += rowsPerInsert) {
    await tx.query
      .insertInto('ability')
      .values(rows.slice(start, start + rowsPerInsert))
      .execute();
  }
}

/** The rows that a channel should have. */
export function abilityRows(channel: AbilitySource) {
  const models = splitList(channel.models);
  return splitList(channel.group_names).flatMap((group) => models.map((model) => abilityRow(channel, group, model)));
}

function abilityRow(channel: AbilitySource, group: string, model: string) {
  return {
    group_name: group,
    model,
    channel_id: channel.id,
    enabled: channel.status === channelStatus.enabled ? 1 : 0,
    priority: channel.priority,
    weight: channel.weight,
    tag: channel.tag,
  };
}
