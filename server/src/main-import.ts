import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { parseObject } from '@tollgate/wire';
import type { Env } from './env.ts';
import {
  createImportRuns,
  faultIn,
  ImportFault,
  type ImportRuns,
  type ImportWork,
  openImportStage,
  type Progress,
  type Report,
} from './imports/index.ts';
import type { Clock } from './platform/clock.ts';
import type { Log } from './platform/log.ts';
import type { Database } from './storage/database.ts';
import { createRunBoard } from './storage/run-board.ts';

/** Beside `dist/` as beside `src/`. */
const command = join(import.meta.dirname, '..', 'src', 'cli-main.ts');
const sourceVariable = 'TOLLGATE_IMPORT_SOURCE';
const flags = { 'dry-run': ['--dry-run'], import: [], delta: ['--delta'] } as const;

interface Parts {
  env: Env;
  db: Database;
  clock: Clock;
  log: Log;
  node: string;
}

/** Imports run as the command line's own program: reading another database would hold up the thread that serves calls. */
export function createImports({ env, db, clock, log, node }: Parts): ImportRuns {
  const { DATA_DIR, DATABASE_URL, SECRET_KEY, SECRET_KEY_FILE } = env;
  const surroundings = { ...process.env, DATA_DIR, DATABASE_URL, SECRET_KEY, SECRET_KEY_FILE };
  return createImportRuns({
    ...{ db, clock, log },
    board: createRunBoard({ db, clock, node, run: 'import' }),
    launch: ({ from, mode }, progress) => {
      // For its copy of the source, which a run that is stopped leaves behind; one of a server that was killed goes with the next.
      const { folder, discard } = openImportStage('run');
      const child = spawn(process.execPath, [command, 'import', '--json', '--from', `env:${sourceVariable}`, ...flags[mode]], {
        // Not among the arguments, which everybody on the machine can read.
        env: { ...surroundings, TMPDIR: folder, [sourceVariable]: from },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child.once('exit', discard).once('error', discard);
      return followed(child, progress);
    },
  });
}

type Child = ReturnType<typeof spawn>;

function followed(child: Child, progress: (progress: Progress) => void): ImportWork {
  let isKilled = false;
  let lastLine = '';
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error('The import has no output');
  createInterface({ input: stderr }).on('line', (line) => {
    const told = progressOf(line);
    if (told) progress(told);
    else lastLine = line;
  });
  const report = Promise.all([
    text(stdout),
    new Promise((resolve, reject) => child.once('exit', resolve).once('error', reject)),
  ]).then(([printed]) => {
    if (isKilled) throw new ImportFault('stopped');
    const said = parseObject(printed) as
      | (Report & { error?: undefined; database?: string })
      | { error: string; fault?: unknown }
      | undefined;
    if (said === undefined) throw lastLine === '' ? new ImportFault('no_report') : new Error(lastLine.slice(0, 500));
    if (said.error !== undefined) throw faultOf(said.fault) ?? new Error(said.error);
    // It is ours, and who looks at the report in a browser needs no path.
    const { database: _, ...report } = said;
    return report;
  });
  return {
    report,
    kill() {
      isKilled = true;
      child.kill('SIGKILL');
    },
  };
}

function faultOf(told: unknown): ImportFault | undefined {
  const fault = faultIn(told);
  return fault && new ImportFault(fault.code, fault.values);
}

function progressOf(line: string): Progress | undefined {
  const said = parseObject(line) as Partial<Progress> | undefined;
  return said?.kind === undefined ? undefined : { kind: said.kind, done: said.done ?? 0, found: said.found ?? 0 };
}
