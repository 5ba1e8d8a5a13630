import { type PageOf, type PriceChange, type PriceOption, type PriceVersion, priceOptions } from '@tollgate/contract';
import type { Actor } from '../audit/index.ts';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import { PublicError } from '../platform/errors.ts';
import type { SavedOptions, Settings } from '../settings/index.ts';
import type { Database, Transaction } from '../storage/database.ts';

const maxDiff = 1000;

/** Writes a version of the price book whenever a save changed it, in the transaction of that save. */
export function createPriceJournal(clock: Clock): (tx: Transaction, saved: SavedOptions) => Promise<void> {
  return async (tx, saved) => {
    const before = textsOf(saved.before);
    const after = textsOf(saved.after);
    const diff = diffOf(before, after);
    if (diff.length === 0) return;
    const first = await tx.query.selectFrom('price_version').select('id').limit(1).executeTakeFirst();
    const now = nowSeconds(clock);
    const row = (values: Texts, changes: readonly PriceChange[]) => ({
      created_at: now,
      changed: changes.length,
      diff: JSON.stringify(changes.slice(0, maxDiff)),
      price_values: JSON.stringify(values),
    });
    // What was there before the first change can be had back as well.
    if (first === undefined) {
      const origin = { author_id: 0, author: '', note: 'origin', ...row(before, []) };
      await tx.query.insertInto('price_version').values(origin).execute();
    }
    const { actor, note } = saved;
    const version = { author_id: actor.id, author: actor.username, note, ...row(after, diff) };
    await tx.query.insertInto('price_version').values(version).execute();
  };
}

type Texts = Partial<Record<PriceOption, string>>;

function textsOf(textOf: (key: PriceOption) => string): Texts {
  return Object.fromEntries(priceOptions.map((key) => [key, textOf(key)]));
}

/** What differs between two states, entry by entry, in the order of the options. */
function diffOf(before: Texts, after: Texts): PriceChange[] {
  return priceOptions.flatMap((option) => {
    if (before[option] === after[option]) return [];
    const from = entriesOf(before[option]);
    const to = entriesOf(after[option]);
    return [...new Set([...from.keys(), ...to.keys()])].flatMap((name) => {
      const change = { option, name, from: from.get(name) ?? '', to: to.get(name) ?? '' };
      return change.from === change.to ? [] : [change];
    });
  });
}

function entriesOf(text = '{}'): ReadonlyMap<string, string> {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null) return new Map([['', text]]);
  return new Map(Object.entries(value).map(([name, entry]) => [name, JSON.stringify(entry)]));
}

export interface PriceVersions {
  /** Newest first. */
  page(page: number, pageSize: number): Promise<PageOf<PriceVersion>>;
  /** Saves the prices of that version, as a new one. Throws PublicError `not_found`. */
  rollback(id: number, actor: Actor): Promise<void>;
}

export function createPriceVersions({ db, settings }: { db: Database; settings: Settings }): PriceVersions {
  return {
    async page(page, pageSize) {
      const rows = await db.read
        .selectFrom('price_version')
        .select(['id', 'author_id', 'author', 'created_at', 'note', 'diff', 'changed'])
        .orderBy('id', 'desc')
        .limit(pageSize)
        .offset((page - 1) * pageSize)
        .execute();
      const counted = await db.read
        .selectFrom('price_version')
        .select((count) => count.fn.countAll<number | string>().as('total'))
        .executeTakeFirst();
      const items = rows.map((row) => ({ ...row, diff: JSON.parse(row.diff) as PriceChange[] }));
      return { items, page, page_size: pageSize, total: Number(counted?.total ?? 0) };
    },
    async rollback(id, actor) {
      const row = await db.read.selectFrom('price_version').select('price_values').where('id', '=', id).executeTakeFirst();
      if (row === undefined) throw new PublicError('not_found');
      const values = JSON.parse(row.price_values) as Texts;
      const changes = priceOptions.flatMap((key) => {
        const value = values[key];
        return value === undefined ? [] : [{ key, value }];
      });
      await settings.save(changes, actor, `rollback:${id}`);
    },
  };
}
