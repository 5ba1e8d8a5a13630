import type { OptionDiff, OptionVersion, PageOf } from '@tollgate/contract';
import type { Actor } from '../audit/index.ts';
import { replay } from '../platform/entries.ts';
import { PublicError } from '../platform/errors.ts';
import type { Database } from '../storage/database.ts';
import { holds } from '../storage/like.ts';
import { pageOf } from '../storage/page.ts';
import { isOptionKey, type OptionKey } from './definitions.ts';
import type { Settings } from './store.ts';
import { kindOf, normalText, type OptionChange } from './values.ts';

export interface OptionHistory {
  /** Newest first; `key` "" = saves of any option. */
  page(page: number, pageSize: number, key: string): Promise<PageOf<OptionVersion>>;
  /**
   * Saves what the options of this version were before it; of JSON objects the entries that it changed. Throws PublicError
   * `not_found`, `option_nothing_to_restore`, `option_changed_again`, and like `save` where a value is not acceptable any more.
   */
  undo(id: number, actor: Actor): Promise<void>;
}

export function createOptionHistory({
  db,
  settings,
}: {
  db: Database;
  settings: Pick<Settings, 'refresh' | 'save'>;
}): OptionHistory {
  const saves = (key: string) => {
    const all = db.read.selectFrom('option_version').where('changed', '>', 0);
    if (key === '') return all;
    if (!isOptionKey(key)) throw new PublicError('option_unknown');
    // Quotes inside of texts stand escaped in JSON, so that only the member itself matches. A long difference is kept in part.
    return all.where(({ or }) => or([holds('diff', `{"option":"${key}",`), holds('before_values', `"${key}":`)]));
  };
  /** The text that a version left behind is what the next one of the same option found. */
  const textAfter = async (id: number, key: OptionKey, now: string): Promise<string> => {
    const later = db.read.selectFrom('option_version').select('before_values').where('id', '>', id);
    const next = await later
      .where(holds('before_values', `"${key}":`))
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    const text = next && valuesOf(next)[key];
    return text === undefined ? now : (normalText(key, text) ?? text);
  };
  return {
    page: async (p, page_size, key) =>
      pageOf(db.read, saves(key), { p, page_size }, async (page) => {
        const columns = ['id', 'author_id', 'author', 'created_at', 'note', 'changed', 'diff', 'before_values'] as const;
        const rows = await page.select(columns).orderBy('id', 'desc').execute();
        return rows.map(({ before_values: before, diff, ...row }) => ({
          ...row,
          diff: JSON.parse(diff) as OptionDiff[],
          restores: Object.keys(valuesOf({ before_values: before })),
        }));
      }),
    async undo(id, actor) {
      const row = await db.read.selectFrom('option_version').select('before_values').where('id', '=', id).executeTakeFirst();
      if (row === undefined) throw new PublicError('not_found');
      const values = Object.entries(valuesOf(row));
      const options = await settings.refresh();
      const changes: OptionChange[] = [];
      for (const [key, wanted] of values) {
        if (!isOptionKey(key)) continue;
        const now = kindOf(key).write(options[key]);
        const value = replay({ was: await textAfter(id, key, now), wanted, now });
        if (value === undefined) throw new PublicError('option_changed_again', { option: key });
        changes.push({ key, value, seen: now });
      }
      if (changes.length === 0) throw new PublicError('option_nothing_to_restore');
      await settings.save(changes, actor, `undo:${id}`);
    },
  };
}

const valuesOf = ({ before_values: text }: { before_values: string }) => JSON.parse(text) as Record<string, string>;
