import { channelStatus, type TagUpdate } from '@tollgate/contract';
import { type Actor, recordAudit } from '../audit/index.ts';
import { nowSeconds } from '../platform/clock.ts';
import { PublicError } from '../platform/errors.ts';
import { notifyChange } from '../storage/changes.ts';
import type { Transaction } from '../storage/database.ts';
import { rebuildAbilities } from './abilities.ts';
import type { BatchDeps } from './channel-batch.ts';
import { type ChannelColumns, readColumns } from './channel-input.ts';
import type { StoredChannel } from './channel-view.ts';
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
  const change = async (tag: string, work: (tx: Transaction, now: number) => Promise<void>) => {
    if (tag === '') throw new PublicError('channel_tag_missing');
    const now = nowSeconds(deps.clock);
    await deps.db.transaction(
      async (tx) => {
        await work(tx, now);
        await tx.perform(notifyChange('channel', '*', now));
      },
      { timeoutMs },
    );
    deps.changes.notify();
  };
  return {
    edit: (update, actor) => {
      const columns = columnsOf(update);
      return change(update.tag, async (tx, now) => {
        const touched = await editAll(tx, update.tag, columns);
        const detail = { ...columns, ...(columns.model_mapping === undefined ? {} : { model_mapping: 'changed' }), touched };
        await tx.perform(recordAudit({ actor, action: 'channel.update', target: `tag:${update.tag}`, detail, now }));
      });
    },
    setEnabled: (tag, enabled, actor) =>
      change(tag, async (tx, now) => {
        const touched = await switchAll(tx, tag, enabled, actor, now);
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

async function editAll(tx: Transaction, tag: string, columns: Partial<ChannelColumns>): Promise<number> {
  if (Object.keys(columns).length === 0) return 0;
  const rows = await tx.query.updateTable('channel').set(columns).where('tag', '=', tag).returningAll().execute();
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
  if (Object.keys(copied).length > 0) await tx.query.updateTable('ability').set(copied).where('tag', '=', tag).execute();
  return rows.length;
}

async function switchAll(tx: Transaction, tag: string, enabled: boolean, actor: Actor, now: number): Promise<number> {
  const status = enabled ? channelStatus.enabled : channelStatus.disabled;
  // Switching on by hand forgets why a channel was switched off.
  const written: Partial<StoredChannel> = enabled ? { status, other_info: '' } : { status };
  const rows = await tx.query
    .updateTable('channel')
    .set(written)
    .where('tag', '=', tag)
    .where('status', '<>', status)
    .returning('id')
    .execute();
  await tx.query
    .updateTable('ability')
    .set({ enabled: enabled ? 1 : 0 })
    .where('tag', '=', tag)
    .execute();
  if (enabled) {
    const tagged = tx.query.selectFrom('channel').select('id').where('tag', '=', tag);
    await tx.query.deleteFrom('channel_key').where('channel_id', 'in', tagged).execute();
  }
  const kind = enabled ? 'enabled' : 'disabled';
  for (const { id } of rows) {
    await tx.perform(recordHappening({ channelId: id, kind, actor: actor.username, reason: `tag ${tag}`, now }));
  }
  return rows.length;
}
