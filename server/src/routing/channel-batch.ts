import { type Actor, recordAudit } from '../audit/index.ts';
import type { ChangeSignal } from '../platform/change-signal.ts';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import { notifyChange } from '../storage/changes.ts';
import type { Database, Transaction } from '../storage/database.ts';
import { areAbilitiesRight, rebuildAbilities } from './abilities.ts';
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

/** What one transaction writes: nobody else writes meanwhile where there is one writer (decision 0080). */
const channelsPerTransaction = 100;
const abilitiesPerTransaction = 10_000;
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
    for (const part of await readParts(db, ids)) count += await db.transaction((tx) => work(tx, part, now), { timeoutMs });
  } finally {
    if (count > 0) changes.notify();
  }
  return count;
}

/** Channels that are written together: a hundred, or as many as have so many rows. */
export function inPartsOf(channels: Iterable<{ readonly id: number; readonly abilities: number }>): number[][] {
  const parts: number[][] = [];
  let part: number[] = [];
  let sum = 0;
  for (const { id, abilities } of channels) {
    if (part.length === 0 || part.length >= channelsPerTransaction || sum + abilities > abilitiesPerTransaction) {
      part = [];
      sum = 0;
      parts.push(part);
    }
    part.push(id);
    sum += abilities;
  }
  return parts;
}

async function readParts({ analyse }: Database, ids: readonly number[]): Promise<number[][]> {
  const counts = new Map<number, number>();
  for (const chunk of chunks(ids)) {
    const rows = await analyse
      .selectFrom('ability')
      .select(['channel_id', ({ fn }) => fn.countAll<number | string>().as('count')])
      .where('channel_id', 'in', chunk)
      .groupBy('channel_id')
      .execute();
    for (const { channel_id, count } of rows) counts.set(channel_id, Number(count));
  }
  return inPartsOf(ids.map((id) => ({ id, abilities: counts.get(id) ?? 0 })));
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
  const orphans = await dropOrphans(deps);
  let repaired = 0;
  for await (const id of unlikeTheirColumns(deps.db)) {
    if (await deps.db.transaction((tx) => repair(tx, id), { timeoutMs })) repaired += 1;
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

/** Rows of channels that are gone, which none comes back from; returns how many channels those were. */
async function dropOrphans({ db }: BatchDeps): Promise<number> {
  const gone = await db.analyse
    .selectFrom('ability')
    .select('channel_id')
    .distinct()
    .where('channel_id', 'not in', db.analyse.selectFrom('channel').select('id'))
    .execute();
  for (const chunk of chunks(gone.map(({ channel_id }) => channel_id))) {
    await db.transaction((tx) => tx.query.deleteFrom('ability').where('channel_id', 'in', chunk).execute(), { timeoutMs });
  }
  return gone.length;
}

const abilitySource = ['id', 'status', 'models', 'group_names', 'priority', 'weight', 'tag'] as const;

/** Channels whose abilities are not what their columns say, as far as is seen beside the calls: the writer waits for none of it. */
async function* unlikeTheirColumns({ analyse: read }: Database): AsyncGenerator<number> {
  const channels = read.selectFrom('channel').select(abilitySource).orderBy('id').limit(channelsPerTransaction);
  for (let page = await channels.execute(); page.length > 0; ) {
    for (const channel of page) {
      if (!(await areAbilitiesRight(read, channel))) yield channel.id;
    }
    page = await channels.where('id', '>', page.at(-1)?.id ?? 0).execute();
  }
}

/** Locked: abilities of a moment later would differ from a status that was changed in between. */
async function repair(tx: Transaction, id: number): Promise<boolean> {
  const channel = await tx.query
    .updateTable('channel')
    .set((column) => ({ name: column.ref('name') }))
    .where('id', '=', id)
    .returning(abilitySource)
    .executeTakeFirst();
  return channel !== undefined && rebuildAbilities(tx, channel);
}

function unique(ids: readonly number[]): number[] {
  return [...new Set(ids)];
}

function* chunks(ids: readonly number[]): Generator<number[]> {
  for (let start = 0; start < ids.length; start += channelsPerTransaction) yield ids.slice(start, start + channelsPerTransaction);
}
