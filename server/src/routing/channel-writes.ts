import { type ChannelInput, type ChannelUpdate, channelStatus } from '@tollgate/contract';
import { type Actor, changesBetween, recordAudit } from '../audit/index.ts';
import type { Crypto } from '../platform/crypto.ts';
import { PublicError } from '../platform/errors.ts';
import { notifyChange } from '../storage/changes.ts';
import type { Transaction } from '../storage/database.ts';
import { countAbilities, insertAbilities, rebuildAbilities } from './abilities.ts';
import { removeRows } from './channel-batch.ts';
import {
  type ChannelColumns,
  completeColumns,
  keyLines,
  maxKeys,
  onPresent,
  personalStatus,
  readColumns,
} from './channel-input.ts';
import { byHand, destinationOf, keyColumns, neededKey } from './channel-key.ts';
import { refuseMask, unmaskedSetting } from './channel-proxy.ts';
import { checkSpecialFields } from './channel-rules.ts';
import { multiKeyMode } from './channel-setting.ts';
import { readStored, type StoredChannel } from './channel-view.ts';
import { splitKeys } from './multi-key.ts';
import { recordHappening } from './timeline.ts';

/** Whose write it is, and when. `now` in unix seconds. */
export interface ChannelWrite {
  readonly crypto: Crypto;
  readonly actor: Actor;
  readonly now: number;
}

/**
 * Writes new channels with abilities, change and audit row, inside the caller's transaction: one per line of `key`, one
 * for all lines where the setting says so, and one without a credential where `mayLackKey`. Throws PublicError.
 */
export async function createChannelsIn(
  tx: Transaction,
  input: ChannelInput,
  { mayLackKey = false, ...write }: ChannelWrite & { mayLackKey?: boolean },
): Promise<void> {
  const { actor, now, crypto } = write;
  const columns = completeColumns(input);
  if (input.copy_from !== undefined)
    columns.setting = unmaskedSetting(columns.setting, (await readStored(tx.query, input.copy_from)).setting);
  refuseMask(columns.setting);
  const keys = keyLines(columns.type, input.key ?? '');
  const status = input.status === channelStatus.disabled ? channelStatus.disabled : channelStatus.enabled;
  const source = keys.length === 0 && !mayLackKey ? await copiedKey(crypto, tx, columns, input.copy_from) : undefined;
  if (keys.length === 0) keys.push(source?.key ?? '');
  if (multiKeyMode(columns.setting) !== undefined) keys.splice(0, keys.length, [...new Set(keys)].join('\n'));
  countAbilities(columns, keys.length);
  const ids: number[] = [];
  for (const key of keys) ids.push(await insertChannel({ crypto }, tx, columns, { key, status, now }));
  if (source !== undefined) for (const id of ids) await keepSwitchedOff(tx, source.id, id);
  const detail = { name: columns.name, type: columns.type, base_url: columns.base_url };
  for (const id of ids) await tx.perform(recordAudit({ actor, action: 'channel.create', target: `channel:${id}`, detail, now }));
}

/** The credential of another channel that goes to the same place. */
async function copiedKey(crypto: Crypto, tx: Transaction, columns: ChannelColumns, from?: number) {
  if (from === undefined) throw new PublicError('channel_key_missing');
  const source = await readStored(tx.query, from);
  const sameAddress = source.type === columns.type && source.base_url === columns.base_url;
  const samePlace = sameAddress && destinationOf(source) === destinationOf(columns);
  if (!samePlace) throw new PublicError('channel_key_missing');
  return { id: source.id, key: neededKey(crypto, source) };
}

/** Of a copy's credentials those that a person switched off for its source. */
export async function keepSwitchedOff(tx: Transaction, sourceId: number, id: number): Promise<void> {
  const keys = tx.query.selectFrom('channel_key').select(['key_hmac', 'reason', 'changed_at']).where('channel_id', '=', sourceId);
  const rows = (await keys.where('reason', '=', byHand).execute()).map((row) => ({ ...row, channel_id: id }));
  if (rows.length === 0) return;
  await tx.query.insertInto('channel_key').values(rows).execute();
  await keepUsable(tx, await readStored(tx.query, id));
}

interface NewChannel {
  key: string;
  status: number;
  now: number;
}

/** Writes one row with its credential and abilities; figures start at 0. */
export async function insertChannel(
  deps: { crypto: Crypto },
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
      ...unknownBalance,
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
  await insertAbilities(tx, { ...columns, id, status });
  await tx.perform(notifyChange('channel', String(id), now));
  return id;
}

/**
 * Writes the keys that are present, inside the caller's transaction, with abilities, change, timeline and audit row;
 * the row as it is then. "" leaves the credential as it is, a new destination without one drops it. Throws PublicError.
 */
export async function updateChannelIn(
  tx: Transaction,
  input: ChannelUpdate,
  { crypto, actor, now }: ChannelWrite,
): Promise<void> {
  const wanted = readColumns(input);
  const before = await lockChannel(tx, input.id);
  const columns = onPresent(...unmasked(wanted, input, before));
  if (columns.setting !== undefined) refuseMask(columns.setting);
  const changed: Partial<StoredChannel> = { ...columns, ...statusColumns(input.status, before) };
  if (touchesSpecial(changed)) changed.other = checkSpecialFields({ ...before, ...changed });
  const after = { ...before, ...changed };
  if (changed.models !== undefined || changed.group_names !== undefined) countAbilities(after);
  const keys = withStored(crypto, keyLines(after.type, input.key ?? ''), { input, before, after });
  if (keys.length > 1 && multiKeyMode(after.setting) === undefined) throw new PublicError('parameter_error');
  const credential = credentialColumns(crypto, before, after, keys, now);
  // Named columns only: test results and balances of meanwhile must survive.
  const written = { ...changed, ...credential };
  if (Object.keys(written).length > 0) await tx.query.updateTable('channel').set(written).where('id', '=', input.id).execute();
  if (touchesAbilities(written)) await rebuildAbilities(tx, { ...after, ...credential });
  await recordStatus(tx, before, { ...after, ...credential }, actor, now);
  if (written.key_hmac !== undefined) await keepUsable(tx, { id: input.id, key_hmac: written.key_hmac });
  await tx.perform(notifyChange('channel', String(input.id), now));
  const detail = changedFields(before, written);
  await tx.perform(recordAudit({ actor, action: 'channel.update', target: `channel:${input.id}`, detail, now }));
}

/** What an editor of the setting saw and wants, as it is stored. */
function unmasked(wanted: Partial<ChannelColumns>, { seen, ...input }: ChannelUpdate, before: StoredChannel) {
  const open = <T extends { setting?: unknown }>(fields: T): T =>
    typeof fields.setting === 'string' ? { ...fields, setting: unmaskedSetting(fields.setting, before.setting) } : fields;
  return [open(wanted), before, seen === undefined ? input : { ...input, seen: open(seen) }] as const;
}

interface Change {
  input: ChannelUpdate;
  before: StoredChannel;
  after: StoredChannel;
}

/**
 * The credentials that the channel shall have: those that are typed, each once, behind the stored ones where these stay. What is
 * stored goes to no other destination. Throws PublicError.
 */
function withStored(crypto: Crypto, typed: string[], { input, before, after }: Change): string[] {
  const mode = multiKeyMode(after.setting);
  if (mode === undefined) return typed;
  const stays = input.key_mode === 'append' && typed.length > 0 && before.key_sealed !== '';
  const stored = stays && destinationOf(before) === destinationOf(after) ? splitKeys(neededKey(crypto, before), mode) : [];
  const keys = [...new Set([...stored, ...typed])];
  if (keys.length > Math.max(maxKeys, stored.length)) throw new PublicError('channel_keys_many', { max: maxKeys });
  return keys;
}

/**
 * Removes the credentials that were switched off by `until` (0 = all), inside the caller's transaction; how many. Throws
 * PublicError `channel_key_missing` where none would be left.
 */
export async function removeOffKeysIn(tx: Transaction, id: number, until: number, write: ChannelWrite): Promise<number> {
  const row = await lockChannel(tx, id);
  const all = tx.query.selectFrom('channel_key').select('key_hmac').where('channel_id', '=', id);
  const off = await (until === 0 ? all : all.where('changed_at', '<=', until)).execute();
  const gone = new Set(off.map(({ key_hmac }) => key_hmac));
  const hmacs = row.key_hmac.split(',');
  const keys = splitKeys(neededKey(write.crypto, row), multiKeyMode(row.setting));
  const kept = keys.filter((_, index) => !gone.has(hmacs[index] ?? ''));
  if (kept.length === 0) throw new PublicError('channel_key_missing');
  if (kept.length < keys.length) await updateChannelIn(tx, { id, key: kept.join('\n') }, write);
  return keys.length - kept.length;
}

/** Removes a channel and what hangs on it, inside the caller's transaction. Throws PublicError `channel_not_found`. */
export async function removeChannelIn(tx: Transaction, id: number, { actor, now }: Omit<ChannelWrite, 'crypto'>): Promise<void> {
  const [removed] = await removeRows(tx, [id]);
  if (removed === undefined) throw new PublicError('channel_not_found');
  await tx.perform(notifyChange('channel', String(id), now));
  const detail = { name: removed.name, type: removed.type };
  await tx.perform(recordAudit({ actor, action: 'channel.delete', target: `channel:${id}`, detail, now }));
}

/** Short, and without room for credentials; of all other columns the log only says that they changed. */
const audited = new Set<string>(
  'type name status weight priority base_url group_names auto_ban tag test_model key_hint status_code_mapping'.split(' '),
);

/** What a write changed, for the audit log; the credential shows by its hint. */
function changedFields(before: StoredChannel, written: Partial<StoredChannel>): Record<string, unknown> {
  const { key_sealed: _, key_hmac: __, ...shown } = written;
  const changes = Object.entries(changesBetween(before, shown));
  return Object.fromEntries(changes.map(([name, change]) => [name, audited.has(name) ? change : 'changed']));
}

/** Reads a channel and keeps others from writing it until the transaction ends, in the SQL both engines share. */
export function lockIfThere(tx: Transaction, id: number): Promise<StoredChannel | undefined> {
  return tx.query
    .updateTable('channel')
    .set((column) => ({ name: column.ref('name') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** The same of one that must be there. Throws PublicError `channel_not_found`. */
export async function lockChannel(tx: Transaction, id: number): Promise<StoredChannel> {
  const row = await lockIfThere(tx, id);
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
  const samePlace = destinationOf(before) === destinationOf(after);
  const moved = samePlace ? {} : unknownBalance;
  if (keys.length > 0) {
    // What is asked for below is done.
    const answered = before.key_sealed === '' && before.status === channelStatus.disabled ? { other_info: '' } : {};
    return { ...keyColumns(crypto, after, keys.join('\n'), multiKeyMode(after.setting)), ...moved, ...answered };
  }
  if (before.key_sealed === '') return moved;
  if (samePlace) {
    return countsOtherwise(before, after)
      ? keyColumns(crypto, after, neededKey(crypto, before), multiKeyMode(after.setting))
      : {};
  }
  const reason = { status_reason: '渠道地址已更改，请重新填写密钥', status_time: now };
  return { ...keyColumns(crypto, after, ''), ...moved, status: channelStatus.disabled, other_info: JSON.stringify(reason) };
}

/** Until the account is asked: what one elsewhere had left would be told, and warned of, for ever where none can be asked. */
const unknownBalance = { balance: 0, balance_updated_at: 0 };

/** Of the same stored lines all are credentials now, or the first alone is. */
function countsOtherwise(before: StoredChannel, after: StoredChannel): boolean {
  return (multiKeyMode(before.setting) === undefined) !== (multiKeyMode(after.setting) === undefined);
}

/**
 * Of credentials that are gone nothing is kept: who enters one again means it. A channel that is to be used has one: where all
 * of them are switched off alone, none is any more.
 */
async function keepUsable(tx: Transaction, { id, key_hmac }: Pick<StoredChannel, 'id' | 'key_hmac'>): Promise<void> {
  const hmacs = key_hmac.split(',');
  const states = tx.query.deleteFrom('channel_key').where('channel_id', '=', id);
  await states.where('key_hmac', 'not in', hmacs).execute();
  const off = await tx.query.selectFrom('channel_key').select('key_hmac').where('channel_id', '=', id).execute();
  const offSet = new Set(off.map((state) => state.key_hmac));
  if (hmacs.every((hmac) => offSet.has(hmac))) await states.execute();
}

/** A channel that is switched on gives its credentials another chance, but for those that a person switched off. */
export async function useAgain(tx: Transaction, row: Pick<StoredChannel, 'id' | 'key_hmac'>): Promise<void> {
  await tx.query.deleteFrom('channel_key').where('channel_id', '=', row.id).where('reason', '<>', byHand).execute();
  await keepUsable(tx, row);
}

/** A change of status in the timeline; where credentials count otherwise, each of them has another chance. */
async function recordStatus(
  tx: Transaction,
  before: StoredChannel,
  after: StoredChannel,
  actor: Actor,
  now: number,
): Promise<void> {
  const enabled = after.status === channelStatus.enabled;
  if (countsOtherwise(before, after)) await tx.query.deleteFrom('channel_key').where('channel_id', '=', after.id).execute();
  else if (enabled && before.status !== after.status) await useAgain(tx, after);
  if (before.status === after.status) return;
  const evidence = { from: before.status, to: after.status };
  const kind = enabled ? 'enabled' : 'disabled';
  await tx.perform(recordHappening({ channelId: after.id, kind, actor: actor.username, reason: '', now, evidence }));
}
