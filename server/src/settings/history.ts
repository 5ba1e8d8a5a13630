import type { OptionDiff, OptionVersion, PageOf } from '@tollgate/contract';
import type { Actor } from '../audit/index.ts';
import { PublicError } from '../platform/errors.ts';
import type { Database } from '../storage/database.ts';
import { holds } from '../storage/like.ts';
import { pageOf } from '../storage/page.ts';
import { isOptionKey } from './definitions.ts';
import type { Settings } from './store.ts';

export interface OptionHistory {
  /** Newest first; `key` "" = saves of any option. */
  page(page: number, pageSize: number, key: string): Promise<PageOf<OptionVersion>>;
  /**
   * Saves the values that the options of this version had before it. Throws PublicError `not_found`,
   * `option_nothing_to_restore`, and like `save` where a value is not acceptable any more.
   */
  undo(id: number, actor: Actor): Promise<void>;
}

export function createOptionHistory({ db, settings }: { db: Database; settings: Pick<Settings, 'save'> }): OptionHistory {
  const saves = (key: string) => {
    const all = db.read.selectFrom('option_version').where('changed', '>', 0);
    if (key === '') return all;
    if (!isOptionKey(key)) throw new PublicError('option_unknown');
    // Quotes inside of texts stand escaped in JSON, so that only the member itself matches. A long difference is kept in part.
    return all.where(({ or }) => or([holds('diff', `{"option":"${key}",`), holds('before_values', `"${key}":`)]));
  };
  return {
    page: async (p, page_size, key) =>
      pageOf(db.read, saves(key), { p, page_size }, async (page) => {
        const columns = ['id', 'author_id', 'author', 'created_at', 'note', 'changed', 'diff', 'before_values'] as const;
        const rows = await page.select(columns).orderBy('id', 'desc').execute();
        return rows.map(({ before_values: before, diff, ...row }) => ({
          ...row,
          diff: JSON.parse(diff) as OptionDiff[],
          restores: Object.keys(JSON.parse(before) as object),
        }));
      }),
    async undo(id, actor) {
      const row = await db.read.selectFrom('option_version').select('before_values').where('id', '=', id).executeTakeFirst();
      if (row === undefined) throw new PublicError('not_found');
      const values = Object.entries(JSON.parse(row.before_values) as Record<string, string>);
      const changes = values.filter(([key]) => isOptionKey(key)).map(([key, value]) => ({ key, value }));
      if (changes.length === 0) throw new PublicError('option_nothing_to_restore');
      await settings.save(changes, actor, `undo:${id}`);
    },
  };
}
