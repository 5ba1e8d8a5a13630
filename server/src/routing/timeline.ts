import type { ChannelTimelineEntry, PageOf } from '@tollgate/contract';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Database, Work } from '../storage/database.ts';
import { pageOf } from '../storage/page.ts';

/** One thing that happened to a channel. Texts are redacted by whoever made them. */
export interface ChannelHappening {
  readonly channelId: number;
  readonly kind: ChannelTimelineEntry['kind'];
  /** A user name, or `system`. */
  readonly actor: string;
  readonly reason: string;
  readonly now: number;
  readonly model?: string;
  readonly keyIndex?: number;
  readonly evidence?: Readonly<Record<string, unknown>>;
}

export interface Timeline {
  /** Writes soon and in order, without anybody waiting; beyond a bound it is dropped and counted. */
  note(happening: Omit<ChannelHappening, 'now'>): void;
  page(channelId: number, query: { p: number; page_size: number }): Promise<PageOf<ChannelTimelineEntry>>;
  /** Resolves when everything noted so far is written or given up. */
  flush(): Promise<void>;
}

const keptPerChannel = 500;
const keptSeconds = 90 * 86_400;
const maxReason = 500;
const maxEvidence = 2_000;
const maxQueue = 1_000;
const batch = 50;

/** Records a happening inside the transaction that makes it, and drops what is too old or too much. */
export function* recordHappening(happening: ChannelHappening): Work<void> {
  const { channelId, kind, actor, reason, now, model = '', keyIndex = -1, evidence = {} } = happening;
  const text = JSON.stringify(evidence);
  yield {
    sql:
      'INSERT INTO channel_event (channel_id, created_at, kind, actor, reason, model, key_index, evidence) ' +
      'VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    parameters: [
      ...[channelId, now, kind, actor, reason.slice(0, maxReason)],
      ...[model, keyIndex, text.length > maxEvidence ? '{}' : text],
    ],
  };
  yield {
    sql:
      'DELETE FROM channel_event WHERE channel_id = ? AND (created_at < ? OR id <= ' +
      '(SELECT id FROM channel_event WHERE channel_id = ? ORDER BY id DESC LIMIT 1 OFFSET ?))',
    parameters: [channelId, now - keptSeconds, channelId, keptPerChannel],
  };
}

export function createTimeline({ db, clock, log }: { db: Database; clock: Clock; log: Log }): Timeline {
  const queue: ChannelHappening[] = [];
  let dropped = 0;
  let writing: Promise<void> | undefined;

  const write = async () => {
    while (queue.length > 0) {
      const next = queue.splice(0, batch);
      try {
        await db.transaction(async (tx) => {
          for (const happening of next) await tx.perform(recordHappening(happening));
        });
      } catch (error) {
        dropped += next.length;
        log.warn({ err: error, dropped }, 'events of channels could not be written');
      }
    }
  };
  return {
    note(happening) {
      if (queue.length >= maxQueue) {
        dropped += 1;
        return;
      }
      queue.push({ ...happening, now: nowSeconds(clock) });
      writing ??= write().finally(() => {
        writing = undefined;
      });
    },
    page: (channelId, query) => readPage(db, channelId, query),
    flush: async () => {
      await writing;
    },
  };
}

function readPage(
  { read }: Database,
  channelId: number,
  query: { p: number; page_size: number },
): Promise<PageOf<ChannelTimelineEntry>> {
  return pageOf(read, read.selectFrom('channel_event').where('channel_id', '=', channelId), query, async (page) => {
    const columns = ['id', 'created_at', 'kind', 'actor', 'reason', 'model', 'key_index', 'evidence'] as const;
    const rows = await page.select(columns).orderBy('id', 'desc').execute();
    return rows.map((row) => ({ ...row, kind: row.kind as ChannelTimelineEntry['kind'] }));
  });
}
