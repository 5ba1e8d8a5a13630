import { useQuery } from '@tanstack/react-query';
import type { Channel, Token, User } from '@tollgate/contract';
import { useEffect, useState } from 'react';
import { channelListQuery } from '../../api/channels.ts';
import { isAdmin, isRoot, useSession } from '../../api/session.ts';
import { tokenListQuery } from '../../api/tokens.ts';
import { userListQuery } from '../../features/users/queries.ts';
import { useSettled } from '../../ui/form/useSettled.ts';
import type { PaletteItem } from './items.ts';

const recentRows = 50;
const foundRows = 20;
const leastSigns = 2;

const tokenItem = ({ id, name }: Token, fits: boolean): PaletteItem => ({
  ...{ key: `token-${id}`, kind: 'token', label: name, detail: `#${id}`, fits, to: `/token/edit/${id}` },
});
const channelItem = ({ id, name, group }: Channel, fits: boolean): PaletteItem => ({
  ...{ key: `channel-${id}`, kind: 'channel', label: name, detail: `#${id} · ${group}`, fits, to: `/channel/edit/${id}` },
});
const userItem = ({ id, username, display_name }: User, fits: boolean): PaletteItem => ({
  ...{ key: `user-${id}`, kind: 'user', label: username, detail: `#${id} · ${display_name}` },
  ...{ words: [display_name], fits, to: `/user/edit/${id}` },
});

/** Tokens, and for admins channels and users: the newest at hand for the fuzzy search, and what the server finds. */
export function useRows(query: string): PaletteItem[] {
  const admin = isAdmin(useSession());
  // As it was when the keys last rested; empty while it is too short to ask a server for.
  const settled = useSettled(query.trim());
  const rested = settled.length < leastSigns ? '' : settled;
  const isAsked = rested !== '';
  const filter = { keyword: rested };
  const order = { idSort: true, byTag: false };
  const recentTokens = useQuery(tokenListQuery({}, 1, recentRows)).data?.items ?? [];
  const recentChannels = useQuery({ ...channelListQuery({}, order, 1, recentRows), enabled: admin }).data?.items ?? [];
  const recentUsers = useQuery({ ...userListQuery({}, 1, recentRows), enabled: admin }).data?.items ?? [];
  const tokens = useQuery({ ...tokenListQuery(filter, 1, foundRows), enabled: isAsked }).data?.items ?? [];
  const channels = useQuery({ ...channelListQuery(filter, order, 1, foundRows), enabled: admin && isAsked }).data?.items ?? [];
  const users = useQuery({ ...userListQuery(filter, 1, foundRows), enabled: admin && isAsked }).data?.items ?? [];
  if (query.trim() === '') return [];
  // The server also looks into keys, groups and addresses: what it finds fits, while it is the answer to this query.
  const fits = rested === query.trim();
  const items = [
    ...(rested === '' ? [] : [...tokens.map((row) => tokenItem(row, fits)), ...channels.map((row) => channelItem(row, fits))]),
    ...(rested === '' ? [] : users.map((row) => userItem(row, fits))),
    ...recentTokens.map((row) => tokenItem(row, false)),
    ...recentChannels.map((row) => channelItem(row, false)),
    ...recentUsers.map((row) => userItem(row, false)),
  ];
  return [...new Map(items.toReversed().map((item) => [item.key, item])).values()];
}

type SettingsPart = typeof import('./settings.ts');

/** The part that knows the options, for whom may change them. */
export function useSettingsPart(): SettingsPart | undefined {
  const root = isRoot(useSession());
  const [part, setPart] = useState<SettingsPart>();
  useEffect(() => {
    // Without a line to the server the rest of the palette still works.
    if (root) void import('./settings.ts').then(setPart, () => undefined);
  }, [root]);
  return part;
}
