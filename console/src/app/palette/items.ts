import { type Role, role, type Status } from '@tollgate/contract';
import {
  nav_about,
  nav_channels,
  nav_chat,
  nav_setting,
  nav_tokens,
  palette_actions,
  palette_channel_add,
  palette_pages,
  palette_settings,
  palette_tab_history,
  palette_tab_operation,
  palette_tab_other,
  palette_tab_personal,
  palette_tab_system,
  palette_token_add,
  palette_user_add,
  palette_users,
  theme_dark,
  theme_light,
  theme_switch,
  theme_system,
} from '../../i18n/generated/messages.ts';
import { readChats } from '../../lib/chats.ts';
import { fuzzyRank } from '../../lib/fuzzy.ts';
import { setTheme } from '../../lib/theme.ts';
import { menuFor } from '../menu.ts';
import type { SettingTab } from '../setting/search.ts';

export type PaletteKind = 'page' | 'action' | 'token' | 'channel' | 'user' | 'setting';

/** Something the palette leads to. */
export interface PaletteItem {
  /** Unique among all items. */
  key: string;
  kind: PaletteKind;
  label: string;
  detail?: string;
  /** What it is found by beside its label. */
  words?: readonly string[];
  /** Something else about it fits the query, says who looked for it. */
  fits?: boolean;
  /** Where it leads, if anywhere. */
  to: string;
  /** Done where the person is. */
  act?: () => void;
  tab?: SettingTab;
  /** The option or group on the tab. */
  hash?: string;
}

/** The headings, in their order. */
export const kindLabels: Readonly<Record<PaletteKind, () => string>> = {
  page: palette_pages,
  action: palette_actions,
  token: nav_tokens,
  channel: nav_channels,
  user: palette_users,
  setting: palette_settings,
};

const settingTabs: readonly { tab: SettingTab; label: () => string; role: Role }[] = [
  { tab: 'personal', label: palette_tab_personal, role: role.common },
  { tab: 'operation', label: palette_tab_operation, role: role.root },
  { tab: 'system', label: palette_tab_system, role: role.root },
  { tab: 'other', label: palette_tab_other, role: role.root },
  { tab: 'history', label: palette_tab_history, role: role.root },
];
const actions: readonly { to: string; label: () => string; role: Role }[] = [
  { to: '/token/add', label: palette_token_add, role: role.common },
  { to: '/channel/add', label: palette_channel_add, role: role.admin },
  { to: '/user/add', label: palette_user_add, role: role.admin },
];

const themes = [
  ['light', theme_light],
  ['dark', theme_dark],
  ['system', theme_system],
] as const;

/** Pages, tabs, new things and themes: what needs no server. */
export function placesFor(userRole: number, status: Status | undefined, agents = false): PaletteItem[] {
  const allowed = <T extends { role: Role }>(rows: readonly T[]) => rows.filter((row) => userRole >= row.role);
  return [
    ...menuFor(userRole, status, agents).map(
      ({ to, label }): PaletteItem => ({ key: to, kind: 'page', label: label(), words: [to], to }),
    ),
    { key: '/about', kind: 'page', label: nav_about(), words: ['/about'], to: '/about' },
    ...(userRole >= role.common ? (readChats(status?.chats) ?? []) : []).map(
      ({ label }, index): PaletteItem => ({
        ...{ key: `/chat/${index}`, kind: 'page', label, detail: nav_chat() },
        ...{ words: [nav_chat()], to: `/chat/${index}` },
      }),
    ),
    ...allowed(settingTabs).map(
      ({ tab, label }): PaletteItem => ({
        ...{ key: `tab-${tab}`, kind: 'page', label: label(), detail: nav_setting() },
        ...{ words: [tab], to: '/setting', tab },
      }),
    ),
    ...allowed(actions).map(({ to, label }): PaletteItem => ({ key: to, kind: 'action', label: label(), words: [to], to })),
    ...themes.map(
      ([mode, label]): PaletteItem => ({
        ...{ key: `theme-${mode}`, kind: 'action', label: label(), detail: theme_switch() },
        ...{ words: [theme_switch(), `theme ${mode}`], to: '', act: () => setTheme(mode) },
      }),
    ),
  ];
}

/** Scattered letters of a long text are no match. */
const maxRank = 3;
const maxOfKind = 6;
const kinds = Object.keys(kindLabels) as PaletteKind[];

function rankOf(item: PaletteItem, query: string): number | undefined {
  const ranks = [item.label, ...(item.words ?? [])].flatMap((text, index) => {
    const rank = fuzzyRank(query, text);
    return rank === undefined || rank > maxRank ? [] : [rank + (index === 0 ? 0 : 0.5)];
  });
  return ranks.length === 0 ? (item.fits ? maxRank : undefined) : Math.min(...ranks);
}

export interface PaletteGroup {
  kind: PaletteKind;
  items: PaletteItem[];
}

/** What fits, under one heading a kind; the kind with the best fit first, then in the order of the headings. */
export function paletteGroups(items: readonly PaletteItem[], query: string): PaletteGroup[] {
  const ranked = items
    .map((item) => ({ item, rank: query.trim() === '' ? 0 : rankOf(item, query) }))
    .flatMap(({ item, rank }) => (rank === undefined ? [] : [{ item, rank }]))
    .sort((left, right) => left.rank - right.rank);
  return kinds
    .map((kind) => ({ kind, rows: ranked.filter(({ item }) => item.kind === kind) }))
    .filter(({ rows }) => rows.length > 0)
    .sort((left, right) => (left.rows[0]?.rank ?? 0) - (right.rows[0]?.rank ?? 0))
    .map(({ kind, rows }) => ({
      kind,
      items: rows.slice(0, query.trim() === '' && kind === 'page' ? rows.length : maxOfKind).map(({ item }) => item),
    }));
}
