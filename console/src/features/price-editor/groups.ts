import { price_group_duplicate, price_group_missing, price_number, price_pair_duplicate } from '../../i18n/generated/messages.ts';
import { isRecord, parseRecord } from '../../lib/json.ts';
import { type PriceTexts, pretty } from './draft.ts';
import { readNumber } from './form.ts';

/** What calls of one group cost, times this. */
export interface GroupRow {
  id: number;
  group: string;
  ratio: number;
}

/** The same for users of one group, in place of the ratio of the group that they use. */
export interface PairRow {
  id: number;
  userGroup: string;
  group: string;
  ratio: number;
}

const numbersOf = (value: unknown): [string, number][] =>
  Object.entries(isRecord(value) ? value : {}).filter((entry): entry is [string, number] => typeof entry[1] === 'number');

/** In the order of the option. */
export const groupRows = (texts: PriceTexts): GroupRow[] =>
  numbersOf(parseRecord(texts.GroupRatio)).map(([group, ratio], index) => ({ id: index + 1, group, ratio }));

export function pairRows(texts: PriceTexts): PairRow[] {
  return Object.entries(parseRecord(texts.GroupGroupRatio))
    .flatMap(([userGroup, inner]) => numbersOf(inner).map(([group, ratio]) => ({ userGroup, group, ratio })))
    .map((row, index) => ({ id: index + 1, ...row }));
}

/** With this ratio for the group, in the place of `former` when it had another name. */
export function withGroup(texts: PriceTexts, group: string, ratio: number, former = group): PriceTexts {
  const entries = Object.entries(parseRecord(texts.GroupRatio));
  const known = entries.some(([name]) => name === former);
  const next = known
    ? entries.map(([name, value]) => (name === former ? [group, ratio] : [name, value]))
    : [...entries, [group, ratio]];
  return { ...texts, GroupRatio: pretty(Object.fromEntries(next)) };
}

export function withoutGroup(texts: PriceTexts, group: string): PriceTexts {
  const { [group]: _, ...others } = parseRecord(texts.GroupRatio);
  return { ...texts, GroupRatio: pretty(others) };
}

type Pair = Omit<PairRow, 'id'>;

export function withoutPair(texts: PriceTexts, { userGroup, group }: Pick<Pair, 'userGroup' | 'group'>): PriceTexts {
  const { [userGroup]: inner, ...others } = parseRecord(texts.GroupGroupRatio);
  const { [group]: _, ...rest } = isRecord(inner) ? inner : {};
  const next = Object.keys(rest).length === 0 ? others : { ...parseRecord(texts.GroupGroupRatio), [userGroup]: rest };
  return { ...texts, GroupGroupRatio: pretty(next) };
}

/** With this pair, without `former`, the one that it was. */
export function withPair(texts: PriceTexts, { userGroup, group, ratio }: Pair, former?: Pair): PriceTexts {
  const base = former && (former.userGroup !== userGroup || former.group !== group) ? withoutPair(texts, former) : texts;
  const all = parseRecord(base.GroupGroupRatio);
  const inner = isRecord(all[userGroup]) ? all[userGroup] : {};
  return { ...base, GroupGroupRatio: pretty({ ...all, [userGroup]: { ...inner, [group]: ratio } }) };
}

export type GroupFields = Record<'group' | 'ratio', string>;
export type PairFields = Record<'userGroup' | 'group' | 'ratio', string>;

const numberFault = (text: string): { ratio?: string } => (readNumber(text) === undefined ? { ratio: price_number() } : {});

/** `taken`: the names of the other groups. */
export function groupFaults(fields: GroupFields, taken: ReadonlySet<string>): Partial<GroupFields> {
  const name = fields.group.trim();
  const fault = name === '' ? price_group_missing() : taken.has(name) ? price_group_duplicate() : undefined;
  return { ...(fault === undefined ? {} : { group: fault }), ...numberFault(fields.ratio) };
}

/** `taken`: the other pairs. */
export function pairFaults(fields: PairFields, taken: readonly Pair[]): Partial<PairFields> {
  const [userGroup, group] = [fields.userGroup.trim(), fields.group.trim()];
  const isTaken = taken.some((pair) => pair.userGroup === userGroup && pair.group === group);
  const fault = group === '' ? price_group_missing() : isTaken ? price_pair_duplicate() : undefined;
  return {
    ...(userGroup === '' ? { userGroup: price_group_missing() } : {}),
    ...(fault === undefined ? {} : { group: fault }),
    ...numberFault(fields.ratio),
  };
}
