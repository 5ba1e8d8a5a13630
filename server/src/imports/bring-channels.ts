import { openChannelFigures } from '../billing/index.ts';
import { nowSeconds } from '../platform/clock.ts';
import { sha256 } from '../platform/crypto.ts';
import { channelFault, insertImportedChannel } from '../routing/index.ts';
import type { Transaction } from '../storage/database.ts';
import { asCustom, type MappedChannel, mapChannel } from './map-channel.ts';
import { readMarks, writeMark } from './marks.ts';
import { bringPage, type Later, pagesOf, type Run } from './work.ts';

/** Channels with their credentials, sealed. One that changed at the source since stays as it is here. */
export async function bringChannels(run: Run): Promise<void> {
  for await (const rows of pagesOf(run, 'channels', 'channels')) {
    const mapped = rows.map((row) => mapChannel(run.product, row));
    const keys = mapped.map(({ key }) => key);
    const marks = await readMarks(run.db?.read, run.product, 'channel', keys);
    await bringPage(run, mapped, async (each, tx, later) => {
      const mark = marks.get(each.key);
      if ('skip' in each) return leave(run, later, each.skip, each.key);
      if (mark === undefined) return insert(run, tx, each, later);
      const isSame = mark.state.digest === digestOf(each);
      later(() => {
        run.channels.set(each.key, mark.targetId);
        run.tally.counts.channels[isSame ? 'known' : 'changed'] += 1;
        if (!isSame) run.tally.note('channels', 'kept', each.key, each.input.name ?? '');
      });
    });
  }
}

async function insert(run: Run, tx: Transaction | undefined, mapped: MappedChannel, later: Later): Promise<void> {
  const { channel, notes } = acceptable(mapped);
  const name = mapped.input.name ?? '';
  if (channel === undefined) return leave(run, later, 'unusable', mapped.key, name);
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

function leave({ tally }: Run, later: Later, what: string, key: string, detail = ''): void {
  later(() => {
    tally.counts.channels.skipped += 1;
    tally.note('channels', what, key, detail);
  });
}
