import { creditableVerdicts, finalVerdicts, type InboxEntry, type InboxVerdict, type PageOf } from '@tollgate/contract';
import type { Kysely, Selectable } from 'kysely';
import { toSeconds } from '../platform/clock.ts';
import { type Crypto, openedOrNone } from '../platform/crypto.ts';
import type { Database, Transaction } from '../storage/database.ts';
import { lockName } from '../storage/name-lock.ts';
import { countRows, pageOf } from '../storage/page.ts';
import type { SealedColumn } from '../storage/reseal.ts';
import type { PaymentInboxTable, Schema } from '../storage/schema.ts';
import { keptText } from '../storage/statements.ts';
import type { Judgement, Notice, Saying } from './payments/provider.ts';
import { moneyText } from './topup-money.ts';
import type { Effect } from './topup-settle.ts';

type Row = Selectable<PaymentInboxTable>;

/** All that waits for a person: payments that are nobody's yet, and refunds that cannot be compared with their payment. */
export const unmatchedVerdicts: readonly InboxVerdict[] = [...creditableVerdicts, 'unmatched_refund'];
/** Anybody may send what is not believed: only the newest of these are kept. */
const doubtful: readonly InboxVerdict[] = ['malformed', 'wrong_merchant', 'bad_signature', 'unconfigured'];
const maxDoubtful = 2_000;
const trimEvery = 100;

/** It had its effect. */
export function isFinal(verdict: string): boolean {
  return finalVerdicts.some((final) => final === verdict);
}

/** It was proven once; `error` is that of a row that was made just now. */
export function wasBelieved(verdict: string): boolean {
  return verdict !== 'error' && !doubtful.some((other) => other === verdict);
}

/** Whether the service may stop telling: everything had the effect that it will have without a person. */
export function isUnderstood(verdict: InboxVerdict): boolean {
  return isFinal(verdict) || verdict === 'noted';
}

/** Finds or makes the row of a notification and holds it until the end of the transaction. */
export async function openEntry(
  tx: Transaction,
  crypto: Crypto,
  { provider, notice, judgement }: { provider: string; notice: Notice; judgement: Judgement },
): Promise<Row> {
  const { saying, kind, digest, summary } = judgement;
  const now = toSeconds(notice.receivedMs);
  const money = saying.says === 'paid' || saying.says === 'refund' ? saying : undefined;
  return tx.query
    .insertInto('payment_inbox')
    .values({
      provider,
      digest,
      kind: keptText(kind),
      payload_sealed: crypto.seal(sealedText(notice), binding(provider, digest)),
      summary: keptText(JSON.stringify(summary)),
      verdict: 'error',
      detail: '',
      trade_no: keptText(numberOf(saying)),
      order_id: 0,
      money_cents: money?.cents ?? 0,
      currency: money?.currency ?? '',
      provider_ref: saying.says === 'paid' ? saying.providerRef : '',
      seen: 1,
      received_at: now,
      last_at: now,
    })
    .onConflict((conflict) =>
      conflict.columns(['provider', 'digest']).doUpdateSet((column) => ({
        seen: column('payment_inbox.seen', '+', 1),
        last_at: now,
        // What is no longer believed, after a key was changed, stays as it was understood.
        ...(saying.says !== 'refused' && {
          trade_no: column.ref('excluded.trade_no'),
          money_cents: column.ref('excluded.money_cents'),
          currency: column.ref('excluded.currency'),
          provider_ref: column.ref('excluded.provider_ref'),
        }),
      })),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Our number of the order, or the service's own of the payment that is refunded. */
function numberOf(saying: Saying): string {
  if (saying.says === 'refund') return saying.providerRef;
  return saying.says === 'paid' || saying.says === 'closed' ? saying.tradeNo : '';
}

/**
 * To be performed before anything else is done about a payment: of its credit and a refund, told at the same moment, the
 * second sees the first.
 */
export async function lockPayment(db: Database, tx: Transaction, provider: string, providerRef: string): Promise<void> {
  if (providerRef !== '') await lockName(db, tx, `payment:${provider}:${providerRef}`);
}

/** Refunds of a payment that was not known when they were told. */
export function earlyRefunds(tx: Transaction, provider: string, providerRef: string): Promise<Row[]> {
  return tx.query
    .selectFrom('payment_inbox')
    .selectAll()
    .where('verdict', '=', 'noted')
    .where('provider', '=', provider)
    .where('trade_no', '=', providerRef)
    .where('money_cents', '>', 0)
    .orderBy('id')
    .limit(100)
    .execute();
}

function binding(provider: string, digest: string): string {
  return `payment_inbox/payload/${provider}/${digest}`;
}

/** Where notifications lie sealed. */
export const sealedNotices: SealedColumn = {
  table: 'payment_inbox',
  key: 'id',
  column: 'payload_sealed',
  reads: ['provider', 'digest'],
  binding: (row) => binding(String(row.provider), String(row.digest)),
};

/** Writes what a notification did: with that in one transaction. */
export async function closeEntry(tx: Transaction, id: number, { verdict, detail, orderId }: Effect): Promise<void> {
  await tx.query
    .updateTable('payment_inbox')
    .set({ verdict, detail: keptText(detail), order_id: orderId })
    .where('id', '=', id)
    .execute();
  if (doubtful.includes(verdict) && id % trimEvery === 0) await trim(tx);
}

async function trim(tx: Transaction): Promise<void> {
  const oldest = await tx.query
    .selectFrom('payment_inbox')
    .select('id')
    .where('verdict', 'in', doubtful)
    .orderBy('id', 'desc')
    .offset(maxDoubtful)
    .limit(1)
    .executeTakeFirst();
  if (oldest === undefined) return;
  await tx.query.deleteFrom('payment_inbox').where('verdict', 'in', doubtful).where('id', '<=', oldest.id).execute();
}

const keptSeconds = 180 * 86_400;
const forgetBatch = 500;

/** Removes what had no effect long ago; what brought or may bring money stays. */
export async function forgetOldEntries(tx: Transaction, now: number): Promise<void> {
  const old = tx.query
    .selectFrom('payment_inbox')
    .select('id')
    .where('verdict', 'in', ['noted', 'repeat', ...doubtful])
    .where('last_at', '<', now - keptSeconds)
    .limit(forgetBatch);
  await tx.query.deleteFrom('payment_inbox').where('id', 'in', old).execute();
}

/** The third part stands there only where it was an answer: versions of before cannot judge that as a notification. */
function sealedText({ raw, signature, asked }: Notice): string {
  return JSON.stringify(asked === true ? [raw, signature, 'asked'] : [raw, signature]);
}

/** What a stored notification said, as it came; undefined where this master key does not open it. */
export function noticeOf(crypto: Crypto, row: Row): Notice | undefined {
  const text = openedOrNone(crypto, row.payload_sealed, binding(row.provider, row.digest));
  if (text === '') return undefined;
  const [raw, signature, way] = JSON.parse(text) as [string, string, string?];
  return { raw, signature, receivedMs: row.received_at * 1000, asked: way === 'asked' };
}

export interface InboxFilter {
  p: number;
  page_size: number;
  verdicts?: readonly string[];
  provider?: string;
}

/** Newest first. */
export function pageOfInbox(read: Kysely<Schema>, filter: InboxFilter): Promise<PageOf<InboxEntry>> {
  const { verdicts = [], provider = '' } = filter;
  let rows = read.selectFrom('payment_inbox');
  if (verdicts.length > 0) rows = rows.where('verdict', 'in', [...verdicts]);
  if (provider !== '') rows = rows.where('provider', '=', provider);
  return pageOf(read, rows, filter, async (page) => (await page.selectAll().orderBy('id', 'desc').execute()).map(entryOf));
}

export function entryOf(row: Row): InboxEntry {
  return {
    id: row.id,
    provider: row.provider,
    kind: row.kind,
    verdict: row.verdict as InboxVerdict,
    detail: row.detail,
    trade_no: row.trade_no,
    order_id: row.order_id,
    money: row.money_cents === 0 ? '' : moneyText(row.money_cents),
    currency: row.currency,
    summary: row.summary,
    seen: row.seen,
    received_at: row.received_at,
    last_at: row.last_at,
  };
}

/** How many payments wait for somebody. */
export function unmatchedPayments({ read }: Pick<Database, 'read'>): Promise<number> {
  return countRows(unmatched(read));
}

/** The newest of them, and when each came. */
export function newestUnmatched({ read }: Pick<Database, 'read'>, limit: number): Promise<{ id: number; since: number }[]> {
  return unmatched(read).select(['id', 'received_at as since']).orderBy('id', 'desc').limit(limit).execute();
}

function unmatched(read: Kysely<Schema>) {
  return read.selectFrom('payment_inbox').where('verdict', 'in', [...unmatchedVerdicts]);
}
