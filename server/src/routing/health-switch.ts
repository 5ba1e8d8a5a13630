import { channelStatus, type KeySwitch } from '@tollgate/contract';
import { type Actor, recordAudit } from '../audit/index.ts';
import type { ChangeSignal } from '../platform/change-signal.ts';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import type { Crypto } from '../platform/crypto.ts';
import { PublicError } from '../platform/errors.ts';
import { notifyChange } from '../storage/changes.ts';
import type { Database, Transaction, Work } from '../storage/database.ts';
import { byHand, keyHints, originOf } from './channel-key.ts';
import type { StoredChannel } from './channel-view.ts';
import { lockChannel, lockIfThere, useAgain } from './channel-writes.ts';
import { recordHappening } from './timeline.ts';

/** One transition of a channel: what notifications hang on. */
export interface ChannelEvent {
  readonly kind: 'disabled' | 'enabled' | 'key_disabled';
  readonly channelId: number;
  readonly name: string;
  /** "" when it was enabled. */
  readonly reason: string;
  readonly at: number;
  /** Models that nobody serves any more, at most 20. */
  readonly lastOf: readonly string[];
}

export interface DisableRequest {
  readonly channelId: number;
  /** Shown to people: redacted. */
  readonly reason: string;
  readonly evidence: Readonly<Record<string, unknown>>;
  /** The credential it is about: ignored when the channel has another one by now; one of several goes alone. */
  readonly key?: { readonly id: string; readonly index: number };
}

/** The automatic switch: 1 -> 3 and 3 -> 1 only, so that what a person switched off stays off. */
export interface ChannelSwitch {
  /** False: nothing changed; one without `auto_ban` is left alone. */
  disable(request: DisableRequest): Promise<boolean>;
  enable(channelId: number, evidence: Readonly<Record<string, unknown>>): Promise<boolean>;
  /** Switches one credential by hand. Throws PublicError, `channel_keys_moved` where it is another one than was seen. */
  setKey(channelId: number, wish: KeySwitch, actor: Actor): Promise<void>;
}

interface Deps {
  db: Database;
  clock: Clock;
  crypto: Crypto;
  changes: ChangeSignal;
  /** Part of the switch: neither stands without the other. */
  tell: (event: ChannelEvent) => Work<unknown>;
  onEvent?: (event: ChannelEvent) => void;
}

const system = 'system';
const maxReason = 500;
const shownLastOf = 20;

export function createChannelSwitch(deps: Deps): ChannelSwitch {
  const switched = (work: (tx: Transaction, now: number) => Promise<ChannelEvent | undefined>) =>
    deps.db.transaction(async (tx) => {
      const event = await work(tx, nowSeconds(deps.clock));
      if (event !== undefined) await tx.perform(deps.tell(event));
      return event;
    });
  const announce = (event: ChannelEvent | undefined): boolean => {
    if (event === undefined) return false;
    deps.changes.notify();
    deps.onEvent?.(event);
    return true;
  };
  return {
    async disable(request) {
      const short = { ...request, reason: request.reason.slice(0, maxReason) };
      return announce(await switched((tx, now) => disable(tx, short, now)));
    },
    async enable(channelId, evidence) {
      return announce(await switched((tx, now) => enable(tx, channelId, evidence, now)));
    },
    async setKey(channelId, wish, actor) {
      await deps.db.transaction((tx) => setKey(tx, deps, { ...wish, channelId, actor }));
      deps.changes.notify();
    },
  };
}

/** The name under which a channel's health knows one of its credentials. */
export function keyIdOf(row: Pick<StoredChannel, 'id' | 'type' | 'base_url' | 'key_hmac'>, index: number): string {
  return `${(row.key_hmac.split(',')[index] ?? '').slice(0, 16)}@${originOf(row)}`;
}

async function disable(tx: Transaction, request: DisableRequest, now: number): Promise<ChannelEvent | undefined> {
  const { channelId, reason, evidence, key } = request;
  const row = await lockIfThere(tx, channelId);
  // Both as they are now: a run, or a call, may have begun before a person changed them.
  if (row?.status !== channelStatus.enabled || row.auto_ban !== 1) return undefined;
  if (key !== undefined && keyIdOf(row, key.index) !== key.id) return undefined;
  const event = { channelId, name: row.name, reason, at: now };
  if (key !== undefined && row.key_hmac.includes(',')) {
    const left = await disableKey(tx, row, key.index, reason, now);
    if (left === undefined) return undefined;
    if (left > 0) {
      await tx.perform(
        recordHappening({ channelId, kind: 'key_disabled', actor: system, reason, now, keyIndex: key.index, evidence }),
      );
      await tx.perform(notifyChange('channel', String(channelId), now));
      return { ...event, kind: 'key_disabled', lastOf: [] };
    }
  }
  const lastOf = await modelsOnlyHere(tx, channelId);
  await setStatus(tx, channelId, channelStatus.autoDisabled, JSON.stringify({ status_reason: reason, status_time: now }), now);
  const shown = lastOf.length === 0 ? evidence : { ...evidence, last_of: lastOf };
  await tx.perform(recordHappening({ channelId, kind: 'auto_disabled', actor: system, reason, now, evidence: shown }));
  return { ...event, kind: 'disabled', lastOf };
}

async function enable(
  tx: Transaction,
  channelId: number,
  evidence: Readonly<Record<string, unknown>>,
  now: number,
): Promise<ChannelEvent | undefined> {
  const row = await lockIfThere(tx, channelId);
  if (row?.status !== channelStatus.autoDisabled) return undefined;
  await useAgain(tx, row);
  await setStatus(tx, channelId, channelStatus.enabled, '', now);
  await tx.perform(recordHappening({ channelId, kind: 'auto_enabled', actor: system, reason: '', now, evidence }));
  return { kind: 'enabled', channelId, name: row.name, reason: '', at: now, lastOf: [] };
}

interface OwnedSwitch extends KeySwitch {
  readonly channelId: number;
  readonly actor: Actor;
}

async function setKey(
  tx: Transaction,
  { clock, crypto }: Pick<Deps, 'clock' | 'crypto'>,
  { channelId, key_index: keyIndex, enabled, hint, actor }: OwnedSwitch,
): Promise<void> {
  const now = nowSeconds(clock);
  const row = await lockChannel(tx, channelId);
  if (hint !== undefined && keyHints(crypto, row)[keyIndex] !== hint) throw new PublicError('channel_keys_moved');
  const hmac = row.key_hmac.split(',')[keyIndex] ?? '';
  if (hmac === '') throw new PublicError('parameter_error');
  if (enabled) {
    await tx.query.deleteFrom('channel_key').where('channel_id', '=', channelId).where('key_hmac', '=', hmac).execute();
  } else if ((await disableKey(tx, row, keyIndex, byHand, now)) === 0) throw new PublicError('parameter_error');
  const kind = enabled ? 'key_enabled' : 'key_disabled';
  await tx.perform(recordHappening({ channelId, kind, actor: actor.username, reason: '', now, keyIndex }));
  await tx.perform(notifyChange('channel', String(channelId), now));
  const detail = { key_index: keyIndex, enabled };
  await tx.perform(recordAudit({ actor, action: 'channel.update', target: `channel:${channelId}`, detail, now }));
}

/** How many credentials stay usable; undefined when this one was off before. */
async function disableKey(tx: Transaction, row: StoredChannel, index: number, reason: string, now: number) {
  const hmacs = row.key_hmac.split(',');
  const off = await tx.query.selectFrom('channel_key').select('key_hmac').where('channel_id', '=', row.id).execute();
  const offSet = new Set(off.map(({ key_hmac }) => key_hmac));
  const hmac = hmacs[index] ?? '';
  if (offSet.has(hmac)) return undefined;
  await tx.query.insertInto('channel_key').values({ channel_id: row.id, key_hmac: hmac, reason, changed_at: now }).execute();
  return hmacs.filter((other) => other !== hmac && !offSet.has(other)).length;
}

async function setStatus(tx: Transaction, id: number, status: number, otherInfo: string, now: number): Promise<void> {
  await tx.query.updateTable('channel').set({ status, other_info: otherInfo }).where('id', '=', id).execute();
  const enabled = status === channelStatus.enabled ? 1 : 0;
  await tx.query.updateTable('ability').set({ enabled }).where('channel_id', '=', id).execute();
  await tx.perform(notifyChange('channel', String(id), now));
}

async function modelsOnlyHere(tx: Transaction, channelId: number): Promise<string[]> {
  const rows = await tx.query
    .selectFrom('ability as own')
    .select('own.model')
    .distinct()
    .where('own.channel_id', '=', channelId)
    .where('own.enabled', '=', 1)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('ability as other')
            .select('other.channel_id')
            .whereRef('other.group_name', '=', 'own.group_name')
            .whereRef('other.model', '=', 'own.model')
            .where('other.enabled', '=', 1)
            .where('other.channel_id', '<>', channelId),
        ),
      ),
    )
    .orderBy('own.model')
    .limit(shownLastOf)
    .execute();
  return rows.map(({ model }) => model);
}
