import { autoGroup, fields, type UsableGroup } from '@tollgate/contract';
import { type Language, PublicError } from '../platform/errors.ts';
import type { Options } from './definitions.ts';

type GroupOptions = Pick<Options, 'UserUsableGroups' | 'GroupRatio' | 'GroupGroupRatio' | 'AutoGroups'>;

/** Labels of groups that have none of the operator's. */
const labels = { own: { zh: '用户分组', en: 'My group' }, usual: { zh: '默认分组', en: 'Default group' } } as const;

/** Groups a user may pick, with their labels (contract 1.4): the public list and the user's own group. */
export function usableGroups(options: GroupOptions, userGroup: string, language: Language = 'zh'): ReadonlyMap<string, string> {
  const groups = new Map(options.UserUsableGroups);
  if (userGroup !== '' && !groups.has(userGroup)) groups.set(userGroup, labels.own[language]);
  return groups;
}

/** True when a token of this user may name the group: "" = the owner's own, `auto` when it is offered. */
export function mayUseGroup(options: GroupOptions, userGroup: string, group: string): boolean {
  if (group === '') return true;
  if (!usableGroups(options, userGroup).has(group)) return false;
  return group === autoGroup || options.GroupRatio.has(group);
}

/** The ratio a user of `userGroup` pays in `group`, as a decimal for display (contract 7.2). */
function displayRatio(options: GroupOptions, userGroup: string, group: string): number {
  return options.GroupGroupRatio.get(userGroup)?.get(group) ?? options.GroupRatio.get(group) ?? 1;
}

/** Answer of /api/user/self/groups and /api/user/groups; `userGroup` "" = nobody is signed in. */
export function describeGroups(options: GroupOptions, userGroup: string, language: Language = 'zh'): Record<string, UsableGroup> {
  return describe(options, userGroup, language, (group) => options.GroupRatio.has(group));
}

/** Where this user's calls are charged: those that can be named, and their own group, which may do without a ratio. */
export function chargedGroups(options: GroupOptions, userGroup: string, language: Language = 'zh'): Record<string, UsableGroup> {
  return describe(options, userGroup, language, (group) => group === userGroup || options.GroupRatio.has(group));
}

function describe(options: GroupOptions, userGroup: string, language: Language, isShown: (group: string) => boolean) {
  const described: [string, UsableGroup][] = [];
  const usable = new Map(usableGroups(options, userGroup, language));
  if (userGroup === '' && !usable.has('default')) usable.set('default', labels.usual[language]);
  for (const [group, desc] of usable) {
    if (group === autoGroup) described.push([group, { ratio: '自动', desc }]);
    else if (isShown(group)) described.push([group, { ratio: displayRatio(options, userGroup, group), desc }]);
  }
  return Object.fromEntries(described);
}

/** The groups `auto` walks for this user, in order. Empty: auto is not usable. */
export function autoGroupsOf(options: GroupOptions, userGroup: string): string[] {
  const usable = usableGroups(options, userGroup);
  return usable.has(autoGroup) ? options.AutoGroups.filter((group) => usable.has(group) && options.GroupRatio.has(group)) : [];
}

type NamedIn = GroupOptions & Pick<Options, 'TopupGroupRatio' | 'GroupLimits'>;

/**
 * Throws PublicError where `after` names a group that neither a user nor a channel could be in, since lists of groups travel
 * as comma strings. Those that `before` names stay.
 */
export function refuseUnusableGroups(before: NamedIn, after: NamedIn): void {
  const known = groupsNamedIn(before);
  for (const name of groupsNamedIn(after))
    if (!known.has(name) && !fields.groupName.safeParse(name).success) throw new PublicError('group_name_invalid', { name });
}

function groupsNamedIn(options: NamedIn): Set<string> {
  const { GroupRatio, UserUsableGroups, TopupGroupRatio, GroupGroupRatio, GroupLimits, AutoGroups } = options;
  const names = [GroupRatio, UserUsableGroups, TopupGroupRatio, GroupGroupRatio, ...GroupGroupRatio.values()];
  return new Set([...names.flatMap((map) => [...map.keys()]), ...Object.keys(GroupLimits), ...AutoGroups]);
}
