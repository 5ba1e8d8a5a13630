import { channelStatus, type TagUpdate } from '@tollgate/contract';
import { type Actor, recordAudit } from '../audit/index.ts';
import { nowSeconds } from '../platform/clock.ts';
import { PublicError } from '../platform/errors.ts';
import { notifyChange } from '../storage/changes.ts';
import type { Database, Transaction } from '../storage/database.ts';
import { countAbilities, rebuildAbilities } from './abilities.ts';
import { type BatchDeps, inPartsOf } from './channel-batch.ts';
import { type ChannelColumns, readColumns } from './channel-input.ts';
import type { StoredChannel } from './channel-view.ts';
import { useAgain } from './channel-writes.ts';
import { recordHappening } from './timeline.ts';

/** What is done to all channels of a tag (contract 4.11). Throws PublicError `tag不能为空`. */
export interface ChannelTags {
  /** Absent and empty fields stay as they are; `new_tag` renames, "" dissolves the tag. */
  edit(update: TagUpdate, actor: Actor): Promise<void>;
  setEnabled(tag: string, enabled: boolean, actor: Actor): Promise<void>;
  /** The longest `models` among them, "" without any. */
  models(tag: string): Promise<string>;
}

const timeoutMs = 60_000;

export function createChannelTags(deps: BatchDeps): ChannelTags {
  /** Every channel whole, and together with its audit row; what was cut off in between is completed by the same call. */
  const change = async (
    tag: string,
    columns: Partial<ChannelColumns>,
    work: (tx: Transaction, ids: readonly number[], now: number) => Promise<void>,
  ) => {
    if (tag === '') throw new PublicError('channel_tag_missing');
    const now = nowSeconds(deps.clock);
    try {
      for (const some of await readParts(deps.db, tag, columns)) {
        await deps.db.transaction(
          async (tx) => {
            await work(tx, await lockTagged(tx, tag, some), now);
            await tx.perform(notifyChange('channel', '*', now));
          },
          { timeoutMs },
        );
      }
    } finally {
      deps.changes.notify();
    }
  };
  return {
    edit: (update, actor) => {
      const columns = columnsOf(update);
      return change(update.tag, columns, async (tx, ids, now) => {
        const touched = await editAll(tx, ids, columns);
        const detail = { ...columns, ...(columns.model_mapping === undefined ? {} : { model_mapping: 'changed' }), touched };
        await tx.perform(recordAudit({ actor, action: 'channel.update', target: `tag:${update.tag}`, detail, now }));
      });
    },
    setEnabled: (tag, enabled, actor) =>
      change(tag, {}, async (tx, ids, now) => {
        const touched = await switchAll(tx, ids, { tag, enabled, actor, now });
        const detail = { status: enabled ? channelStatus.enabled : channelStatus.disabled, touched };
        await tx.perform(recordAudit({ actor, action: 'channel.update', target: `tag:${tag}`, detail, now }));
      }),
    async models(tag) {
      if (tag === '') throw new PublicError('channel_tag_query_missing');
      const rows = await deps.db.read.selectFrom('channel').select('models').where('tag', '=', tag).execute();
      return rows.reduce((longest, { models }) => (models.length > longest.length ? models : longest), '');
    },
  };
}

/** Only what is to change; empty lists and mappings mean unchanged. */
function columnsOf({ new_tag, models, groups, model_mapping, priority, weight }: TagUpdate): Partial<ChannelColumns> {
  const given = <T>(value: T | null | undefined): value is T => value !== null && value !== undefined && value !== '';
  return {
    ...readColumns({
      ...(given(models) ? { models } : {}),
      ...(given(groups) ? { group: groups } : {}),
      ...(given(model_mapping) ? { model_mapping } : {}),
      ...(given(priority) ? { priority } : {}),
      ...(given(weight) ? { weight } : {}),
    }),
    ...(typeof new_tag === 'string' ? { tag: new_tag } : {}),
  };
}

/** The channels of a tag in parts that are written together. Throws PublicError, before anything is written, for one that would get too many rows. */
async function readParts({ read }: Database, tag: string, columns: Partial<ChannelColumns>): Promise<number[][]> {
  const select = read.selectFrom('channel').select(['id', 'models', 'group_names']);
  const rows = await select.where('tag', '=', tag).orderBy('id').execute();
  return inPartsOf(rows.map(({ id, ...row }) => ({ id, abilities: countAbilities({ ...row, ...columns }) })));
}

/** Those that still have the tag. */
async function lockTagged(tx: Transaction, tag: string, ids: readonly number[]): Promise<number[]> {
  const rows = await tx.query
    .updateTable('channel')
    .set((column) => ({ tag: column.ref('tag') }))
    .where('id', 'in', ids)
    .where('tag', '=', tag)
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}

async function editAll(tx: Transaction, ids: readonly number[], columns: Partial<ChannelColumns>): Promise<number> {
  if (Object.keys(columns).length === 0 || ids.length === 0) return 0;
  const rows = await tx.query.updateTable('channel').set(columns).where('id', 'in', ids).returningAll().execute();
  const { priority, weight, tag: renamed } = columns;
  if (columns.models !== undefined || columns.group_names !== undefined) {
    for (const row of rows) await rebuildAbilities(tx, row);
    return rows.length;
  }
  const copied = {
    ...(priority === undefined ? {} : { priority }),
    ...(weight === undefined ? {} : { weight }),
    ...(renamed === undefined ? {} : { tag: renamed }),
  };
  if (Object.keys(copied).length > 0) await tx.query.updateTable('ability').set(copied).where('channel_id', 'in', ids).execute();
  return rows.length;
}

interface Switching {
  readonly tag: string;
  readonly enabled: boolean;
  readonly actor: Actor;
  readonly now: number;
}

async function switchAll(tx: Transaction, ids: readonly number[], { tag, enabled, actor, now }: Switching): Promise<number> {
  if (ids.length === 0) return 0;
  const status = enabled ? channelStatus.enabled : channelStatus.disabled;
  // Switching on by hand forgets why a channel was switched off.
  const written: Partial<StoredChannel> = enabled ? { status, other_info: '' } : { status };
  const rows = await tx.query
    .updateTable('channel')
    .set(written)
    .where('id', 'in', ids)
    .where('status', '<>', status)
    .returning(['id', 'key_hmac'])
    .execute();
  await tx.query
    .updateTable('ability')
    .set({ enabled: enabled ? 1 : 0 })
    .where('channel_id', 'in', ids)
    .execute();
  const kind = enabled ? 'enabled' : 'disabled';
  for (const row of rows) {
    // Credentials of one that was on all the time stay as they are.
    if (enabled) await useAgain(tx, row);
    await tx.perform(recordHappening({ channelId: row.id, kind, actor: actor.username, reason: `tag ${tag}`, now }));
  }
  return rows.length;
}
