import { drawOf, raceScore } from './affinity.ts';
import type { HealthSubject, HealthView } from './health.ts';
import type { Admission } from './health-breaker.ts';
import type { RouteKey } from './multi-key.ts';
import { drawFirst, effectiveWeight } from './select.ts';
import { type Route, type RouteChannel, withKey } from './snapshot.ts';

/** Where one attempt goes. */
export interface Target extends HealthSubject {
  /** Carries the chosen credential. */
  readonly channel: RouteChannel;
  /** The group whose price applies when this one answers. */
  readonly group: string;
  /** Its breaker rests: this call finds out whether it is well again. */
  readonly probe: boolean;
}

/** Whose turn it is at channels that take their keys in turns. */
export interface KeyTurns {
  /** The index of the key; beyond the last one it begins again. */
  peek(channelId: number): number;
  /** This key has had its turn: the one after it is next. */
  advance(channelId: number, keyIndex: number): void;
}

export function createKeyTurns(): KeyTurns {
  const turns = new Map<number, number>();
  return {
    peek: (channelId) => turns.get(channelId) ?? 0,
    advance: (channelId, keyIndex) => void turns.set(channelId, keyIndex + 1),
  };
}

export interface PlanInput {
  /** In the order in which their groups may be used; a later one is asked when all tiers of those before are exhausted. */
  readonly routes: readonly Route[];
  readonly model: string;
  /** The same seed and the same health give the same order. */
  readonly seed: number;
  readonly health: HealthView;
  readonly turns: KeyTurns;
  readonly exclude?: ReadonlySet<number>;
}

const nobody: ReadonlySet<number> = new Set();

/**
 * The order of attempts of one call, worked out as it is needed: tier by tier, within a tier by weighted draw. Channels
 * that their breaker keeps out are left out as long as any other could be asked; when there never was one they are
 * asked after all, since a guess is better than a certain refusal.
 */
export class RoutePlan {
  readonly input: PlanInput;
  readonly #triedChannels = new Set<number>();
  #triedKeys: Set<string> | undefined;
  #sawHealthy = false;

  constructor(input: PlanInput) {
    this.input = input;
  }

  /** The next target. It counts as tried from now on. */
  next(): Target | undefined {
    const healthy = this.#draw((channel) => this.#bestKey(channel, 'in') !== undefined);
    if (healthy !== undefined) {
      const target = this.#take(healthy, 'in');
      // A probe is no proof of health: when it fails, the others of its kind may still be asked.
      if (!target.probe) this.#sawHealthy = true;
      return target;
    }
    if (this.#sawHealthy) return undefined;
    const resting = this.#draw((channel) => this.#bestKey(channel, 'out') !== undefined);
    return resting === undefined ? undefined : this.#take(resting, 'out');
  }

  /** Another key of this target's channel counts as another target (rulings 12). */
  allowOtherKeys(target: Target): void {
    if (target.channel.keys.length > 1) this.#triedChannels.delete(target.channelId);
  }

  /** Why a channel would be passed over now; undefined = it is in. */
  whyOut(channel: RouteChannel): 'excluded' | 'breaker_open' | undefined {
    if (this.input.exclude?.has(channel.id) === true) return 'excluded';
    return this.#bestKey(channel, 'in') === undefined ? 'breaker_open' : undefined;
  }

  #draw(hasKey: (channel: RouteChannel) => boolean): { channel: RouteChannel; group: string } | undefined {
    const { routes, seed, exclude = nobody } = this.input;
    const fits = (channel: RouteChannel) => !this.#triedChannels.has(channel.id) && !exclude.has(channel.id) && hasKey(channel);
    for (const { tiers, group } of routes) {
      for (const tier of tiers) {
        const channel = drawFirst(tier, seed, fits);
        if (channel !== undefined) return { channel, group };
      }
    }
    return undefined;
  }

  #take({ channel, group }: { channel: RouteChannel; group: string }, worst: Admission): Target {
    const key = this.#bestKey(channel, worst) ?? (channel.keys[0] as RouteKey);
    this.#triedChannels.add(channel.id);
    if (channel.keys.length > 1) {
      this.#triedKeys ??= new Set();
      this.#triedKeys.add(`${channel.id}:${key.index}`);
      if (channel.setting.multiKey === 'polling') this.input.turns.advance(channel.id, key.index);
    }
    const { model, health } = this.input;
    const probe = health.admission(channel.id, key.id, model) === 'probe';
    return { channel: withKey(channel, key), group, channelId: channel.id, keyId: key.id, keyIndex: key.index, model, probe };
  }

  /** The credential this call would use; with `in` only one that its breaker lets through, be it as a probe. */
  #bestKey(channel: RouteChannel, worst: Admission): RouteKey | undefined {
    const { keys } = channel;
    const [only] = keys;
    if (keys.length === 1 && only !== undefined) return this.#keyFits(channel, only, worst) ? only : undefined;
    const { seed, turns } = this.input;
    const start = channel.setting.multiKey === 'polling' ? turns.peek(channel.id) % keys.length : undefined;
    let best: RouteKey | undefined;
    let bestScore = Number.POSITIVE_INFINITY;
    for (const key of keys) {
      const place = (key.index - (start ?? 0) + keys.length) % keys.length;
      const score = start === undefined ? raceScore(seed ^ channel.id, key.index + 1, 1) : place;
      if (score < bestScore && this.#keyFits(channel, key, worst)) {
        best = key;
        bestScore = score;
      }
    }
    return best;
  }

  #keyFits(channel: RouteChannel, key: RouteKey, worst: Admission): boolean {
    if (key.disabled || this.#triedKeys?.has(`${channel.id}:${key.index}`) === true) return false;
    return worst === 'out' || this.input.health.admission(channel.id, key.id, this.input.model) !== 'out';
  }
}

/** What placed a channel in its tier, for those who want to check it. */
export function scoreOf(seed: number, channel: Pick<RouteChannel, 'id' | 'weight'>) {
  const weight = effectiveWeight(channel);
  return { weight, draw: drawOf(seed, channel.id), score: raceScore(seed, channel.id, weight) };
}
