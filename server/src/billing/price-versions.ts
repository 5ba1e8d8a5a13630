import {
  type OptionDiff,
  type PageOf,
  type PriceChange,
  type PriceOption,
  type PriceVersion,
  priceOptions,
} from '@tollgate/contract';
import type { Actor } from '../audit/index.ts';
import { PublicError } from '../platform/errors.ts';
import type { Settings } from '../settings/index.ts';
import type { Database } from '../storage/database.ts';
import { pageOf } from '../storage/page.ts';

export interface PriceVersions {
  /** Newest first. */
  page(page: number, pageSize: number): Promise<PageOf<PriceVersion>>;
  /** Saves the prices of that version, as a new one. Throws PublicError `not_found`. */
  rollback(id: number, actor: Actor): Promise<void>;
}

export function createPriceVersions({ db, settings }: { db: Database; settings: Settings }): PriceVersions {
  // The history of all options, as far as it is about prices.
  const priced = db.read.selectFrom('option_version').where('price_values', '!=', '');
  return {
    page: (p, page_size) =>
      pageOf(db.read, priced, { p, page_size }, async (page) => {
        const columns = ['id', 'author_id', 'author', 'created_at', 'note', 'diff', 'changed'] as const;
        const rows = await page.select(columns).orderBy('id', 'desc').execute();
        return rows.map((row) => ({ ...row, ...pricePart(row) }));
      }),
    async rollback(id, actor) {
      const row = await priced.select('price_values').where('id', '=', id).executeTakeFirst();
      if (row === undefined) throw new PublicError('not_found');
      const values = JSON.parse(row.price_values) as Partial<Record<PriceOption, string>>;
      const changes = priceOptions.flatMap((key) => {
        const value = values[key];
        return value === undefined ? [] : [{ key, value }];
      });
      await settings.save(changes, actor, `rollback:${id}`);
    },
  };
}

/** A save may have changed other options as well. */
function pricePart({ diff, changed }: { diff: string; changed: number }): Pick<PriceVersion, 'diff' | 'changed'> {
  const all = JSON.parse(diff) as OptionDiff[];
  const prices = all.flatMap((change): PriceChange[] => {
    const option = priceOptions.find((known) => known === change.option);
    return option === undefined ? [] : [{ option, name: change.name, from: change.from, to: change.to }];
  });
  return { diff: prices, changed: prices.length === all.length ? changed : prices.length };
}
