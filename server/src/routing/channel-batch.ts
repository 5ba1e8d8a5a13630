import { type Actor, recordAudit } from '../audit/index.ts';
import type { ChangeSignal } from '../platform/change-signal.ts';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import { notifyChange } from '../storage/changes.ts';
import type { Database, Transaction } from '../storage/database.ts';
import { abilityRows, rebuildAbilities } from './abilities.ts';
import type { StoredChannel } from './channel-view.ts';

export interface BatchDeps {
  db: Database;
  clock: Clock;
  changes: ChangeSignal;
}

/** What is done to many channels at once, in parts (decision 0080). Each answers how many were touched. */
export interface ChannelBatches {
  remove(ids: readonly number[], actor: Actor): Promise<number>;
  /** `tag` "" clears it. */
  tag(ids: readonly number[], tag: string, actor: Actor): Promise<number>;
  /** Makes the abilities of all channels what their columns say; counts the channels whose rows changed (contract 4.6). */
  repair(actor: Actor): Promise<number>;
}

const channelsPerTransaction = 100;
const timeoutMs = 60_000;

export function createChannelBatches(deps: BatchDeps): ChannelBatches {
  return {
    remove: (ids, actor) => inParts(deps, unique(ids), (tx, part, now) => removeAll(tx, part, actor, now)),
    tag: (ids, tag, actor) => inParts(deps, unique(ids), (tx, part, now) => tagAll(tx, part, tag, actor, now)),
    repair: (actor) => repairAll(deps, actor),
  };
}

/** Every part whole, with its audit row; what was cut off in between is completed by the same call. */
export async function inParts(
  { db, clock, changes }: BatchDeps,
  ids: readonly number[],
  work: (tx: Transaction, part: readonly number[], now: number) => Promise<number>,
): Promise<number> {
  const now = nowSeconds(clock);
  let count = 0;
  try {
    for (const part of chunks(ids)) count += await db.transaction((tx) => work(tx, part, now), { timeoutMs });
  } finally {
    if (count > 0) changes.notify();
  }
  return count;
}

async function removeAll(tx: Transaction, ids: readonly number[], actor: Actor, now: number): Promise<number> {
  const removed = await removeRows(tx, ids);
  if (removed.length === 0) return 0;
  await recordBatch(tx, { actor, action: 'channel.delete', ...tellRemoved(removed), now });
  return removed.length;
}

type Removed = Pick<StoredChannel, 'id' | 'name' | 'type'>;

/** What the audit log says of channels that nothing else tells of any more. */
export function tellRemoved(removed: readonly Removed[]) {
  const names = Object.fromEntries(removed.map(({ id, name }) => [id, name]));
  return { ids: removed.map(({ id }) => id), detail: { removed: removed.length, names } };
}

/** Removes channels and what hangs on them; answers those that were there. */
export async function removeRows(tx: Transaction, ids: readonly number[]): Promise<Removed[]> {
  if (ids.length === 0) return [];
  // Before what hangs on it: whoever edits one of them now would leave new abilities behind.
  const removed = await tx.query.deleteFrom('channel').where('id', 'in', ids).returning(['id', 'name', 'type']).execute();
  for (const table of ['ability', 'channel_key', 'channel_event'] as const) {
    await tx.query.deleteFrom(table).where('channel_id', 'in', ids).execute();
  }
  return removed.sort((left, right) => left.id - right.id);
}

async function tagAll(tx: Transaction, ids: readonly number[], tag: string, actor: Actor, now: number): Promise<number> {
  const result = await tx.query.updateTable('channel').set({ tag }).where('id', 'in', ids).executeTakeFirst();
  await tx.query.updateTable('ability').set({ tag }).where('channel_id', 'in', ids).execute();
  const tagged = Number(result.numUpdatedRows);
  if (tagged > 0) await recordBatch(tx, { actor, action: 'channel.update', ids, detail: { tag, tagged }, now });
  return tagged;
}

interface Batch {
  actor: Actor;
  action: 'channel.delete' | 'channel.update';
  ids: readonly number[];
  detail: Record<string, unknown>;
  now: number;
}

async function recordBatch(tx: Transaction, { actor, action, ids, detail, now }: Batch): Promise<void> {
  await tx.perform(notifyChange('channel', '*', now));
  await tx.perform(recordAudit({ actor, action, target: 'channel:batch', detail: { ...detail, ids }, now }));
}

async function repairAll(deps: BatchDeps, actor: Actor): Promise<number> {
  const orphans = await deps.db.transaction((tx) => dropOrphans(tx), { timeoutMs });
  let repaired = 0;
  for (let after = 0; ; ) {
    const { last, changed } = await deps.db.transaction((tx) => repairPage(tx, after), { timeoutMs });
    repaired += changed;
    if (last === undefined) break;
    after = last;
  }
  const now = nowSeconds(deps.clock);
  await deps.db.transaction(async (tx) => {
    await tx.perform(notifyChange('channel', '*', now));
    const detail = { repaired, orphans };
    await tx.perform(recordAudit({ actor, action: 'channel.repair', target: 'channel:all', detail, now }));
  });
  deps.changes.notify();
  return repaired + orphans;
}

/** Rows of channels that are gone; returns how many channels those were. */
async function dropOrphans(tx: Transaction): Promise<number> {
  const gone = await tx.query
    .selectFrom('ability')
    .select('channel_id')
    .distinct()
    .where('channel_id', 'not in', tx.query.selectFrom('channel').select('id'))
    .execute();
  for (const chunk of chunks(gone.map(({ channel_id }) => channel_id))) {
    await tx.query.deleteFrom('ability').where('channel_id', 'in', chunk).execute();
  }
  return gone.length;
}

async function repairPage(tx: Transaction, after: number): Promise<{ last: number | undefined; changed: number }> {
  const columns = ['id', 'status', 'models', 'group_names', 'priority', 'weight', 'tag'] as const;
  const page = tx.query.selectFrom('channel').select('id').where('id', '>', after).orderBy('id').limit(channelsPerTransaction);
  // Locked: abilities of a moment later would differ from a status that was changed in between.
  const channels = await tx.query
    .updateTable('channel')
    .set((column) => ({ name: column.ref('name') }))
    .where('id', 'in', page)
    .returning(columns)
    .execute();
  const last = channels.length === 0 ? undefined : Math.max(...channels.map(({ id }) => id));
  if (last === undefined) return { last, changed: 0 };
  const present = await tx.query
    .selectFrom('ability')
    .selectAll()
    .where(
      'channel_id',
      'in',
      channels.map(({ id }) => id),
    )
    .execute();
  const byChannel = Map.groupBy(present, ({ channel_id }) => channel_id);
  let changed = 0;
  for (const channel of channels) {
    if (sameRows(abilityRows(channel), byChannel.get(channel.id) ?? [])) continue;
    await rebuildAbilities(tx, channel);
    changed += 1;
  }
  return { last, changed };
}

type AbilityRow = ReturnType<typeof abilityRows>[number];

function sameRows(wanted: readonly AbilityRow[], present: readonly AbilityRow[]): boolean {
  const text = (row: AbilityRow) => JSON.stringify([row.group_name, row.model, row.enabled, row.priority, row.weight, row.tag]);
  const known = new Set(present.map(text));
  return wanted.length === present.length && wanted.every((row) => known.has(text(row)));
}

function unique(ids: readonly number[]): number[] {
  return [...new Set(ids)];
}

function* chunks(ids: readonly number[]): Generator<number[]> {
  for (let start = 0; start < ids.length; start += channelsPerTransaction) yield ids.slice(start, start + channelsPerTransaction);
}
