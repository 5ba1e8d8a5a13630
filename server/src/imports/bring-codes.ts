import { changeImportedCode, insertImportedCode, redemptionFault, retireImportedCode } from '../billing/index.ts';
import type { Transaction } from '../storage/database.ts';
import { type MappedCode, mapCode } from './map-code.ts';
import { checkUnmarked, type KeyedMark, writeMark } from './marks.ts';
import { bringPage, isForeseen, type Later, marksMet, pagesOf, type Run, vanished } from './work.ts';

/** What is remembered of a code. */
interface CodeState {
  /** Switched off there. */
  readonly isOff?: true;
  /** Used or deleted there. */
  readonly isRetired?: true;
  /** When it ends there, 0 = never. This and its quota are absent in marks of before they were remembered. */
  readonly endsAt?: number;
  /** Stands in marks of when codes here could not end: whether it ended there. */
  readonly ends?: boolean;
  readonly quota?: number;
}

/**
 * Redemption codes that nobody used. One that was used or withdrawn at the source since must not be redeemed here, too, and one
 * that is worth something else there since, or ends at another time, is and does here.
 */
export async function bringCodes(run: Run): Promise<void> {
  const met = new Set<string>();
  for await (const rows of pagesOf(run, 'redemptions', 'redemptions')) {
    const mapped = rows.map(mapCode);
    const marks = await marksMet(run, 'redemption', mapped, met);
    await bringPage(run, mapped, async (each, tx, later) => {
      const mark = marks.get(each.key);
      if (mark !== undefined) return revisit(run, tx, { ...mark, key: each.key }, stateOf(each), later);
      if ('skip' in each) return later(() => run.tally.skip('redemptions', each.skip, each.key));
      return insert(run, tx, each, later);
    });
  }
  for await (const marks of vanished(run, { table: 'redemptions', kind: 'redemption', met }))
    await bringPage(run, marks, async (mark, tx, later) => {
      if (mark.state.isRetired === true) return;
      later(() => run.tally.note('redemptions', 'deleted_since', mark.key));
      await revisit(run, tx, mark, { isRetired: true }, later);
    });
}

async function insert(run: Run, tx: Transaction | undefined, mapped: MappedCode, later: Later): Promise<void> {
  const known = await redemptionFault(tx?.query ?? run.db?.read, run.crypto, mapped.code);
  const digest = run.crypto.hmac('redemption', mapped.code.key.toLowerCase());
  const fault = known ?? (isForeseen(run, tx, digest) ? 'taken' : undefined);
  if (fault !== undefined && tx !== undefined) await checkUnmarked(tx, placeOf(run, mapped.key));
  if (fault !== undefined) return later(() => run.tally.skip('redemptions', fault, mapped.key));
  if (tx !== undefined) {
    const userId = run.users.get(mapped.owner)?.id ?? 0;
    const id = await insertImportedCode(tx, run.crypto, { ...mapped.code, userId });
    await writeMark(tx, placeOf(run, mapped.key), { before: undefined, after: { targetId: id, state: { ...stateOf(mapped) } } });
  }
  later(() => {
    count(run, 'imported');
    for (const note of mapped.notes) run.tally.note('redemptions', note, mapped.key, mapped.code.name);
  });
}

function stateOf(each: ReturnType<typeof mapCode>): CodeState {
  if ('skip' in each) return { isRetired: true };
  const { isOff, code } = each;
  return { ...(isOff ? { isOff } : {}), endsAt: code.expiresAt, quota: code.quota };
}

async function revisit(run: Run, tx: Transaction | undefined, mark: KeyedMark, next: CodeState, later: Later): Promise<void> {
  const last = mark.state as CodeState;
  const quota = last.quota === undefined || last.quota === next.quota ? undefined : next.quota;
  const endsAt = endOf(last) === undefined || endOf(last) === next.endsAt ? undefined : next.endsAt;
  const isWithdrawn = next.isRetired || (next.isOff && !last.isOff) || (quota !== undefined && quota < 1);
  if (last.isRetired || !(isWithdrawn || quota !== undefined || endsAt !== undefined)) return later(() => count(run, 'known'));
  later(() => count(run, 'changed'));
  if (tx === undefined || run.mode !== 'delta') return;
  const isRetired = isWithdrawn && (await retireImportedCode(tx, mark.targetId));
  if (!isRetired && next.isRetired) later(() => run.tally.note('redemptions', 'redeemed_twice', mark.key));
  const change = { ...(quota !== undefined && quota >= 1 && { quota }), ...(endsAt !== undefined && { expires_at: endsAt }) };
  if (Object.keys(change).length > 0) await changeImportedCode(tx, mark.targetId, change);
  const after = { targetId: mark.targetId, state: { ...next } };
  await writeMark(tx, placeOf(run, mark.key), { before: mark, after });
}

/** When it ended as far as its mark knows: one that came switched off for that has no time there, and gets it. */
const endOf = ({ endsAt, ends }: CodeState): number | undefined => endsAt ?? (ends === false ? 0 : ends && -1);

const placeOf = ({ product }: Run, key: string) => ({ source: product, kind: 'redemption', key });

function count({ tally }: Run, what: 'imported' | 'known' | 'changed'): void {
  tally.counts.redemptions[what] += 1;
}
