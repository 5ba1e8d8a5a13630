import { type Channel, type ChannelInput, type ChannelUpdate, channelStatus } from '@tollgate/contract';
import { type Actor, commandLine, recordAudit } from '../audit/index.ts';
import type { ChangeSignal } from '../platform/change-signal.ts';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import type { Crypto } from '../platform/crypto.ts';
import { PublicError } from '../platform/errors.ts';
import { notifyChange } from '../storage/changes.ts';
import type { Database } from '../storage/database.ts';
import { inParts, removeRows, tellRemoved } from './channel-batch.ts';
import { enabledModels, type ListQuery, listChannels, type SearchQuery, searchChannels } from './channel-queries.ts';
import { selectChannels, toChannel } from './channel-view.ts';
import { createChannelsIn, removeChannelIn, removeOffKeysIn, updateChannelIn } from './channel-writes.ts';

export interface ChannelDeps {
  db: Database;
  clock: Clock;
  crypto: Crypto;
  changes: ChangeSignal;
}

/** Channels as administrators manage them. Every write rebuilds abilities and records a change in its transaction. */
export interface Channels {
  /** One row per line of `key`; with an empty key and `copy_from`, the credential of that channel (rulings 25). */
  create(input: ChannelInput, actor?: Actor): Promise<void>;
  /** Writes the keys that are present; "" leaves the credential as it is, a new destination without one drops it. */
  update(input: ChannelUpdate, actor?: Actor): Promise<Channel>;
  /** Removes the credentials that were switched off by `until` (0 = all); returns how many. Throws PublicError where none would be left. */
  removeOffKeys(id: number, until: number, actor?: Actor): Promise<number>;
  remove(id: number, actor?: Actor): Promise<void>;
  /** Removes all that are switched off, by hand or automatically; returns how many. */
  removeDisabled(actor?: Actor): Promise<number>;
  get(id: number): Promise<Channel>;
  list(query: ListQuery): Promise<Channel[]>;
  search(query: SearchQuery): Promise<Channel[]>;
  enabledModels(groups?: readonly string[]): Promise<string[]>;
}

export function createChannels(deps: ChannelDeps): Channels {
  const { db, crypto } = deps;
  return {
    create: (input, actor = commandLine) => createAll(deps, input, actor),
    update: (input, actor = commandLine) => update(deps, input, actor),
    removeOffKeys: (id, until, actor = commandLine) => removeOffKeys(deps, id, until, actor),
    remove: (id, actor = commandLine) => remove(deps, id, actor),
    removeDisabled: (actor = commandLine) => removeDisabled(deps, actor),
    get: (id) => read(db, id),
    list: (query) => listChannels(db, query),
    search: (query) => searchChannels(db, crypto, query),
    enabledModels: (groups) => enabledModels(db, groups),
  };
}

/** A thousand keys are some thousand statements to a database elsewhere. */
const creationMs = 60_000;

async function createAll(deps: ChannelDeps, input: ChannelInput, actor: Actor): Promise<void> {
  const now = nowSeconds(deps.clock);
  // All of them or none: who sends the keys again must not make half of them twice.
  await deps.db.transaction((tx) => createChannelsIn(tx, input, { crypto: deps.crypto, actor, now }), { timeoutMs: creationMs });
  deps.changes.notify();
}

async function update(deps: ChannelDeps, input: ChannelUpdate, actor: Actor): Promise<Channel> {
  const now = nowSeconds(deps.clock);
  await deps.db.transaction((tx) => updateChannelIn(tx, input, { crypto: deps.crypto, actor, now }));
  deps.changes.notify();
  return read(deps.db, input.id);
}

async function removeOffKeys(deps: ChannelDeps, id: number, until: number, actor: Actor): Promise<number> {
  const now = nowSeconds(deps.clock);
  const removed = await deps.db.transaction((tx) => removeOffKeysIn(tx, id, until, { crypto: deps.crypto, actor, now }));
  deps.changes.notify();
  return removed;
}

async function read(db: Database, id: number): Promise<Channel> {
  const row = await selectChannels(db.read).where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw new PublicError('channel_not_found');
  return toChannel(row);
}

async function remove(deps: ChannelDeps, id: number, actor: Actor): Promise<void> {
  const now = nowSeconds(deps.clock);
  await deps.db.transaction((tx) => removeChannelIn(tx, id, { actor, now }));
  deps.changes.notify();
}

async function removeDisabled(deps: ChannelDeps, actor: Actor): Promise<number> {
  const switchedOff = [channelStatus.disabled, channelStatus.autoDisabled];
  const found = await deps.db.read.selectFrom('channel').select('id').where('status', 'in', switchedOff).orderBy('id').execute();
  return inParts(
    deps,
    found.map(({ id }) => id),
    async (tx, part, now) => {
      // Locked first: one that is switched on meanwhile stays whole, or goes whole.
      const rows = await tx.query
        .updateTable('channel')
        .set((column) => ({ name: column.ref('name') }))
        .where('id', 'in', part)
        .where('status', 'in', switchedOff)
        .returning('id')
        .execute();
      const removed = await removeRows(
        tx,
        rows.map(({ id }) => id),
      );
      // One row for all of them: readers rebuild the whole picture anyway.
      if (removed.length === 0) return 0;
      await tx.perform(notifyChange('channel', '*', now));
      const { detail } = tellRemoved(removed);
      await tx.perform(recordAudit({ actor, action: 'channel.delete', target: 'channel:disabled', detail, now }));
      return removed.length;
    },
  );
}
