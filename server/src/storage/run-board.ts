import { type Clock, nowSeconds } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Database } from './database.ts';
import { beyondLease, takeLease } from './leases.ts';

/** Where the nodes read how far a run is that is under way on one of them. `State`: any JSON. All of it throws DatabaseError. */
export interface RunBoard<State> {
  /** True for one node at a time: it runs until it ends, or is silent for half a minute. */
  begin(): Promise<boolean>;
  /** Says how far it is, and that it lives. False: another node has taken it for dead and begun. */
  tell(state: State): Promise<boolean>;
  end(state: State): Promise<void>;
  /** What was said last, whoever said it. */
  read(): Promise<{ readonly state: State; readonly isRunning: boolean } | undefined>;
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

export function createRunBoard<State>({ db, clock, node, run }: Parts): RunBoard<State> {
  const lease = `run:${run}`;
  const said = `said:${run}`;
  const begin = () => takeLease(db, { name: lease, node, now: nowSeconds(clock), seconds: silenceSeconds });
  const write = (state: State) =>
    db.transaction(async ({ query }) => {
      const row = { node: JSON.stringify(state), lease_until: nowSeconds(clock) };
      const insert = query.insertInto('job_lease').values({ name: said, ...row });
      await insert.onConflict((conflict) => conflict.column('name').doUpdateSet(row)).execute();
    });
  return {
    begin,
    async tell(state) {
      if (!(await begin())) return false;
      await write(state);
      return true;
    },
    async end(state) {
      if (!(await begin())) return;
      await write(state);
      await db.transaction(({ query }) =>
        query.deleteFrom('job_lease').where('name', '=', lease).where('node', '=', node).execute(),
      );
    },
    async read() {
      const rows = await db.read.selectFrom('job_lease').selectAll().where('name', 'in', [lease, said]).execute();
      const text = rows.find(({ name }) => name === said)?.node;
      const until = rows.find(({ name }) => name === lease)?.lease_until ?? 0;
      const now = nowSeconds(clock);
      const isRunning = until > now && until <= beyondLease(now, silenceSeconds);
      return text === undefined ? undefined : { state: JSON.parse(text) as State, isRunning };
    },
  };
}

const tellEveryMs = 1_000;
/** Also when there is nothing new: that it lives. */
const liveEveryMs = 10_000;

/** Keeps the other nodes informed of a run; whoever was silent for so long that another node began is told to give up. */
export function tellOthers<State extends { readonly running: boolean }>(
  { board, log }: { board: RunBoard<State>; log: Log },
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
      if (!(await board.tell(now))) lost.abort();
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
      await board.end({ ...state(), running: false }).catch((error: unknown) => {
        log.debug({ err: error }, 'the other nodes could not be told of the end of a run');
      });
    },
  };
}
