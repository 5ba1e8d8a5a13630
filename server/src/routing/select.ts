import { raceScore } from './affinity.ts';

/** What selection needs to know of a channel. */
export interface Weighted {
  readonly id: number;
  readonly weight: number;
}

/** A channel of weight 0 still gets calls (contract 4.7). */
const baseWeight = 10;

export function effectiveWeight({ weight }: Weighted): number {
  return weight + baseWeight;
}

/** Groups channels into tiers of one priority each, the highest first; within a tier the order is by id. */
export function tiersOf<C extends Weighted & { readonly priority: number }>(channels: readonly C[]): C[][] {
  const byPriority = new Map<number, C[]>();
  for (const channel of channels) {
    const tier = byPriority.get(channel.priority);
    if (tier === undefined) byPriority.set(channel.priority, [channel]);
    else tier.push(channel);
  }
  return [...byPriority.entries()].sort(([a], [b]) => b - a).map(([, tier]) => tier.sort((a, b) => a.id - b.id));
}

/** A tier prepared for draws. A large one is drawn in two steps, so that a pick looks at few of its channels. */
export interface Urn<C extends Weighted> {
  readonly members: readonly C[];
  /** Undefined for a small tier. */
  readonly baskets: readonly Basket<C>[] | undefined;
}

interface Basket<C extends Weighted> {
  readonly id: number;
  readonly weight: number;
  readonly members: readonly C[];
}

const smallTier = 64;
const basketSeed = 0x5bd1e995;

export function urnOf<C extends Weighted>(members: readonly C[]): Urn<C> {
  if (members.length <= smallTier) return { members, baskets: undefined };
  // A power of two near the square root: it changes seldom, and so does the basket that a channel lies in.
  const mask = 2 ** Math.round(Math.log2(members.length) / 2) - 1;
  const baskets = new Map<number, C[]>();
  for (const member of members) {
    const basket = baskets.get(member.id & mask);
    if (basket === undefined) baskets.set(member.id & mask, [member]);
    else basket.push(member);
  }
  return {
    members,
    baskets: [...baskets].map(([id, inside]) => ({
      id,
      members: inside,
      weight: inside.reduce((sum, member) => sum + effectiveWeight(member), 0),
    })),
  };
}

/** The first of the urn in the order of this seed that `fits`; leaving others out does not change the order of the rest. */
export function drawFirst<C extends Weighted>(urn: Urn<C>, seed: number, fits: (member: C) => boolean): C | undefined {
  if (urn.baskets === undefined) return firstOf(urn.members, seed, fits);
  const done = new Set<Basket<C>>();
  for (;;) {
    const basket = firstBasket(urn.baskets, seed, done);
    if (basket === undefined) return undefined;
    const found = firstOf(basket.members, seed, fits);
    if (found !== undefined) return found;
    done.add(basket);
  }
}

function firstOf<C extends Weighted>(members: readonly C[], seed: number, fits: (member: C) => boolean): C | undefined {
  let best: C | undefined;
  let bestScore = Number.POSITIVE_INFINITY;
  for (const member of members) {
    const score = raceScore(seed, member.id, member.weight + baseWeight);
    if (score < bestScore && fits(member)) {
      best = member;
      bestScore = score;
    }
  }
  return best;
}

function firstBasket<C extends Weighted>(baskets: readonly Basket<C>[], seed: number, done: ReadonlySet<Basket<C>>) {
  let best: Basket<C> | undefined;
  let bestScore = Number.POSITIVE_INFINITY;
  for (const basket of baskets) {
    const score = raceScore(seed ^ basketSeed, basket.id, basket.weight);
    if (score < bestScore && !done.has(basket)) {
      best = basket;
      bestScore = score;
    }
  }
  return best;
}
