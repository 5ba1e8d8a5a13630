/** What selection needs to know of a channel. */
export interface Weighted {
  readonly id: number;
  readonly weight: number;
}

/** Channels of one priority, best tiers first. */
export type Tiers<C extends Weighted> = readonly (readonly C[])[];

/** A channel of weight 0 still gets calls (contract 4.7). */
const baseWeight = 10;

/** Picks by (weight + 10) among the channels not in `tried`; `random` is in [0, 1). Undefined when none is left. */
export function pickWeighted<C extends Weighted>(
  channels: readonly C[],
  tried: ReadonlySet<number>,
  random: number,
): C | undefined {
  let total = 0;
  for (const channel of channels) if (!tried.has(channel.id)) total += channel.weight + baseWeight;
  let point = random * total;
  let last: C | undefined;
  for (const channel of channels) {
    if (tried.has(channel.id)) continue;
    last = channel;
    point -= channel.weight + baseWeight;
    if (point < 0) return channel;
  }
  return last;
}

/** The next channel to try: a tier is exhausted before the next one, and no channel is tried twice (rulings 12). */
export function nextChannel<C extends Weighted>(tiers: Tiers<C>, tried: ReadonlySet<number>, random: number): C | undefined {
  for (const tier of tiers) {
    const picked = pickWeighted(tier, tried, random);
    if (picked !== undefined) return picked;
  }
  return undefined;
}

/** Groups channels into tiers by descending priority; within a tier the order is by id. */
export function tiersOf<C extends Weighted & { readonly priority: number }>(channels: readonly C[]): Tiers<C> {
  const byPriority = new Map<number, C[]>();
  for (const channel of channels) {
    const tier = byPriority.get(channel.priority);
    if (tier === undefined) byPriority.set(channel.priority, [channel]);
    else tier.push(channel);
  }
  return [...byPriority.entries()].sort(([a], [b]) => b - a).map(([, tier]) => tier.sort((a, b) => a.id - b.id));
}
