import { usableGroups } from '../settings/index.ts';
import type { Message } from './message.ts';
import { listed } from './texts.ts';

export type OwnGroupOptions = Parameters<typeof usableGroups>[0];

/** The message as this person is told it; undefined: nothing of what it tells is theirs. */
export function messageFor(message: Message, userGroup: string, options: OwnGroupOptions): Message | undefined {
  const { prices } = message;
  if (prices === undefined) return message;
  const usable = usableGroups(options, userGroup);
  // Whose users have a ratio of their own there pay what they paid.
  const special = options.GroupGroupRatio.get(userGroup);
  const groups = prices.groups.filter((name) => usable.has(name) && special?.has(name) !== true);
  const own = prices.ofUsers.filter((name) => name === userGroup);
  const names = [...new Set([...prices.models, ...groups, ...own])];
  return names.length === 0 ? undefined : { ...message, values: [listed(names, prices.more)] };
}
