import path from 'node:path';
import type { LedgerProof } from '@tollgate/contract';
import { filledOutboxes } from '../billing/index.ts';
import { readEnv } from '../env.ts';
import { refuseWrite } from '../storage/database.ts';
import { type MovedTable, type MoveProgress, moveDatabase, refuseOldSchema, refuseRows } from '../storage/move/move.ts';
import { type Address, namingFile, openSource, openTarget, readAddress } from '../storage/move/open.ts';
import type { Side } from '../storage/move/side.ts';
import { proofOf, proofTable } from './doctor.ts';
import { type CliWorld, type Outcome, UsageError } from './outcome.ts';

export interface MoveOptions {
  readonly from: string;
  readonly to: string;
  readonly dryRun?: boolean;
}

/** Measured on a small machine, reading back included. */
const rowsPerSecond = 10_000;
const tellEveryRows = 100_000;

/** Copies one engine's database into an empty one of the other; commits only what is equal and proven. */
export async function moveCommand(world: CliWorld, options: MoveOptions): Promise<Outcome> {
  const [from, to] = [addressOf(options.from, '--from'), addressOf(options.to, '--to')];
  if ('url' in from === 'url' in to) throw new UsageError('--from and --to name the same engine; use backup and restore');
  refuseOutbox(world, from);
  const done = options.dryRun ? rehearse(from, to) : move(world, from, to);
  return done.catch((error: unknown) => Promise.reject(namingFile(error, [from, to])));
}

function addressOf(text: string, option: string): Address {
  const address = readAddress(text);
  // Not repeated: it may hold a password.
  if (address === undefined) throw new UsageError(`${option} must be sqlite:<data folder> or postgres://...`);
  return address;
}

/** Charges that wait in the outbox are in no table yet. A node on PostgreSQL has its own in its DATA_DIR. */
function refuseOutbox({ env }: CliWorld, from: Address): void {
  const dataDir = 'dataDir' in from ? from.dataDir : readEnv({ ...env, DATABASE_URL: undefined }).DATA_DIR;
  const [outbox] = filledOutboxes(dataDir);
  if (outbox === undefined) return;
  throw new Error(
    `Charges wait in ${path.join(dataDir, outbox)}: start and stop the server once, so that they are booked; one that stays: docs/runbook.md, "Charges that stay in the outbox"`,
  );
}

async function rehearse(from: Address, to: Address): Promise<Outcome> {
  const source = await openSource(from, { isAlone: false });
  try {
    await refuseOldSchema(source);
    const counts: { name: string; rows: number }[] = [];
    for (const table of await source.tables()) counts.push({ name: table.name, rows: await source.count(table) });
    await refuseUsedTarget(to);
    const rows = counts.reduce((sum, table) => sum + table.rows, 0);
    const seconds = Math.ceil(rows / rowsPerSecond);
    const lines = counts.filter((table) => table.rows > 0).map((table) => `  ${table.name}: ${table.rows} rows`);
    const text = [...lines, `${rows} rows would be moved, in about ${seconds} s. Nothing was changed.`].join('\n');
    return { exitCode: 0, text, json: { tables: counts, rows, estimated_seconds: seconds } };
  } finally {
    await source.close();
  }
}

/** Makes the schema as the move would, and takes it back. */
async function refuseUsedTarget(to: Address): Promise<void> {
  const target = await openTarget(to);
  try {
    await target.migrate();
    for (const table of await target.tables()) await refuseRows(target, table);
  } finally {
    await target.close();
  }
}

async function move(world: CliWorld, from: Address, to: Address): Promise<Outcome> {
  const source = await openSource(from, { isAlone: true });
  try {
    const target = await openTarget(to);
    let proof: LedgerProof | undefined;
    try {
      const prove = async (side: Side) => {
        const [whose, ...places] = side === source ? (['source', from, to] as const) : (['copy', to, from] as const);
        world.err(`The ledger of the ${whose} is being proven\n`);
        proof = await proofOver(world, side, places);
        if (!proof.ok) throw new Error(`${proofTable(proof)}\nNothing was moved: the ledger of the ${whose} does not add up.`);
      };
      const tables = await moveDatabase({ from: source, to: target, progress: told(world), prove });
      return outcomeOf(tables, proof, to);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** With the key of the environment, or of the data folder that is one of the two; the first is where `read` reads. */
async function proofOver({ env, clock }: CliWorld, { read }: Side, [own, other]: [Address, Address]): Promise<LedgerProof> {
  const dataDir = 'dataDir' in own ? own.dataDir : 'dataDir' in other ? other.dataDir : undefined;
  const key = readEnv({ ...env, DATABASE_URL: undefined, DATA_DIR: dataDir });
  const engine = 'url' in own ? 'postgres' : 'sqlite';
  const refused = { transaction: refuseWrite, run: refuseWrite, examine: refuseWrite };
  return proofOf({ engine, read, analyse: read, ...refused, close: async () => undefined }, key, clock);
}

function outcomeOf(tables: readonly MovedTable[], proof: LedgerProof | undefined, to: Address): Outcome {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const lines = tables
    .filter((table) => table.rows > 0)
    .map(({ name, rows: count, sum }) => `  ${name}: ${count} rows, sum ${sum}`);
  const start =
    'url' in to
      ? 'Start the nodes with DATABASE_URL and the same master key: SECRET_KEY_FILE=<data folder>/secret.key'
      : `Start the server with DATA_DIR=${to.dataDir} and the same master key, without DATABASE_URL`;
  const text = [
    'Rows and sums of every table are equal on both sides:',
    ...lines,
    ...(proof === undefined ? [] : ['', proofTable(proof)]),
    `${rows} rows were moved. ${start}.`,
    'The source is as it was; do not let a server run on it any more.',
  ].join('\n');
  return { exitCode: 0, text, json: { ok: true, rows, tables, proof } };
}

function told({ err }: CliWorld): MoveProgress {
  let next = tellEveryRows;
  let last = '';
  return ({ doing, table, rows, of }) => {
    if (`${doing} ${table}` !== last) next = tellEveryRows;
    last = `${doing} ${table}`;
    if (rows < next) return;
    next = rows + tellEveryRows;
    err(`${table}: ${rows} of ${of} rows ${doing}\n`);
  };
}
