/** Who runs a command that the documents show. */
export type Runner =
  /** A shell, beside a running gateway. */
  | { readonly by: 'shell' }
  /** The command line; `stopped`: on a restored copy that nobody serves. Exit codes that are right, 0 unless it says otherwise. */
  | { readonly by: 'tollgate'; readonly on: 'running' | 'stopped'; readonly exitCodes?: readonly number[] }
  /** On PostgreSQL: a shell or the command line. */
  | { readonly by: 'postgres' }
  /** A test of its own that has these words. */
  | { readonly by: 'test'; readonly file: string; readonly holds: string }
  | { readonly by: 'nobody'; readonly reason: string };

interface Row {
  /** The whole command, without `npx` before `tollgate`. */
  readonly command: RegExp;
  readonly runner: Runner;
}

const test = (file: string, holds: string): Runner => ({ by: 'test', file, holds });
const running: Runner = { by: 'tollgate', on: 'running' };
const stopped: Runner = { by: 'tollgate', on: 'stopped' };
const nobody = (reason: string): Runner => ({ by: 'nobody', reason });

/** The first that fits counts. Commands run in this order, so that what one makes the next may use. */
export const rows: readonly Row[] = [
  { command: /^curl /, runner: { by: 'shell' } },
  { command: /^npx tollgate --help$/, runner: { by: 'shell' } },

  { command: /^(INITIAL_ROOT_PASSWORD=\S+ )?npm start$/, runner: test('e2e/first-call.test.ts', 'npmStart(') },
  { command: /^npm run demo$/, runner: test('scripts/demo-seed.test.ts', 'seedDemo(') },
  { command: /^npm run check$/, runner: test('scripts/suites.ts', 'runChecks(root, ') },
  { command: /^npm run build$/, runner: test('e2e/support/build.ts', "'scripts/run.mjs', 'build'") },
  {
    command: /^npm run bench( -- (--quick|--against \S+))?$/,
    runner: test('bench/src/bench.test.ts', 'against: isCompared ? reference'),
  },
  {
    command: /^npm run bench -- --(streams|crowd|rate|coalesce|users) \d+$/,
    runner: test('bench/src/options.test.ts', '--streams'),
  },
  { command: /^npm run bench -- --soak \d+$/, runner: test('bench/src/soak.test.ts', '--soak') },
  { command: /^npm run bench -- --peer /, runner: test('bench/src/options.test.ts', '--peer') },
  { command: /--engine postgres$/, runner: test('bench/src/options.test.ts', 'postgres') },
  { command: /^npm run look/, runner: test('console/src/app/look-pages.test.ts', 'test(') },
  {
    command: /^node scripts\/print-readme\.ts$/,
    runner: test('scripts/check/rules/readme.test.ts', 'withTables('),
  },
  { command: /^node scripts\/print-answers\.ts$/, runner: test('scripts/answer-shapes.test.ts', 'answerShapes(root)') },
  { command: /^cd e2e && UPDATE_CONFORMANCE=1/, runner: test('e2e/conformance/conformance.test.ts', 'test(') },
  { command: /^npm sbom /, runner: test('scripts/bill-of-materials.test.ts', 'execFileSync(') },
  { command: /^npm test$/, runner: nobody('is what runs this') },
  {
    command: /^npx vitest run --root server src\/billing$/,
    runner: test('e2e/developer-commands.test.ts', 'npx vitest run --root server src/billing'),
  },
  { command: /^npm run soak$/, runner: nobody('takes hours; the suite has the same tests in their short form') },
  { command: /node --import \.\/server\/dist\/otel\.js /, runner: test('e2e/traces.test.ts', 'server/dist/otel.js') },
  { command: /^npm run dev$/, runner: test('e2e/developer-commands.test.ts', "'run', 'dev'") },
  { command: /^npm run format$/, runner: test('e2e/developer-commands.test.ts', "'npm run format'") },
  { command: /^apt-get install nginx-light$/, runner: test('scripts/system-packages.ts', "debian: 'nginx-light'") },
  { command: /^node -e "new .*'VACUUM'\)"$/, runner: test('server/src/cli/backup.test.ts', 'runbook.match(/node -e') },
  { command: /^docker exec /, runner: nobody('needs a container; the same command runs without one') },

  { command: /^tollgate config (export|plan|apply)\b/, runner: test('e2e/config.test.ts', 'documentedCommands()') },
  {
    command: /^tollgate import( --from \.\/one-api\.db( --dry-run| --delta)?)?$/,
    runner: test('e2e/import.test.ts', 'documentedCommands()'),
  },
  {
    command: /^DATABASE_URL=\S+ SECRET_KEY_FILE=\S+ npm start$/,
    runner: test('e2e/move.test.ts', 'DATABASE_URL: url, SECRET_KEY'),
  },
  { command: /^tollgate move$/, runner: test('server/src/cli/move.test.ts', "'move', '--from'") },
  { command: /^tollgate move /, runner: { by: 'postgres' } },
  { command: /^pg_dump /, runner: { by: 'postgres' } },
  { command: /^pg_restore /, runner: { by: 'postgres' } },

  { command: /^tollgate doctor$/, runner: { by: 'tollgate', on: 'running', exitCodes: [0, 1] } },
  { command: /^tollgate (doctor|audit|receipts|user list|session list|token|migrate)\b/, runner: running },
  { command: /^tollgate backup /, runner: running },
  { command: /^tollgate restore /, runner: stopped },
  { command: /^tollgate after-restore$/, runner: test('server/src/cli/backup.test.ts', "'after-restore'") },
  { command: /^tollgate session kill /, runner: running },
  { command: /^tollgate user (reset-password|disable|create) /, runner: stopped },
  {
    command: /^tollgate user reset-second-factor /,
    runner: test('server/src/cli/people.test.ts', "'reset-second-factor', 'root'"),
  },
  { command: /^tollgate keys rotate --lost$/, runner: test('server/src/cli/keys.test.ts', "'keys', 'rotate', '--lost'") },
  { command: /^tollgate keys rotate$/, runner: test('server/src/cli/keys.test.ts', "'keys', 'rotate'") },
];

/** `tollgate` alone names the same as `npx tollgate`. */
export const plain = (command: string): string => command.replace(/^npx tollgate (?!--help$)/, 'tollgate ');

/** Place in the table, which is the order of running; -1 when nobody runs it. */
export const rowOf = (command: string): number => rows.findIndex((row) => row.command.test(plain(command)));
export const runnerOf = (command: string): Runner | undefined => rows[rowOf(command)]?.runner;
