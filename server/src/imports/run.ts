import { type ImportTotals, importKinds } from '@tollgate/contract';
import { commandLine, recordAudit } from '../audit/index.ts';
import { LedgerRefusal, type OpeningTotals, openingTotals } from '../billing/index.ts';
import { nowSeconds } from '../platform/clock.ts';
import { sha256 } from '../platform/crypto.ts';
import type { Database } from '../storage/database.ts';
import { isUniqueViolation } from '../storage/errors.ts';
import { bringChannels } from './bring-channels.ts';
import { bringCodes } from './bring-codes.ts';
import { bringLogs } from './bring-logs.ts';
import { bringOptions } from './bring-options.ts';
import { bringTokens } from './bring-tokens.ts';
import { bringUsers } from './bring-users.ts';
import { ImportFault } from './faults.ts';
import { detectProduct } from './product.ts';
import { createTally, type Report } from './report.ts';
import { pageRows, type Run, refPrefix } from './work.ts';

/** Read-only on the source, repeatable, and resumable: what is done is committed page by page with its marks. */
export async function runImport(
  parts: Pick<Run, 'source' | 'mode' | 'db' | 'settings' | 'crypto' | 'clock' | 'progress'>,
): Promise<Report> {
  const product = detectProduct(parts.source);
  if (product === undefined) throw new ImportFault('not_known');
  const run: Run = {
    ...parts,
    product,
    tally: createTally(),
    before: { balance: 0n, used: 0n, affiliate: 0n, debts: 0n },
    users: new Map(),
    tokens: new Map(),
    channels: new Map(),
    tokenKeys: [],
    foreseen: new Set(),
  };
  await recordRun(run);
  try {
    await bringAll(run);
  } catch (error) {
    throw isOvertaken(error) ? new ImportFault('written_meanwhile', {}, { cause: error }) : error;
  }
  return reportOf(run);
}

/** Another run wrote the same since this one looked: a name, a code, or the opening of somebody who now has another number here. */
function isOvertaken(error: unknown): boolean {
  return isUniqueViolation(error) || (error instanceof LedgerRefusal && error.code === 'ref_reused');
}

async function bringAll(run: Run): Promise<void> {
  // First: they show whether it is the site that was brought before.
  await bringUsers(run);
  await bringOptions(run);
  await bringTokens(run);
  await bringChannels(run);
  await bringCodes(run);
  await bringLogs(run);
}

/** Before anything comes: a run that is cut off is on record, too. */
async function recordRun({ db, mode, product, clock }: Run): Promise<void> {
  if (mode === 'dry-run' || db === undefined) return;
  const event = { actor: commandLine, action: 'import', target: product, detail: { mode }, now: nowSeconds(clock) } as const;
  await db.transaction((tx) => tx.perform(recordAudit(event)));
}

async function reportOf(run: Run): Promise<Report> {
  const { tally, db, mode, product, before } = run;
  const isDry = mode === 'dry-run' || db === undefined;
  const after = isDry ? undefined : await openingTotals(db.read, refPrefix(run));
  const keys = isDry ? run.tokenKeys.map(({ there }) => ({ there, here: '' })) : await keysToCompare(run, db);
  const hash = digestOf(keys.map(({ there }) => there));
  const here = isDry ? undefined : digestOf(keys.map((key) => key.here));
  const { debts, ...totals } = before;
  const hasShort = tally.noted.has('users.short');
  const waits = mode !== 'delta' && importKinds.some((kind) => tally.counts[kind].changed > 0);
  const sums = after === undefined || hasShort || waits || sameTotals(totals, after);
  return {
    product,
    mode,
    counts: tally.counts,
    notes: tally.notes,
    noted: Object.fromEntries(tally.noted),
    before: shown(totals),
    after: after && shown(after),
    debts: Number(debts),
    tokensHash: { before: hash, after: here },
    left: await leftTables(run),
    ok: sums && (here === undefined || here === hash),
  };
}

/** Beyond what a number holds a report is not exact to the unit; what is compared is. */
function shown({ balance, used, affiliate }: OpeningTotals): ImportTotals {
  return { balance: Number(balance), used: Number(used), affiliate: Number(affiliate) };
}

function sameTotals(left: OpeningTotals, right: OpeningTotals): boolean {
  return left.balance === right.balance && left.used === right.used && left.affiliate === right.affiliate;
}

/** Over the keyed digests of keys, whose order says nothing. */
function digestOf(hmacs: readonly string[]): string {
  return sha256([...hmacs].sort().join('\n'));
}

/** All but those that got another key here since they came. */
async function keysToCompare({ tokenKeys }: Run, db: Database): Promise<{ there: string; here: string }[]> {
  const compared: { there: string; here: string }[] = [];
  for (let start = 0; start < tokenKeys.length; start += pageRows) {
    const part = tokenKeys.slice(start, start + pageRows);
    const ids = part.map(({ id }) => id);
    const rows = await db.read.selectFrom('token').select(['id', 'key_hmac']).where('id', 'in', ids).execute();
    const found = new Map(rows.map(({ id, key_hmac }) => [id, key_hmac]));
    for (const { id, there, brought } of part) {
      const here = found.get(id) ?? '';
      const isChangedHere = brought === there && here !== '' && here !== brought;
      if (!isChangedHere) compared.push({ there, here });
    }
  }
  return compared;
}

/** Tables with something in them that nobody here would look for elsewhere. */
const notBrought = [
  'top_ups',
  'orders',
  'payment_orders',
  'subscription_orders',
  'subscription_plans',
  'user_subscriptions',
  'tasks',
  'midjourneys',
  'two_fa_backup_codes',
  'passkey_credentials',
  'webauthn_credentials',
  'custom_oauth_providers',
  'user_oauth_bindings',
  'models',
  'vendors',
  'prefill_groups',
  'model_info',
  'mcp_servers',
  'async_task_bindings',
  'checkins',
  'quota_data',
  'statistics',
  'payments',
];

async function leftTables({ source }: Run): Promise<Record<string, number>> {
  const left: Record<string, number> = {};
  for (const table of notBrought) {
    if (!source.tables.has(table)) continue;
    const rows = await source.count(table);
    if (rows > 0) left[table] = rows;
  }
  return left;
}
