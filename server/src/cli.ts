import { resolve } from 'node:path';
import { Argument, Command, CommanderError, Option } from 'commander';
import { verifyAudit } from './cli/audit.ts';
import { afterRestoreCommand, backupCommand, restoreCommand } from './cli/backup.ts';
import type { ExportOptions } from './cli/config.ts';
import { doctorAll, doctorLedger } from './cli/doctor.ts';
import { importCommand } from './cli/import.ts';
import { rotateKeysCommand } from './cli/keys.ts';
import { migrateCommand } from './cli/migrate.ts';
import { moveCommand } from './cli/move.ts';
import { type CliWorld, type Outcome, UsageError } from './cli/outcome.ts';
import { verifyReceipts } from './cli/receipts.ts';
import { killSessionsCommand, listSessionsCommand } from './cli/session.ts';
import { createTokenCommand, listTokensCommand, type NewToken, switchTokenCommand } from './cli/token.ts';
import { createUserCommand, listUsersCommand, manageUserCommand, resetPasswordCommand, userActions } from './cli/user.ts';
import { EnvironmentError } from './env.ts';

const usageExitCode = 2;

interface Common {
  json?: boolean;
}

/**
 * Runs one command (contract 16.3). Resolves with the exit code: 0, 1 (found something, or failed), 2 (usage or
 * environment); for `serve` once the server listens.
 */
export async function runCli(args: readonly string[], world: CliWorld): Promise<number> {
  let exitCode = 0;
  const json = args.includes('--json');
  const report = async (options: Common, work: () => Promise<Outcome>): Promise<void> => {
    exitCode = await print(world, options.json === true, work);
  };
  try {
    await createProgram(world, report, { isQuiet: json }).parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 0;
    if (json) world.out(`${JSON.stringify({ error: error.message })}\n`);
    return usageExitCode;
  }
}

type Report = (options: Common, work: () => Promise<Outcome>) => Promise<void>;

/** A command; every one of them knows `--json`. */
function add(parent: Command, name: string, description: string): Command {
  return parent.command(name).description(description).option('--json', 'print JSON');
}

/** A file as who called names it: the launcher works in the checkout's folder, whichever one it was called in. */
const fileOf = ({ env }: CliWorld) => {
  return (name: string): string => resolve(env.TOLLGATE_CALLED_IN ?? '', name);
};

/** All commands; what one of them does goes through `report`. `isQuiet`: wrong arguments are told by the caller. */
export function createProgram(world: CliWorld, report: Report, { isQuiet = false } = {}): Command {
  const program = new Command('tollgate')
    .description('One gateway in front of many AI providers. The environment says which database is meant, as for the server.')
    .exitOverride()
    .configureOutput({ writeOut: world.out, writeErr: isQuiet ? () => undefined : world.err });

  add(program, 'serve', 'serve console, API and relay').action((options: Common) => serve(options, report));
  add(program, 'migrate', 'bring the database up to date')
    .option('--dry-run', 'only list what would be applied')
    .action((options: Common & { dryRun?: boolean }) => report(options, () => migrateCommand(world, options)));
  add(program, 'backup', 'copy the embedded database into a file, also beside a running server; proves the copy')
    .requiredOption('--to <file>', 'the file to make; replaces nothing', fileOf(world))
    .action((options: Common & { to: string }) => report(options, () => backupCommand(world, options.to)));
  add(program, 'restore', 'put a backup in the place of the embedded database; the server must be stopped')
    .requiredOption('--from <file>', 'the backup', fileOf(world))
    .option('--force', 'move the database that is there aside')
    .action((options: Common & { from: string; force?: boolean }) =>
      report(options, () => restoreCommand(world, options.from, options)),
    );
  add(
    program,
    'after-restore',
    'void sessions, system tokens and waiting messages of a database that other tools restored',
  ).action((options: Common) => report(options, () => afterRestoreCommand(world)));
  add(program, 'move', 'copy everything into an empty database of the other engine; the servers must be stopped')
    .requiredOption('--from <database>', 'sqlite:<data folder> or postgres://...')
    .requiredOption('--to <database>', 'the other one')
    .option('--dry-run', 'only say what would be moved, and how long it would take')
    .action((options: Common & { from: string; to: string; dryRun?: boolean }) =>
      report(options, () => moveCommand(world, options)),
    );
  add(
    program,
    'import',
    'bring users, balances, tokens, channels, prices, groups, options and codes of new-api, one-api, one-hub or one-api by Laisky here',
  )
    .requiredOption(
      '--from <database>',
      'a SQLite file, mysql://... or postgres://..., or env:NAME of a variable that says it; it is only read',
      (from) => (/^\w+:/.test(from) ? from : fileOf(world)(from)),
    )
    .option('--dry-run', 'only say what would be brought, and what could not')
    .option('--delta', 'also bring what changed there since it came')
    .addHelpText(
      'after',
      '\nNot brought: payments, subscriptions, drawings and tasks, recovery codes of second factors, passkeys, used codes, deleted rows.',
    )
    .action((options: Common & { from: string; dryRun?: boolean; delta?: boolean }) =>
      report(options, () => importCommand(world, options)),
    );
  add(program, 'doctor', 'look for what is wrong or risky, and say what to do; changes nothing')
    .addArgument(new Argument('[check]', 'ledger: prove that the ledger adds up').choices(['ledger']))
    .option('--all', 'ledger: recompute every receipt, not only those since the last hourly proof')
    .action((check: 'ledger' | undefined, options: Common & { all?: boolean }) =>
      report(options, () => (check === 'ledger' ? doctorLedger(world, options) : doctorAll(world))),
    );
  const receipts = program.command('receipts').description('the arithmetic stored with every charge');
  add(receipts, 'verify', 'recompute receipts and check their signatures')
    .option('--from <time>', 'first day or time (2025-01-31, 2025-01-31T08:00:00Z, unix seconds; UTC)')
    .option('--to <time>', 'last day or time, included')
    .action((options: Common & { from?: string; to?: string }) => report(options, () => verifyReceipts(world, options)));
  const audit = program.command('audit').description('the record of who did what');
  add(audit, 'verify', 'prove that no row was changed or removed').action((options: Common) =>
    report(options, () => verifyAudit(world)),
  );
  addConfig(program, world, report);
  addPeople(program, world, report);
  return program;
}

/** Loaded when it is wanted: a server has no use for it. */
function addConfig(program: Command, world: CliWorld, report: Report): void {
  const commands = () => import('./cli/config.ts');
  const config = program.command('config').description('channels, prices, groups and options as a file');
  add(config, 'export', 'write the configuration as YAML; the same configuration is the same text')
    .option('--to <file>', 'the file to write, instead of printing it', fileOf(world))
    .addOption(
      new Option('--secrets <form>', 'sealed: by the master key; env: as names of environment variables; none: left out')
        .choices(['sealed', 'env', 'none'])
        .default('sealed'),
    )
    .action((options: Common & ExportOptions) =>
      report(options, async () => (await commands()).exportConfigCommand(world, options)),
    );
  for (const [name, description] of [
    [
      'plan',
      'say what applying a file would change, and change nothing: ends with 0 = nothing, 1 = something, 2 = the file has faults',
    ],
    ['apply', 'make the configuration that of the file, in one transaction, also beside a running server'],
  ] as const) {
    add(config, name, description)
      .argument('<file>', 'as `config export` writes it', fileOf(world))
      .option('--prune', 'also delete what the file does not name, in the sections that it has')
      .action((file: string, options: Common & { prune?: boolean }) =>
        report(options, async () => {
          const { planConfigCommand, applyConfigCommand } = await commands();
          return (name === 'plan' ? planConfigCommand : applyConfigCommand)(world, file, options);
        }),
      );
  }
}

/** For when nobody gets in, or somebody did who should not. */
function addPeople(program: Command, world: CliWorld, report: Report): void {
  const user = program.command('user').description('accounts');
  add(user, 'list', 'who there is')
    .option('--limit <count>', 'at most so many')
    .action((options: Common & { limit?: string }) => report(options, () => listUsersCommand(world, options)));
  add(user, 'reset-password', 'give a user a new random password and end all sessions')
    .argument('<name>', 'the user name')
    .action((name: string, options: Common) => report(options, () => resetPasswordCommand(world, name)));
  add(user, 'create', 'a new account with a random password')
    .argument('<name>', 'the user name')
    .option('--admin', 'as an administrator')
    .action((name: string, options: Common & { admin?: boolean }) =>
      report(options, async () => createUserCommand(world, name, options)),
    );
  for (const [action, description] of Object.entries(userActions) as [keyof typeof userActions, string][]) {
    add(user, action, description)
      .argument('<name>', 'the user name')
      .action((name: string, options: Common) => report(options, () => manageUserCommand(world, action, name)));
  }
  const session = program.command('session').description('who is signed in');
  add(session, 'list', 'sessions, the most recently used first')
    .option('--user <name>', 'of this user only')
    .option('--limit <count>', 'at most so many')
    .action((options: Common & { user?: string; limit?: string }) => report(options, () => listSessionsCommand(world, options)));
  add(session, 'kill', 'sign out at once, also from running servers')
    .argument('[id]', 'as `session list` shows it')
    .option('--user <name>', 'all sessions of this user')
    .option('--all', 'everybody')
    .action((id: string | undefined, options: Common & { user?: string; all?: boolean }) =>
      report(options, () => killSessionsCommand(world, id, options)),
    );
  const token = program.command('token').description('API tokens');
  add(token, 'list', 'tokens without their keys, newest first')
    .option('--user <name>', 'of this user only')
    .option('--limit <count>', 'at most so many')
    .action((options: Common & { user?: string; limit?: string }) => report(options, () => listTokensCommand(world, options)));
  add(token, 'create', 'a token for a user; its key is printed')
    .requiredOption('--user <name>', 'whose it shall be')
    .requiredOption('--name <label>', 'what it is called')
    .option('--quota <units>', 'at most so much, instead of all that the user has')
    .option('--group <group>', "another group than the user's")
    .action((options: Common & NewToken) => report(options, async () => createTokenCommand(world, options)));
  for (const [name, isOn] of [
    ['disable', false],
    ['enable', true],
  ] as const) {
    add(token, name, `${name} a token; running servers know within a second`)
      .argument('<id>', 'as `token list` shows it')
      .action((id: string, options: Common) => report(options, () => switchTokenCommand(world, id, isOn)));
  }
  const keys = program.command('keys').description('the master key');
  add(keys, 'rotate', 'seal every secret under a new master key; the servers must be stopped')
    .option('--to <file>', 'where the new key shall lie, unless it is secret.key in the data folder', fileOf(world))
    .option('--lost', 'the old key is lost for good: go on with the one of the environment, without what the old one sealed')
    .action((options: Common & { to?: string; lost?: boolean }) => report(options, () => rotateKeysCommand(world, options)));
}

/** Loads the server only when it is wanted; a failure to start is told like any other. */
async function serve(options: Common, report: Report): Promise<void> {
  try {
    const server = await import('./main-serve.ts');
    await server.serve({ json: options.json === true });
  } catch (error) {
    await report(options, () => Promise.reject(error));
  }
}

async function print(world: CliWorld, json: boolean, work: () => Promise<Outcome>): Promise<number> {
  try {
    const outcome = await work();
    world.out(`${json ? JSON.stringify(outcome.json) : outcome.text}\n`);
    return outcome.exitCode;
  } catch (error) {
    const { text, exitCode } = explain(error);
    // For whoever tells it on in another language.
    const fault = error instanceof Error && 'told' in error ? { fault: error.told } : {};
    if (json) world.out(`${JSON.stringify({ error: text, ...fault })}\n`);
    else world.err(`${text}\n`);
    return exitCode;
  }
}

function explain(error: unknown): { text: string; exitCode: number } {
  if (error instanceof EnvironmentError) {
    return { text: `Wrong environment:\n  ${error.faults.join('\n  ')}`, exitCode: usageExitCode };
  }
  if (error instanceof UsageError) return { text: error.message, exitCode: usageExitCode };
  return { text: error instanceof Error ? error.message : String(error), exitCode: 1 };
}
