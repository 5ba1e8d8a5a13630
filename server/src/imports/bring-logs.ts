import { nowSeconds } from '../platform/clock.ts';
import { insertImportedLogs } from '../usage/index.ts';
import { type MappedLog, mapLog } from './map-log.ts';
import { readMarks, writeMark } from './marks.ts';
import { seconds } from './values.ts';
import type { Run } from './work.ts';

/** A server may be at work on the same database: no transaction keeps its calls waiting for long. */
const rowsPerBatch = 1_000;
const transactionMs = 120_000;
/** How much later than its time a row may be committed. */
const lateSeconds = 120;
/** Whose newest row is as old as this is no longer written to. */
const idleSeconds = 3_600;
/** A server's clock is not ahead of ours by more. */
const aheadSeconds = 86_400;
const [kind, reached] = ['log', 'reached'];

/** The log in order of its ids, last of all: each batch is committed with how far it reached, and the next run goes on there. */
export async function bringLogs(run: Run): Promise<void> {
  const { source, product, db, mode, tally } = run;
  const counts = tally.counts.logs;
  counts.found = source.tables.has('logs') ? await source.count('logs') : 0;
  // Those products can be told to write it into another database, and leave an empty table or none here.
  if (counts.found === 0 && run.before.used > 0n) tally.note('logs', 'elsewhere', 'logs');
  if (counts.found === 0) return;
  const marks = await readMarks(db?.read, product, kind, [reached]);
  let mark = marks.get(reached);
  const state = mark?.state ?? { id: 0, rows: 0 };
  let [after, seen] = [BigInt(String(state.id)), Number(state.rows)];
  counts.known = Math.min(counts.found, seen);
  if (mode === 'dry-run' || db === undefined) {
    counts.imported = counts.found - counts.known;
    return;
  }
  const isYoung = await youngIn(run);
  let isComplete = true;
  while (isComplete) {
    const rows = await source.page('logs', { key: 'id', after, limit: rowsPerBatch });
    const read = rows.map((row) => mapLog(product, row));
    const late = read.findIndex(({ log }) => isYoung(log.createdAt));
    isComplete = late === -1;
    const mapped = isComplete ? read : read.slice(0, late);
    const last = mapped.at(-1);
    if (last === undefined) break;
    const [id, total] = [last.id, seen + mapped.length];
    const [before, next] = [mark, { targetId: 0, state: { id: String(id), rows: total } }];
    const logs = mapped.flatMap((each) => ownedBy(run, each));
    await db.transaction(
      async (tx) => {
        await insertImportedLogs(tx, logs);
        await writeMark(tx, { source: product, kind, key: reached }, { before, after: next });
      },
      { timeoutMs: transactionMs },
    );
    for (const { id: row, owner, isBeyond } of mapped) {
      if (!run.users.has(owner)) tally.note('logs', 'userless', String(row));
      else if (isBeyond) tally.note('logs', 'beyond', String(row));
    }
    counts.imported += logs.length;
    counts.skipped += mapped.length - logs.length;
    mark = next;
    [after, seen] = [id, total];
    run.progress({ kind: 'logs', done: total, found: counts.found });
  }
  const away = counts.found - counts.known - counts.imported - counts.skipped;
  if (away > 0) tally.note('logs', isComplete ? 'missed' : 'later', 'logs', String(away));
}

/**
 * Of which times the log may not have all its rows yet. A server that is at work commits some after others with higher ids, and a
 * mark that is beyond them would leave them behind for good. Before a delta it was stopped.
 */
async function youngIn({ source, mode, clock }: Run): Promise<(at: number) => boolean> {
  const newest = seconds({ at: await source.greatest('logs', 'created_at') }, 'at');
  const now = nowSeconds(clock);
  if (mode === 'delta' || newest < now - idleSeconds) return () => false;
  // A time that is still to come tells nothing of when its row was written, and must not keep those after it.
  const end = now + aheadSeconds;
  const until = (newest > end ? now : newest) - lateSeconds;
  return (at) => at > until && at <= end;
}

function ownedBy({ users, channels, tokens }: Run, { owner, channel, token, log }: MappedLog) {
  const user = users.get(owner);
  if (user === undefined) return [];
  return [
    { ...log, userId: user.id, username: user.username, channelId: channels.get(channel) ?? 0, tokenId: tokens.get(token) ?? 0 },
  ];
}
