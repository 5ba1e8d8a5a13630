import { openChannelFigures } from '../billing/index.ts';
import { nowSeconds } from '../platform/clock.ts';
import { sha256 } from '../platform/crypto.ts';
import { channelFault, insertImportedChannel } from '../routing/index.ts';
import type { Transaction } from '../storage/database.ts';
import { asCustom, type MappedChannel, mapChannel } from './map-channel.ts';
import { type KeyedMark, writeMark } from './marks.ts';
import { bringPage, type Later, marksMet, pagesOf, type Run, vanished } from './work.ts';

/** Channels with their credentials, sealed. One that changed at the source since, or was deleted, stays as it is here. */
export async function bringChannels(run: Run): Promise<void> {
  const met = new Set<string>();
  for await (const rows of pagesOf(run, 'channels', 'channels')) {
    const mapped = rows.map((row) => mapChannel(run.product, row));
    const marks = await marksMet(run, 'channel', mapped, met);
    const gone: KeyedMark[] = [];
    await bringPage(run, mapped, async (each, tx, later) => {
      const mark = marks.get(each.key);
      if (mark === undefined)
        return 'skip' in each ? later(() => run.tally.skip('channels', each.skip, each.key)) : insert(run, tx, each, later);
      if ('skip' in each) return later(() => void gone.push({ ...mark, key: each.key }));
      const isSame = mark.state.digest === digestOf(each);
      later(() => keep(run, { ...mark, key: each.key }, isSame ? undefined : 'kept', each.input.name));
    });
    await tellGone(run, gone);
  }
  for await (const marks of vanished(run, { table: 'channels', kind: 'channel', met })) await tellGone(run, marks);
}

/** Deleted there since; of one that was deleted here, too, nothing is to be said. */
async function tellGone(run: Run, marks: readonly KeyedMark[]): Promise<void> {
  if (run.db === undefined || marks.length === 0) return;
  const ids = marks.map(({ targetId }) => targetId);
  const rows = await run.db.read.selectFrom('channel').select(['id', 'name']).where('id', 'in', ids).execute();
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  for (const mark of marks) keep(run, mark, names.has(mark.targetId) ? 'deleted_since' : undefined, names.get(mark.targetId));
}

/** Its rows of the log are still to come. */
function keep({ tally, channels }: Run, { key, targetId }: KeyedMark, change: string | undefined, detail?: string): void {
  channels.set(key, targetId);
  tally.counts.channels[change === undefined ? 'known' : 'changed'] += 1;
  if (change !== undefined) tally.note('channels', change, key, detail);
}

async function insert(run: Run, tx: Transaction | undefined, mapped: MappedChannel, later: Later): Promise<void> {
  const { channel, notes } = acceptable(mapped);
  const name = mapped.input.name ?? '';
  if (channel === undefined) return later(() => run.tally.skip('channels', 'unusable', mapped.key, name));
  const id = tx === undefined ? 0 : await write(run, tx, channel, digestOf(mapped));
  later(() => {
    run.channels.set(mapped.key, id);
    run.tally.counts.channels.imported += 1;
    for (const note of [...mapped.notes, ...notes]) run.tally.note('channels', note, mapped.key, name);
  });
}

async function write(run: Run, tx: Transaction, channel: MappedChannel, digest: string): Promise<number> {
  const id = await insertImportedChannel(run, tx, { ...channel, now: nowSeconds(run.clock) });
  await tx.perform(openChannelFigures(id, channel.used));
  const place = { source: run.product, kind: 'channel', key: channel.key };
  await writeMark(tx, place, { before: undefined, after: { targetId: id, state: { digest } } });
  return id;
}

/** As it is, else without what our rules refuse, else not at all. */
function acceptable(mapped: MappedChannel): { channel: MappedChannel | undefined; notes: string[] } {
  if (channelFault(mapped.input) === undefined) return { channel: mapped, notes: [] };
  const custom = asCustom(mapped);
  return { channel: channelFault(custom.input) === undefined ? custom : undefined, notes: ['refused'] };
}

/** Of what an operator edits; figures move by themselves. */
function digestOf({ input, status, offKeys }: MappedChannel): string {
  return sha256(JSON.stringify([input, status, offKeys]));
}
