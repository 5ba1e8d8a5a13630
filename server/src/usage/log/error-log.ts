import { logType } from '@tollgate/contract';
import { type Clock, nowSeconds } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { Database } from '../../storage/database.ts';
import { isOutage, isUnknownOutcome } from '../../storage/errors.ts';
import { insertRows } from '../../storage/statements.ts';
import { createFlusher } from './flusher.ts';

/** A call that was refused or failed: what its caller was told, and what administrators may know beside it. */
export interface ErrorEntry {
  userId: number;
  username: string;
  tokenId: number;
  tokenName: string;
  model: string;
  group: string;
  /** The last one that was asked, 0 = none. */
  channelId: number;
  isStream: boolean;
  requestId: string;
  ip: string;
  durationMs: number;
  status: number;
  /** As the caller got them; redacted. */
  code: string;
  message: string;
  /** JSON of an object: attempts, route, the upstream's own words. */
  adminInfo: string;
}

/** Rows of type 5. They are written beside the calls, wait in memory while the database is away, and are lost when the process dies. */
export interface ErrorLog {
  /** Takes the row, or counts it when its user has too many; never throws, never waits. */
  note(entry: ErrorEntry): void;
  /** Writes what waits. Resolves when it was tried. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}

interface Parts {
  db: Database;
  clock: Clock;
  log: Log;
  enabled: () => boolean;
}

/** A user's rows: so many at once, then so many a minute. The rest is one row that tells how many there were. */
const burst = 60;
const perMinute = 6;
const maxUsers = 10_000;
const maxWaiting = 2_000;
const tellEveryMs = 60_000;
const maxMessage = 500;
const maxCode = 100;

interface Allowance {
  left: number;
  atMs: number;
  suppressed: number;
  /** When the suppressed ones were told last. */
  toldMs: number;
  last: ErrorEntry;
}

export function createErrorLog({ db, clock, log, enabled }: Parts): ErrorLog {
  const users = new Map<number, Allowance>();
  let waiting: (string | number)[][] = [];
  let lost = 0;
  let isAway = false;
  const push = (row: (string | number)[]) => {
    if (waiting.length >= maxWaiting) lost += 1;
    else waiting.push(row);
  };
  const tellOne = (one: Allowance) => {
    if (one.suppressed > 0) push(suppressedRow(one.last, one.suppressed, nowSeconds(clock)));
    one.suppressed = 0;
  };
  const tell = (nowMs: number) => {
    for (const one of users.values()) {
      if (one.suppressed === 0 || nowMs - one.toldMs < tellEveryMs) continue;
      tellOne(one);
      one.toldMs = nowMs;
    }
  };
  const tellLost = (fields: object = {}) => {
    if (lost > 0) log.warn({ ...fields, lost }, 'error rows of the log could not be written');
    lost = 0;
  };
  const keep = (rows: (string | number)[][], error: unknown) => {
    if (!isAway) log.warn({ err: error }, 'error rows of the log wait for the database');
    isAway = true;
    const all = [...rows, ...waiting];
    waiting = all.slice(0, maxWaiting);
    lost += all.length - waiting.length;
  };
  const write = async () => {
    tell(clock.monotonicMs());
    const rows = waiting;
    if (rows.length === 0) return;
    waiting = [];
    try {
      await db.transaction((tx) => tx.perform(insertRows(table, columns, rows)));
      isAway = false;
      tellLost();
    } catch (error) {
      // Where nobody can tell whether they were written, they would be there twice.
      if (isOutage(error) && !isUnknownOutcome(error)) return keep(rows, error);
      lost += rows.length;
      tellLost({ err: error });
    }
  };
  const flusher = createFlusher(write);
  return {
    note(entry) {
      if (!enabled()) return;
      const nowMs = clock.monotonicMs();
      if (!users.has(entry.userId) && users.size >= maxUsers) forgetOldest(users, tellOne);
      if (take(users, entry, nowMs)) push(errorRow(entry, nowSeconds(clock)));
    },
    flush: flusher.flush,
    async stop() {
      for (const one of users.values()) one.toldMs = Number.NEGATIVE_INFINITY;
      await flusher.stop();
      lost += waiting.length;
      tellLost();
    },
  };
}

/** Whether the user may have another row now. */
function take(users: Map<number, Allowance>, entry: ErrorEntry, nowMs: number): boolean {
  const known = users.get(entry.userId);
  const one = known ?? { left: burst, atMs: nowMs, suppressed: 0, toldMs: nowMs, last: entry };
  one.left = Math.min(burst, one.left + ((nowMs - one.atMs) * perMinute) / 60_000);
  one.atMs = nowMs;
  one.last = entry;
  if (one.suppressed === 0 && one.left >= 1) one.toldMs = nowMs;
  // Re-inserted, so that the first key is the user who failed longest ago.
  users.delete(entry.userId);
  users.set(entry.userId, one);
  if (one.left < 1) {
    one.suppressed += 1;
    return false;
  }
  one.left -= 1;
  return true;
}

function forgetOldest(users: Map<number, Allowance>, tell: (one: Allowance) => void): void {
  for (const [id, one] of users) {
    tell(one);
    users.delete(id);
    return;
  }
}

const table = 'log';
const columns = [
  'created_at',
  'type',
  'user_id',
  'username',
  'token_id',
  'token_name',
  'model_name',
  'channel_id',
  'group_name',
  'use_time',
  'is_stream',
  'content',
  'other',
  'request_id',
  'ip',
];

function errorRow(entry: ErrorEntry, now: number): (string | number)[] {
  const { code, status, message, adminInfo } = entry;
  const content = message.slice(0, maxMessage);
  return row(
    entry,
    now,
    content,
    `{"error_code":${JSON.stringify(code.slice(0, maxCode))},"status":${status},"admin_info":${adminInfo}}`,
  );
}

function suppressedRow(last: ErrorEntry, suppressed: number, now: number): (string | number)[] {
  const blank = {
    ...last,
    tokenId: 0,
    tokenName: '',
    model: '',
    group: '',
    channelId: 0,
    isStream: false,
    requestId: '',
    durationMs: 0,
  };
  return row(blank, now, `另有 ${suppressed} 个错误未逐条记录`, JSON.stringify({ error_code: 'suppressed', suppressed }));
}

function row(entry: ErrorEntry, now: number, content: string, other: string): (string | number)[] {
  const { userId, username, tokenId, tokenName, model, channelId, group, durationMs, isStream, requestId, ip } = entry;
  return [
    ...[now, logType.error, userId, username, tokenId, tokenName, model, channelId, group],
    ...[Math.round(durationMs / 1000), isStream ? 1 : 0, content, other, requestId, ip],
  ];
}
