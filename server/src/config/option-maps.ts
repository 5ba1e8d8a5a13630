import { compare, type Fields, isRecord, type Value } from './value.ts';

/** Sections whose entries are each spread over several options: field -> option, a map by the entry's name. */
export const mapSections = {
  prices: {
    ratio: 'ModelRatio',
    completion: 'CompletionRatio',
    cache: 'CacheRatio',
    cache_write: 'CreateCacheRatio',
    cache_write_1h: 'CreateCacheRatio1h',
    audio: 'AudioRatio',
    audio_completion: 'AudioCompletionRatio',
    image: 'ImageRatio',
    tiers: 'PriceTiers',
    price: 'ModelPrice',
    second_price: 'SecondPrice',
  },
  groups: {
    label: 'UserUsableGroups',
    ratio: 'GroupRatio',
    topup_ratio: 'TopupGroupRatio',
    pays_in: 'GroupGroupRatio',
    limits: 'GroupLimits',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

export type MapSection = keyof typeof mapSections;

/** Options that are written entry by entry, and not under `options`. */
export const spreadOptions: ReadonlySet<string> = new Set(Object.values(mapSections).flatMap((fields) => Object.values(fields)));

/** The one whose order is shown to people. */
const orderedOption = mapSections.groups.label;

type Texts = ReadonlyMap<string, string>;

/** The entries of a section in the order in which they are written; `names` are there though nothing is said of them. */
export function gatherEntries(section: MapSection, texts: Texts, names: Iterable<string> = []): ReadonlyMap<string, Fields> {
  const columns = Object.entries(mapSections[section]).map(([field, key]) => [field, membersOf(texts.get(key))] as const);
  const first = section === 'groups' ? [...membersOf(texts.get(orderedOption)).keys()] : [];
  const all = new Set([...first, ...[...columns.flatMap(([, members]) => [...members.keys()]), ...names].sort(compare)]);
  return new Map(
    [...all].map((name) => {
      const fields = columns.flatMap(([field, members]): [string, Value][] => {
        const value = members.get(name);
        return value === undefined ? [] : [[field, value]];
      });
      return [name, new Map(fields)];
    }),
  );
}

/** Option -> its text with these entries as wanted, the others as they are and where they are, or gone where `prune`. */
export function spreadEntries(
  section: MapSection,
  texts: Texts,
  wanted: ReadonlyMap<string, Fields>,
  prune: boolean,
): Map<string, string> {
  return new Map(
    Object.entries(mapSections[section]).map(([field, key]) => {
      const named = [...wanted].flatMap(([name, fields]): [string, Value][] => {
        const value = fields.get(field);
        return value === undefined ? [] : [[name, value]];
      });
      const present = prune ? [] : [...membersOf(texts.get(key))];
      // Named ones stand in their own order, in the places that they have together.
      const placed = present.flatMap((entry) => (wanted.has(entry[0]) ? named.splice(0, 1) : [entry]));
      return [key, JSON.stringify(Object.fromEntries([...placed, ...named]))];
    }),
  );
}

/** Do two texts of a JSON option say the same? Only of labels the order is a part. */
export function sameOrder(key: string, left: string, right: string): boolean {
  return key !== orderedOption || left === right;
}

function membersOf(text: string | undefined): ReadonlyMap<string, Value> {
  const value = JSON.parse(text ?? '{}') as Value;
  return new Map(isRecord(value) ? Object.entries(value) : []);
}
