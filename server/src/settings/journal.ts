import { type OptionDiff, type PriceOption, priceOptions } from '@tollgate/contract';
import type { Actor } from '../audit/index.ts';
import { entriesOf } from '../platform/entries.ts';
import type { Transaction } from '../storage/database.ts';

/** One changed option. Texts as they are shown; undefined for secrets. */
export interface JournalEntry {
  readonly key: string;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

export interface JournalSave {
  readonly actor: Actor;
  /** Why, "" = it was entered by hand. */
  readonly note: string;
  /** Unix seconds. */
  readonly now: number;
  /** Only what differs. */
  readonly entries: readonly JournalEntry[];
  /** The text of a price option before and after the save. */
  priceBefore(key: PriceOption): string;
  priceAfter(key: PriceOption): string;
}

const maxDiff = 1000;
const maxShown = 2000;

/** Writes the version of one save, in its transaction. Where it changed prices, it holds their whole state as well. */
export async function recordVersion(tx: Transaction, save: JournalSave): Promise<void> {
  const { actor, note, now, entries } = save;
  if (entries.length === 0) return;
  const author = { author_id: actor.id, author: actor.username, created_at: now };
  const isPriced = entries.some(({ key }) => priceOptions.some((option) => option === key));
  if (isPriced) await recordOrigin(tx, save);
  const diff = entries.flatMap(diffOf);
  const restorable = entries.flatMap(({ key, from }) => (from === undefined ? [] : [[key, from]]));
  const row = {
    ...author,
    note,
    changed: diff.length,
    diff: JSON.stringify(diff.slice(0, maxDiff)),
    before_values: JSON.stringify(Object.fromEntries(restorable)),
    price_values: isPriced ? pricesOf(save.priceAfter) : '',
  };
  await tx.query.insertInto('option_version').values(row).execute();
}

/** What prices there were before the first change can be had back as well. */
async function recordOrigin(tx: Transaction, { now, priceBefore }: JournalSave): Promise<void> {
  const known = tx.query.selectFrom('option_version').select('id').where('price_values', '!=', '').limit(1);
  if ((await known.executeTakeFirst()) !== undefined) return;
  const origin = { author_id: 0, author: '', created_at: now, note: 'origin', changed: 0, diff: '[]', before_values: '{}' };
  await tx.query
    .insertInto('option_version')
    .values({ ...origin, price_values: pricesOf(priceBefore) })
    .execute();
}

function pricesOf(textOf: (key: PriceOption) => string): string {
  return JSON.stringify(Object.fromEntries(priceOptions.map((key) => [key, textOf(key)])));
}

/** What differs between two texts of an option; JSON maps entry by entry. */
function diffOf({ key, from, to }: JournalEntry): OptionDiff[] {
  if (from === undefined || to === undefined) return [{ option: key, name: '', from: '', to: '', secret: true }];
  const whole = [{ option: key, name: '', from: shown(from), to: shown(to) }];
  const before = entriesOf(from);
  const after = entriesOf(to);
  if (before === undefined || after === undefined) return whole;
  const changes = [...new Set([...before.keys(), ...after.keys()])].flatMap((name): OptionDiff[] => {
    const change = { option: key, name, from: shown(before.get(name) ?? ''), to: shown(after.get(name) ?? '') };
    return before.get(name) === after.get(name) ? [] : [change];
  });
  // Only their order differs, which is that of a page's list.
  return changes.length > 0 ? changes : whole;
}

function shown(text: string): string {
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
}
