import { type Channel, type ChannelInput, channelStatus } from '@tollgate/contract';
import { type Actor, commandLine, recordAudit } from '../audit/index.ts';
import type { ChangeSignal } from '../platform/change-signal.ts';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import type { Crypto } from '../platform/crypto.ts';
import { PublicError } from '../platform/errors.ts';
import { notifyChange } from '../storage/changes.ts';
import type { Database, Transaction } from '../storage/database.ts';
import { rebuildAbilities } from './abilities.ts';
import { type ChannelColumns, completeColumns, keyLines, personalStatus, readColumns, splitList } from './channel-input.ts';
import { keyColumns, openChannelKey, originOf } from './channel-key.ts';
import { enabledModels, type ListQuery, listChannels, type SearchQuery, searchChannels } from './channel-queries.ts';
import { checkSpecialFields } from './channel-rules.ts';
import { multiKeyMode } from './channel-setting.ts';
import { type StoredChannel, toChannel, viewColumns } from './channel-view.ts';
import { recordHappening } from './timeline.ts';

export interface ChannelDeps {
  db: Database;
  clock: Clock;
  crypto: Crypto;
  changes: ChangeSignal;
}

export type ChannelUpdate = Partial<Omit<ChannelInput, 'copy_from'>> & { id: number };

/** Channels as administrators manage them. Every write rebuilds abilities and records a change in its transaction. */
export interface Channels {
  /** One row per line of `key`; with an empty key and `copy_from`, the credential of that channel (rulings 25). */
  create(input: ChannelInput, actor?: Actor): Promise<void>;
  /** Writes the keys that are present; "" leaves the credential as it is, a new destination without one drops it. */
  update(input: ChannelUpdate, actor?: Actor): Promise<Channel>;
  remove(id: number, actor?: Actor): Promise<void>;
  /** Removes all that are switched off, by hand or automatically; returns how many. */
  removeDisabled(actor?: Actor): Promise<number>;
  get(id: number): Promise<Channel>;
  list(query: ListQuery): Promise<Channel[]>;
  search(query: SearchQuery): Promise<Channel[]>;
  enabledModels(groups?: readonly string[]): Promise<string[]>;
}

/** Rows that one call may make in `ability`: keys x models x groups. */
const maxAbilities = 100_000;

export function createChannels(deps: ChannelDeps): Channels {
  const { db, crypto } = deps;
  return {
    create: (input, actor = commandLine) => createAll(deps, input, actor),
    update: (input, actor = commandLine) => update(deps, input, actor),
    remove: (id, actor = commandLine) => remove(deps, id, actor),
    removeDisabled: (actor = commandLine) => removeDisabled(deps, actor),
    async get(id) {
      const row = await db.read.selectFrom('channel').select(viewColumns).where('id', '=', id).executeTakeFirst();
      if (row === undefined) throw new PublicError('channel_not_found');
      return toChannel(row);
    },
    list: (query) => listChannels(db, query),
    search: (query) => searchChannels(db, crypto, query),
    enabledModels: (groups) => enabledModels(db, groups),
  };
}

async function createAll(deps: ChannelDeps, input: ChannelInput, actor: Actor): Promise<void> {
  const columns = completeColumns(input);
  const keys = keyLines(columns.type, input.key ?? '');
  const now = nowSeconds(deps.clock);
  const status = input.status === channelStatus.disabled ? channelStatus.disabled : channelStatus.enabled;
  const abilities = splitList(columns.models).length * splitList(columns.group_names).length;
  await deps.db.transaction(async (tx) => {
    if (keys.length === 0) keys.push(await copiedKey(deps, tx, columns, input.copy_from));
    if (multiKeyMode(columns.setting) !== undefined) keys.splice(0, keys.length, keys.join('\n'));
    if (keys.length * abilities > maxAbilities) throw new PublicError('parameter_error');
    const ids: number[] = [];
    for (const key of keys) ids.push(await insertChannel(deps, tx, columns, { key, status, now }));
    const detail = { name: columns.name, type: columns.type, base_url: columns.base_url };
    for (const id of ids)
      await tx.perform(recordAudit({ actor, action: 'channel.create', target: `channel:${id}`, detail, now }));
  });
  deps.changes.notify();
}

/** The credential of another channel that goes to the same place. */
async function copiedKey(deps: ChannelDeps, tx: Transaction, columns: ChannelColumns, from?: number): Promise<string> {
  if (from === undefined) throw new PublicError('channel_key_missing');
  const source = await tx.query.selectFrom('channel').selectAll().where('id', '=', from).executeTakeFirst();
  if (source === undefined) throw new PublicError('channel_not_found');
  const samePlace = source.type === columns.type && source.base_url === columns.base_url;
  const key = samePlace ? openChannelKey(deps.crypto, source) : '';
  if (key === '') throw new PublicError('channel_key_missing');
  return key;
}

interface NewChannel {
  key: string;
  status: number;
  now: number;
}

/** Writes one row with its credential and abilities; figures start at 0. */
export async function insertChannel(
  deps: Pick<ChannelDeps, 'crypto'>,
  tx: Transaction,
  columns: ChannelColumns,
  { key, status, now }: NewChannel,
): Promise<number> {
  const { id } = await tx.query
    .insertInto('channel')
    .values({
      ...columns,
      status,
      created_at: now,
      key_sealed: '',
      key_hmac: '',
      key_hint: '',
      test_time: 0,
      response_time_ms: 0,
      balance: 0,
      balance_updated_at: 0,
      other_info: '',
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  // The credential is bound to the row's id, which exists only now.
  await tx.query
    .updateTable('channel')
    .set(keyColumns(deps.crypto, { id, type: columns.type, base_url: columns.base_url }, key, multiKeyMode(columns.setting)))
    .where('id', '=', id)
    .execute();
  await rebuildAbilities(tx, { ...columns, id, status });
  await tx.perform(notifyChange('channel', String(id), now));
  return id;
}

async function update(deps: ChannelDeps, input: ChannelUpdate, actor: Actor): Promise<Channel> {
  const columns = readColumns(input);
  const now = nowSeconds(deps.clock);
  const row = await deps.db.transaction(async (tx) => {
    const before = await lockChannel(tx, input.id);
    const changed: Partial<StoredChannel> = { ...columns, ...statusColumns(input.status, before) };
    if (touchesSpecial(changed)) changed.other = checkSpecialFields({ ...before, ...changed });
    const after = { ...before, ...changed };
    const keys = keyLines(after.type, input.key ?? '');
    if (keys.length > 1 && multiKeyMode(after.setting) === undefined) throw new PublicError('parameter_error');
    const credential = credentialColumns(deps.crypto, before, after, keys, now);
    // Named columns only: test results and balances of meanwhile must survive.
    const written = { ...changed, ...credential };
    if (Object.keys(written).length > 0) await tx.query.updateTable('channel').set(written).where('id', '=', input.id).execute();
    if (touchesAbilities(written)) await rebuildAbilities(tx, { ...after, ...credential });
    await recordStatus(tx, before, { ...after, ...credential }, actor, now);
    await tx.perform(notifyChange('channel', String(input.id), now));
    const detail = changedFields(before, written);
    await tx.perform(recordAudit({ actor, action: 'channel.update', target: `channel:${input.id}`, detail, now }));
    return { ...after, ...credential };
  });
  deps.changes.notify();
  return toChannel(row);
}

/** Short, and without room for credentials; of all other columns the log only says that they changed. */
const audited = new Set<string>(
  'type name status weight priority base_url group_names auto_ban tag test_model key_hint status_code_mapping'.split(' '),
);

/** What a write changed, for the audit log; the credential shows by its hint. */
function changedFields(before: StoredChannel, written: Partial<StoredChannel>): Record<string, unknown> {
  const names = (Object.keys(written) as (keyof StoredChannel)[]).filter((name) => before[name] !== written[name]);
  const shown = names.filter((name) => name !== 'key_sealed' && name !== 'key_hmac');
  const change = (name: keyof StoredChannel) => (audited.has(name) ? { from: before[name], to: written[name] } : 'changed');
  return Object.fromEntries(shown.map((name) => [name, change(name)]));
}

/** Reads a channel and keeps others from writing it until the transaction ends, in the SQL both engines share. */
async function lockChannel(tx: Transaction, id: number): Promise<StoredChannel> {
  const row = await tx.query
    .updateTable('channel')
    .set((column) => ({ name: column.ref('name') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw new PublicError('channel_not_found');
  return row;
}

function touchesAbilities(written: Partial<StoredChannel>): boolean {
  const keys = ['status', 'models', 'group_names', 'priority', 'weight', 'tag'] as const;
  return keys.some((key) => written[key] !== undefined);
}

/** A change of priority alone must not fail over a field that it does not carry. */
function touchesSpecial(changed: Partial<StoredChannel>): boolean {
  return changed.type !== undefined || changed.other !== undefined || changed.base_url !== undefined;
}

/** Switching on by hand forgets why a channel was switched off. */
function statusColumns(wanted: number | undefined, before: StoredChannel): { status?: number; other_info?: string } {
  if (wanted === undefined) return {};
  const status = personalStatus(wanted, before.status);
  const enabledAgain = status === channelStatus.enabled && before.status !== channelStatus.enabled;
  return enabledAgain ? { status, other_info: '' } : { status };
}

/** A new credential, the old one resealed for its place, or none when it was entered for another destination. */
function credentialColumns(crypto: Crypto, before: StoredChannel, after: StoredChannel, keys: readonly string[], now: number) {
  if (keys.length > 0) return keyColumns(crypto, after, keys.join('\n'), multiKeyMode(after.setting));
  if (before.key_sealed === '' || originOf(before) === originOf(after)) return {};
  const reason = { status_reason: '渠道地址已更改，请重新填写密钥', status_time: now };
  return { ...keyColumns(crypto, after, ''), status: channelStatus.disabled, other_info: JSON.stringify(reason) };
}

/** A change of status in the timeline; switching on by hand gives every credential another chance. */
async function recordStatus(
  tx: Transaction,
  before: StoredChannel,
  after: StoredChannel,
  actor: Actor,
  now: number,
): Promise<void> {
  if (before.status === after.status) return;
  const enabled = after.status === channelStatus.enabled;
  if (enabled) await tx.query.deleteFrom('channel_key').where('channel_id', '=', after.id).execute();
  const evidence = { from: before.status, to: after.status };
  const kind = enabled ? 'enabled' : 'disabled';
  await tx.perform(recordHappening({ channelId: after.id, kind, actor: actor.username, reason: '', now, evidence }));
}

async function remove(deps: ChannelDeps, id: number, actor: Actor): Promise<void> {
  const now = nowSeconds(deps.clock);
  await deps.db.transaction(async (tx) => {
    const result = await tx.query.deleteFrom('channel').where('id', '=', id).executeTakeFirst();
    if (result.numDeletedRows === 0n) throw new PublicError('channel_not_found');
    for (const table of ['ability', 'channel_key', 'channel_event'] as const)
      await tx.query.deleteFrom(table).where('channel_id', '=', id).execute();
    await tx.perform(notifyChange('channel', String(id), now));
    await tx.perform(recordAudit({ actor, action: 'channel.delete', target: `channel:${id}`, now }));
  });
  deps.changes.notify();
}

async function removeDisabled(deps: ChannelDeps, actor: Actor): Promise<number> {
  const now = nowSeconds(deps.clock);
  const count = await deps.db.transaction(async (tx) => {
    const switchedOff = [channelStatus.disabled, channelStatus.autoDisabled];
    const ids = tx.query.selectFrom('channel').select('id').where('status', 'in', switchedOff);
    for (const table of ['ability', 'channel_key', 'channel_event'] as const)
      await tx.query.deleteFrom(table).where('channel_id', 'in', ids).execute();
    const result = await tx.query.deleteFrom('channel').where('status', 'in', switchedOff).executeTakeFirst();
    const removed = Number(result.numDeletedRows);
    // One row for all of them: readers rebuild the whole picture anyway.
    if (removed === 0) return 0;
    await tx.perform(notifyChange('channel', '*', now));
    const detail = { removed };
    await tx.perform(recordAudit({ actor, action: 'channel.delete', target: 'channel:disabled', detail, now }));
    return removed;
  });
  if (count > 0) deps.changes.notify();
  return count;
}
