import { setImmediate as turn } from 'node:timers/promises';
import type { LogBody } from '@tollgate/contract';
import { type Actor, recordAudit } from '../../audit/index.ts';
import { type Clock, cautiousClock, nowSeconds } from '../../platform/clock.ts';
import { PublicError } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import type { Database } from '../../storage/database.ts';
import { isOutage } from '../../storage/errors.ts';
import { insertRows } from '../../storage/statements.ts';
import { createFlusher } from './flusher.ts';
import { redactBody } from './redact-body.ts';

/** What one call was asked and what it answered, as far as it is to be kept. */
export interface KeptBody {
  requestId: string;
  userId: number;
  status: number;
  request: Buffer;
  response: Buffer;
  /** Either was longer. */
  truncated: boolean;
}

/** Bodies are written beside the calls and apart from the log; what does not fit into the queue is not kept. */
export interface BodyLog {
  /** Takes the bytes as they are; they are redacted before they are written. Never throws, never waits. */
  keep(body: KeptBody): void;
  /**
   * The bodies of a log row. `ownerId`: whose rows may be read; undefined = everybody's, which leaves an audit row.
   * Throws PublicError `log_body_missing`.
   */
  read(logId: number, ownerId: number | undefined, actor: Actor): Promise<LogBody>;
  /** Deletes what is older than the operator wants, the oldest `limit` of it; returns how many. */
  expire(limit: number): Promise<number>;
  flush(): Promise<void>;
  stop(): Promise<void>;
}

interface Parts {
  db: Database;
  clock: Clock;
  log: Log;
  days: () => number;
}

interface Waiting {
  body: KeptBody;
  at: number;
}

const maxWaitingBytes = 32 * 1024 * 1024;
const rowsAtATime = 16;
const daySeconds = 86_400;

export function createBodyLog({ db, clock, log, days }: Parts): BodyLog {
  let waiting: Waiting[] = [];
  let waitingBytes = 0;
  let lost = 0;
  const cautious = cautiousClock(clock);
  const sizeOf = ({ request, response }: KeptBody) => request.length + response.length;
  const tellLost = () => {
    if (lost > 0) log.warn({ lost }, 'bodies were not kept');
    lost = 0;
  };
  const write = async () => {
    while (waiting.length > 0) {
      const part = waiting.slice(0, rowsAtATime);
      waiting = waiting.slice(rowsAtATime);
      for (const { body } of part) waitingBytes -= sizeOf(body);
      try {
        const rows = await redactedRows(part);
        await db.transaction((tx) =>
          tx.perform(insertRows('log_body', bodyColumns, rows, 'ON CONFLICT (request_id) DO NOTHING')),
        );
      } catch (error) {
        lost += part.length;
        log.warn({ err: error }, 'bodies could not be kept');
        // The others would wait as long each, and the end of the server for all of them.
        if (isOutage(error)) break;
      }
    }
    tellLost();
  };
  const flusher = createFlusher(write);
  return {
    keep(body) {
      if (waitingBytes + sizeOf(body) > maxWaitingBytes) {
        lost += 1;
        return;
      }
      waitingBytes += sizeOf(body);
      waiting.push({ body, at: nowSeconds(clock) });
    },
    read: (logId, ownerId, actor) => readBody({ db, clock }, logId, ownerId, actor),
    expire: (limit) => expireBodies(db, nowSeconds(cautious) - days() * daySeconds, limit),
    flush: flusher.flush,
    async stop() {
      await flusher.stop();
      lost += waiting.length;
      tellLost();
    },
  };
}

const bodyColumns = ['request_id', 'user_id', 'created_at', 'status', 'request', 'response', 'truncated'];

/** Before the transaction begins, and with a breath after each: they may have megabytes, and calls wait for the writer and for this thread. */
async function redactedRows(part: readonly Waiting[]): Promise<(string | number)[][]> {
  const rows: (string | number)[][] = [];
  for (const { body, at } of part) {
    const { requestId, userId, status, request, response, truncated } = body;
    rows.push([
      requestId,
      userId,
      at,
      status,
      redactBody(request.toString()),
      redactBody(response.toString()),
      truncated ? 1 : 0,
    ]);
    await turn();
  }
  return rows;
}

async function readBody(
  { db, clock }: Pick<Parts, 'db' | 'clock'>,
  logId: number,
  ownerId: number | undefined,
  actor: Actor,
): Promise<LogBody> {
  const row = await db.read
    .selectFrom('log')
    .innerJoin('log_body', 'log_body.request_id', 'log.request_id')
    .select([
      'log.user_id as owner',
      'log_body.user_id as user_id',
      'log_body.request_id as request_id',
      'log_body.created_at as created_at',
    ])
    .select(['status', 'request', 'response', 'truncated'])
    .where('log.id', '=', logId)
    .where('log.request_id', '<>', '')
    .executeTakeFirst();
  if (row === undefined || row.owner !== row.user_id || (ownerId !== undefined && row.owner !== ownerId))
    throw new PublicError('log_body_missing');
  const { request_id, created_at, status, request, response, truncated, user_id } = row;
  if (user_id !== actor.id) {
    const event = {
      actor,
      action: 'log.body',
      target: `log:${logId}`,
      detail: { user_id, request_id },
      now: nowSeconds(clock),
    } as const;
    await db.transaction((tx) => tx.perform(recordAudit(event)));
  }
  return { request_id, created_at, status, request, response, truncated: truncated === 1 };
}

async function expireBodies(db: Database, before: number, limit: number): Promise<number> {
  const old = await db.read
    .selectFrom('log_body')
    .select('id')
    .where('created_at', '<', before)
    .orderBy('created_at')
    .limit(limit)
    .execute();
  if (old.length === 0) return 0;
  const ids = old.map(({ id }) => id);
  await db.transaction((tx) => tx.query.deleteFrom('log_body').where('id', 'in', ids).execute());
  return ids.length;
}
