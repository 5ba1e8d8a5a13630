import { type Clock, nowSeconds } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Database } from './database.ts';
import { takeLease } from './leases.ts';

/** Where the nodes read what a run says that is under way on one of them. All of it throws DatabaseError. */
export interface RunBoard {
  /** True for one node at a time: it runs until it ends, or is silent for half a minute. */
  begin(): Promise<boolean>;
  /** Says how far it is, and that it lives. False: another node has taken it for dead and begun. */
  tell(text: string): Promise<boolean>;
  end(text: string): Promise<void>;
  /** What was said last, whoever said it. */
  read(): Promise<{ readonly text: string; readonly isRunning: boolean } | undefined>;
}

interface Parts {
  readonly db: Database;
  readonly clock: Clock;
  /** This process among the nodes. */
  readonly node: string;
  /** Name of the run. */
  readonly run: string;
}

const silenceSeconds = 30;

export function createRunBoard({ db, clock, node, run }: Parts): RunBoard {
  const lease = `run:${run}`;
  const said = `said:${run}`;
  const begin = () => takeLease(db, { name: lease, node, now: nowSeconds(clock), seconds: silenceSeconds });
  const write = (text: string) =>
    db.transaction(async ({ query }) => {
      const row = { node: text, lease_until: nowSeconds(clock) };
      const insert = query.insertInto('job_lease').values({ name: said, ...row });
      await insert.onConflict((conflict) => conflict.column('name').doUpdateSet(row)).execute();
    });
  return {
    begin,
    async tell(text) {
      if (!(await begin())) return false;
      await write(text);
      return true;
    },
    async end(text) {
      if (!(await begin())) return;
      await write(text);
      await db.transaction(({ query }) =>
        query.deleteFrom('job_lease').where('name', '=', lease).where('node', '=', node).execute(),
      );
    },
    async read() {
      const rows = await db.read.selectFrom('job_lease').selectAll().where('name', 'in', [lease, said]).execute();
      const text = rows.find(({ name }) => name === said)?.node;
      const until = rows.find(({ name }) => name === lease)?.lease_until ?? 0;
      return text === undefined ? undefined : { text, isRunning: until > nowSeconds(clock) };
    },
  };
}

const tellEveryMs = 1_000;
/** Also when there is nothing new: that it lives. */
const liveEveryMs = 10_000;

/** Keeps the other nodes informed of a run, as JSON; whoever was silent for so long that another node began is told to give up. */
export function tellOthers<State extends { readonly running: boolean }>(
  { board, log }: { board: RunBoard; log: Log },
  state: () => State,
  lost: AbortController,
) {
  let told: State | undefined;
  let toldMs = 0;
  let telling: Promise<void> = Promise.resolve();
  const tell = async () => {
    const now = state();
    if (now === told && performance.now() - toldMs < liveEveryMs) return;
    try {
      if (!(await board.tell(JSON.stringify(now)))) lost.abort();
      told = now;
      toldMs = performance.now();
    } catch (error) {
      log.debug({ err: error }, 'the other nodes could not be told of a run');
    }
  };
  const next = () => {
    telling = telling.then(tell);
  };
  next();
  const timer = setInterval(next, tellEveryMs);
  timer.unref();
  return {
    async end() {
      clearInterval(timer);
      await telling;
      const last = { ...state(), running: false };
      await board.end(JSON.stringify(last)).catch((error: unknown) => {
        log.debug({ err: error }, 'the other nodes could not be told of the end of a run');
      });
    },
  };
}
