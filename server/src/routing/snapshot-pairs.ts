import { splitList } from '../platform/split-list.ts';
import type { ChannelRow, RouteChannel } from './snapshot.ts';
import type { Pace } from './snapshot-pace.ts';

/** Something for each pair of group and model. */
export type ByPair<V> = Map<string, Map<string, V>>;

/** Who serves a pair, in no order. */
export type PairLists = ReadonlyMap<string, ReadonlyMap<string, readonly RouteChannel[]>>;

interface Listed {
  readonly row: Pick<ChannelRow, 'group_names' | 'models'>;
  readonly channel: RouteChannel;
}

/** The pairs that any of these channels serves or served, each with those that serve it now. */
export async function pairsOf(
  { before, after }: { before: readonly Listed[]; after: readonly Listed[] },
  pace: Pace,
): Promise<ByPair<RouteChannel[]>> {
  const pairs: ByPair<RouteChannel[]> = new Map();
  for (const { groups, models, members } of await cohortsOf(before, after, pace)) {
    for (const group of groups) {
      const byModel = getOrAdd(pairs, group, () => new Map<string, RouteChannel[]>());
      for (const model of models) {
        if (pace.isDue()) await pace.rest();
        const list = getOrAdd(byModel, model, () => []);
        for (const member of members) list.push(member);
      }
    }
  }
  return pairs;
}

interface Cohort {
  readonly groups: readonly string[];
  readonly models: readonly string[];
  readonly members: RouteChannel[];
}

/** Many channels have the same lists: each text is read once. */
async function cohortsOf(before: readonly Listed[], after: readonly Listed[], pace: Pace): Promise<readonly Cohort[]> {
  // By models, then by groups: joining the texts would cost more than finding them.
  const cohorts = new Map<string, Map<string, Cohort>>();
  const all: Cohort[] = [];
  const cohortOf = ({ row }: Listed) => {
    const byGroups = getOrAdd(cohorts, row.models, () => new Map<string, Cohort>());
    const known = byGroups.get(row.group_names);
    if (known !== undefined) return known;
    const made = { groups: splitList(row.group_names), models: splitList(row.models), members: [] };
    byGroups.set(row.group_names, made);
    all.push(made);
    return made;
  };
  for (const one of before) {
    if (pace.isDue()) await pace.rest();
    cohortOf(one);
  }
  for (const one of after) {
    if (pace.isDue()) await pace.rest();
    cohortOf(one).members.push(one.channel);
  }
  return all;
}

interface Replacement {
  readonly lists: PairLists;
  /** Pairs with channels to be put in. */
  readonly touched: PairLists;
  /** Channels to be taken out. */
  readonly isStale: (channel: RouteChannel) => boolean;
}

/** New lists for the touched pairs, the same ones for all others; a pair that nobody serves is gone. */
export async function replacedLists({ lists, touched, isStale }: Replacement, pace: Pace): Promise<PairLists> {
  const next = new Map(lists);
  for (const [group, added] of touched) {
    const byModel = new Map(lists.get(group));
    for (const [model, newcomers] of added) {
      if (pace.isDue()) await pace.rest();
      const stayed = byModel.get(model)?.filter((channel) => !isStale(channel)) ?? [];
      const members = stayed.length === 0 ? newcomers : [...stayed, ...newcomers];
      if (members.length === 0) byModel.delete(model);
      else byModel.set(model, members);
    }
    if (byModel.size === 0) next.delete(group);
    else next.set(group, byModel);
  }
  return next;
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}
