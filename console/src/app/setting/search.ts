import type { RawSearch } from '../../lib/search.ts';

/** The tabs of the settings page that exist. */
const settingTabs = ['personal', 'operation', 'system', 'other', 'history'] as const;
export type SettingTab = (typeof settingTabs)[number];

export interface SettingSearch {
  /** Absent: the first tab. */
  tab?: SettingTab;
}
export const readSettingSearch = (raw: RawSearch): SettingSearch => ({
  tab: settingTabs.find((tab) => tab === raw.tab),
});
