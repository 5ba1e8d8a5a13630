import type { StatementResult } from '../database.ts';
import { DatabaseError } from '../errors.ts';

/** Knows a primary that another one has taken over from. */
export interface Timelines {
  /** Asks through `run` what this server is when its life is a new one. Throws DatabaseError when its time is over; it must not be written to. */
  check(life: string, run: (sql: string) => Promise<StatementResult>): Promise<void>;
  /** What it last threw, if nothing was right since. */
  refusal(): DatabaseError | undefined;
}

/** Eight hexadecimal digits, one more with each promotion, of one cluster: another one with the same rows, as after an upgrade, begins anew. */
interface Timeline {
  readonly cluster: string;
  readonly number: string;
}

const question = `SELECT CAST(system_identifier AS text) AS cluster,
  left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) AS number FROM pg_control_system()`;
const mostLives = 100;

/** A primary that comes back after its standby was promoted knows nothing of that: who has written to the new one must not write to it. */
export function createTimelines(): Timelines {
  const lives = new Map<string, Timeline | undefined>();
  const newest = new Map<string, string>();
  let refusal: DatabaseError | undefined;
  return {
    refusal: () => refusal,
    async check(life, run) {
      if (!lives.has(life)) {
        if (lives.size >= mostLives) lives.clear();
        lives.set(life, await timelineOf(run));
      }
      const timeline = lives.get(life);
      const last = newest.get(timeline?.cluster ?? '') ?? '';
      refusal = timeline !== undefined && timeline.number < last ? isOver(timeline.number, last) : undefined;
      if (refusal !== undefined) throw refusal;
      if (timeline !== undefined) newest.set(timeline.cluster, timeline.number);
    },
  };
}

/** Undefined = this PostgreSQL does not say. */
async function timelineOf(run: (sql: string) => Promise<StatementResult>): Promise<Timeline | undefined> {
  await run('SAVEPOINT timeline');
  try {
    const { rows } = await run(question);
    return { cluster: String(rows[0]?.cluster), number: String(rows[0]?.number) };
  } catch (error) {
    if (error instanceof DatabaseError && error.kind !== 'other') throw error;
    await run('ROLLBACK TO SAVEPOINT timeline');
    return undefined;
  }
}

function isOver(own: string, last: string): DatabaseError {
  const numbers = `is on timeline ${Number.parseInt(own, 16)}, and this process has written on ${Number.parseInt(last, 16)}`;
  const text = `The address leads to a former primary: its PostgreSQL ${numbers}. If that is meant, after a restore, start this process again`;
  return new DatabaseError('unavailable', '', text);
}
