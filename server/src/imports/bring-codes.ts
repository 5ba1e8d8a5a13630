import { insertImportedCode, redemptionFault, retireImportedCode } from '../billing/index.ts';
import type { Transaction } from '../storage/database.ts';
import { type MappedCode, mapCode } from './map-code.ts';
import { type Mark, readMarks, writeMark } from './marks.ts';
import { bringPage, type Later, pagesOf, type Run } from './work.ts';

/** Redemption codes that nobody used. One that was used at the source since must not be redeemed here, too. */
export async function bringCodes(run: Run): Promise<void> {
  for await (const rows of pagesOf(run, 'redemptions', 'redemptions')) {
    const mapped = rows.map(mapCode);
    const keys = mapped.map(({ key }) => key);
    const marks = await readMarks(run.db?.read, run.product, 'redemption', keys);
    await bringPage(run, mapped, async (each, tx, later) => {
      const mark = marks.get(each.key);
      if ('skip' in each)
        return mark === undefined ? leave(run, later, each.skip, each.key) : retire(run, tx, each.key, mark, later);
      if (mark !== undefined) return later(() => count(run, 'known'));
      return insert(run, tx, each, later);
    });
  }
}

async function insert(run: Run, tx: Transaction | undefined, mapped: MappedCode, later: Later): Promise<void> {
  const fault = await redemptionFault(tx?.query ?? run.db?.read, run.crypto, mapped.code);
  if (fault !== undefined) return leave(run, later, fault, mapped.key);
  if (tx !== undefined) {
    const userId = run.users.get(mapped.owner)?.id ?? 0;
    const id = await insertImportedCode(tx, run.crypto, { ...mapped.code, userId });
    await writeMark(tx, placeOf(run, mapped.key), { before: undefined, after: { targetId: id, state: {} } });
  }
  later(() => {
    count(run, 'imported');
    for (const note of mapped.notes) run.tally.note('redemptions', note, mapped.key, mapped.code.name);
  });
}

async function retire(run: Run, tx: Transaction | undefined, key: string, mark: Mark, later: Later): Promise<void> {
  if (mark.state.isRetired === true) return later(() => count(run, 'known'));
  later(() => count(run, 'changed'));
  if (tx === undefined || run.mode !== 'delta') return;
  const isRetired = await retireImportedCode(tx, mark.targetId);
  if (!isRetired) later(() => run.tally.note('redemptions', 'redeemed_twice', key));
  const after = { targetId: mark.targetId, state: { isRetired: true } };
  await writeMark(tx, placeOf(run, key), { before: mark, after });
}

const placeOf = ({ product }: Run, key: string) => ({ source: product, kind: 'redemption', key });

function count({ tally }: Run, what: 'imported' | 'known' | 'changed'): void {
  tally.counts.redemptions[what] += 1;
}

function leave({ tally }: Run, later: Later, what: string, key: string): void {
  later(() => {
    tally.counts.redemptions.skipped += 1;
    tally.note('redemptions', what, key);
  });
}
