import * as hints from '../../i18n/generated/group-opthint.ts';
import { fuzzyRank } from '../../lib/fuzzy.ts';
import { type Entry, groupLabel, labelOf, type ShownTab, shownGroups, wordOf } from './entries.ts';

const texts: Readonly<Record<string, (() => string) | undefined>> = hints;

/** What an option is for, where its name does not say it. */
export const hintOf = (key: string): string | undefined => texts[`opthint_${wordOf(key)}`]?.();

const maxFound = 8;

/** Options whose name, hint, group or key fits, best first. */
export function findEntries(query: string, isSelfUse = false): Entry[] {
  if (query.trim() === '') return [];
  const shown = shownGroups(isSelfUse).flatMap(({ entries }) => entries);
  const ranked = shown.flatMap((entry) => {
    const words = [labelOf(entry.key), entry.key, groupLabel(entry.group), hintOf(entry.key) ?? ''];
    const ranks = words.flatMap((text, index) => {
      const rank = fuzzyRank(query, text);
      // Scattered letters of a long text are no match.
      return rank === undefined || rank > 3 ? [] : [rank + index * 2];
    });
    return ranks.length === 0 ? [] : [{ entry, rank: Math.min(...ranks) }];
  });
  return ranked
    .sort((left, right) => left.rank - right.rank)
    .slice(0, maxFound)
    .map(({ entry }) => entry);
}

export const tabOf = ({ tab }: Entry): ShownTab => (tab === 'none' ? 'operation' : tab);

/** Where an option stands. Prices have no control of their own: they stand in the price editor. */
export const targetOf = (entry: Entry): { tab: ShownTab; hash: string } => ({
  tab: tabOf(entry),
  hash: entry.control === 'prices' ? entry.group : entry.key,
});
