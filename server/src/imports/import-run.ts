import type { ImportMode, ImportRun } from '@tollgate/contract';
import { type Actor, recordAudit } from '../audit/index.ts';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import { PublicError } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import type { Database } from '../storage/database.ts';
import { type RunBoard, tellOthers } from '../storage/run-board.ts';
import { ImportFault, type ToldFault } from './faults.ts';
import { readSourceAddress } from './open-source.ts';
import type { Report } from './report.ts';
import type { Progress } from './work.ts';

/** What the nodes tell each other; the report still without the words of a language. */
export type ImportState = Omit<ImportRun, 'report'> & {
  readonly report: Report | null;
  /** What `failure` says in English, where it is ours to explain. */
  readonly fault?: ToldFault | undefined;
};

/** An import beside the calls, one at a time over all nodes. */
export interface ImportRuns {
  /** Resolves when it has begun. Throws PublicError while one is running on any node, and for a source that cannot be one. */
  start(wish: { from: string; mode: ImportMode }, actor: Actor): Promise<void>;
  /** Of the run that is under way or was the last one, on whichever node. */
  state(): Promise<ImportState | null>;
  /** Resolves when the one on this node has ended. Throws PublicError when it runs on another one. */
  cancel(actor: Actor): Promise<void>;
  /** Before the database is closed. */
  stop(): Promise<void>;
}

/** The run itself, away from the calls' thread. */
export interface ImportWork {
  /** Rejects with a reason that people can read. */
  readonly report: Promise<Report>;
  /** Ends it at once; what was committed stays. */
  kill(): void;
}

interface Parts {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly board: RunBoard<ImportState>;
  launch(wish: { from: string; mode: ImportMode }, progress: (progress: Progress) => void): ImportWork;
}

const cutOff = new ImportFault('cut_off');

function failureOf(error: unknown): Pick<ImportState, 'failure' | 'fault'> {
  const failure = error instanceof Error ? error.message : String(error);
  return error instanceof ImportFault ? { failure, fault: error.told } : { failure };
}

export function createImportRuns({ db, clock, log, board, launch }: Parts): ImportRuns {
  let state: ImportState | null = null;
  let running: { readonly work: ImportWork; readonly ended: Promise<void> } | undefined;
  let isBusy = false;
  let isStopping = false;

  const work = async (begun: ImportState, { report }: ImportWork, lost: AbortController) => {
    const telling = tellOthers({ board, log }, () => state ?? begun, lost);
    const ended = await report.then(
      (found) => ({ report: found, failure: '' }),
      (error: unknown) => ({ report: null, ...failureOf(error) }),
    );
    state = { ...(state ?? begun), ...ended, finished_at: nowSeconds(clock) };
    await telling.end();
    state = { ...state, running: false };
    running = undefined;
    isBusy = false;
  };
  const begin = async ({ from, mode }: { from: string; mode: ImportMode }, actor: Actor) => {
    if (!(await board.begin())) throw new PublicError('import_running');
    const now = nowSeconds(clock);
    // The source may hold a password: it is on no record.
    const event = { actor, action: 'import', target: mode, detail: { by: 'console' }, now } as const;
    await db.transaction((tx) => tx.perform(recordAudit(event)));
    const begun: ImportState = {
      ...{ running: true, mode, started_at: now, finished_at: 0 },
      ...{ kind: null, done: 0, found: 0, failure: '', report: null },
    };
    state = begun;
    const launched = launchOrFail({ from, mode }, (progress) => {
      if (state !== null) state = { ...state, ...progress };
    });
    const lost = new AbortController();
    lost.signal.addEventListener('abort', launched.kill, { once: true });
    running = { work: launched, ended: work(begun, launched, lost) };
  };
  /** One that cannot begin is a run that ended, and leaves the place to the next. */
  const launchOrFail: typeof launch = (wish, progress) => {
    try {
      return launch(wish, progress);
    } catch (error) {
      return { report: Promise.reject(error), kill: () => undefined };
    }
  };
  return {
    async start({ from, mode }, actor) {
      if (isStopping) throw new PublicError('shutting_down');
      if (readSourceAddress(from) === undefined) throw new PublicError('import_source_invalid');
      if (isBusy) throw new PublicError('import_running');
      isBusy = true;
      try {
        await begin({ from, mode }, actor);
      } catch (error) {
        isBusy = false;
        throw error;
      }
    },
    async state() {
      if (running !== undefined) return state;
      const said = await board.read();
      if (said === undefined) return state;
      const { state: told, isRunning } = said;
      return told.running && !isRunning ? { ...told, running: false, ...failureOf(cutOff) } : told;
    },
    async cancel(actor) {
      if (running === undefined) {
        if ((await board.read())?.isRunning === true) throw new PublicError('import_elsewhere');
        return;
      }
      running.work.kill();
      await running.ended;
      const event = { actor, action: 'import', target: 'cancel', now: nowSeconds(clock) } as const;
      await db.transaction((tx) => tx.perform(recordAudit(event)));
    },
    async stop() {
      isStopping = true;
      running?.work.kill();
      await running?.ended;
    },
  };
}
