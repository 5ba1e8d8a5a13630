import { groupLabel, labelOf } from '../../features/settings/entries.ts';
import { findEntries, targetOf } from '../../features/settings/find.ts';
import type { PaletteItem } from './items.ts';

/** Options that fit; a chunk of its own, for it brings the words of every option. */
export const settingItems = (query: string, isSelfUse: boolean): PaletteItem[] =>
  findEntries(query, isSelfUse).map((entry) => ({
    ...{ key: `opt-${entry.key}`, kind: 'setting', label: labelOf(entry.key) },
    ...{ detail: `${groupLabel(entry.group)} · ${entry.key}`, to: '/setting', ...targetOf(entry) },
    words: [entry.key],
    fits: true,
  }));
export { jumpTo } from '../../features/settings/jump.ts';
