import { type OptionArea, type OptionControl, type OptionGroupName, type OptionTab, optionGroups } from '@tollgate/contract';
import * as labels from '../../i18n/generated/group-opt.ts';
import * as areas from '../../i18n/generated/group-optarea.ts';
import * as choices from '../../i18n/generated/group-optchoice.ts';
import * as groups from '../../i18n/generated/group-optgroup.ts';

/** The tabs with options. */
export type ShownTab = Exclude<OptionTab, 'none'>;

/** One option on the settings page. */
export interface Entry {
  key: string;
  control: OptionControl;
  group: OptionGroupName;
  tab: OptionTab;
}

export interface Group {
  name: OptionGroupName;
  tab: OptionTab;
  affects: OptionArea;
  entries: readonly Entry[];
}

const names = Object.keys(optionGroups) as OptionGroupName[];

/** Every group in the order of the page. */
export const allGroups: readonly Group[] = names.map((name) => {
  const { tab, affects, options } = optionGroups[name];
  const entries = Object.entries(options).map(([key, control]) => ({ key, control, group: name, tab }));
  return { name, tab, affects, entries };
});
/** What only concerns those who sell. */
const ofSellers: ReadonlySet<OptionGroupName> = new Set<OptionGroupName>(['invites', 'agents', 'payment', 'stripe']);

/** The groups that a site shows; in self-use mode without those of sellers. */
export const shownGroups = (isSelfUse: boolean): readonly Group[] =>
  allGroups.filter(({ name, tab }) => tab !== 'none' && !(isSelfUse && ofSellers.has(name)));

type Texts = Readonly<Record<string, (() => string) | undefined>>;
/** An option's key as it stands in the names of messages. */
export const wordOf = (key: string): string => key.toLowerCase().replaceAll(/[.-]/g, '_');
const say = (texts: Texts, name: string): string | undefined => texts[name]?.();

export const labelOf = (key: string): string => say(labels, `opt_${wordOf(key)}`) ?? key;
export const groupLabel = (name: OptionGroupName): string => say(groups, `optgroup_${name}`) ?? name;
export const areaLabel = (area: OptionArea): string => say(areas, `optarea_${wordOf(area)}`) ?? area;
/** Choices without words of their own are codes. */
export const choiceLabel = (key: string, choice: string): string =>
  say(choices, `optchoice_${wordOf(key)}_${choice}`) ?? choice.toUpperCase();
