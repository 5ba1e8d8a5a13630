import type { Usage } from '../../server/src/billing/index.ts';
import { historyDays, type SampleToken, tokens, traffic, users } from './plan.ts';
import type { Random } from './random.ts';

/** One call of the history, before its price is known. */
export interface SampleCall {
  /** Unix seconds when it ended. */
  readonly endedAt: number;
  readonly token: SampleToken;
  readonly model: string;
  readonly isStream: boolean;
  readonly usage: Usage;
  readonly durationMs: number;
  readonly firstByteMs: number;
  /** The first channel failed and another one answered. */
  readonly retried: boolean;
  readonly cut: boolean;
  readonly ip: string;
}

const daySeconds = 86_400;
const hourSeconds = 3_600;
/** Calls per hour of the day, from midnight. */
const hours = [2, 1, 1, 1, 1, 2, 4, 9, 18, 26, 30, 28, 20, 25, 30, 29, 26, 20, 13, 10, 9, 8, 6, 4];
const weekend = 0.4;

/** The history as a function of the seed and of now: more by day than by night, less at weekends, growing. Sorted by time. */
export function sampleCalls(count: number, now: number, random: Random): SampleCall[] {
  const calls: SampleCall[] = [];
  // Some times lie in the future or before the caller joined: those are thrown again, so the loop is bounded generously.
  for (let tries = 0; calls.length < count && tries < count * 20; tries += 1) {
    const call = sampleCall(sampleTime(now, random), now, random);
    if (call !== undefined) calls.push(call);
  }
  return calls.sort((left, right) => left.endedAt - right.endedAt);
}

function sampleTime(now: number, random: Random): number {
  const midnight = new Date(now * 1000).setHours(0, 0, 0, 0) / 1000;
  const days = Array.from({ length: historyDays + 1 }, (_, daysAgo) => [daysAgo, dayWeight(midnight, daysAgo)] as const);
  const hour = random.pick(hours.map((weight, index) => [index, weight] as const));
  return midnight - random.pick(days) * daySeconds + hour * hourSeconds + random.between(0, hourSeconds - 1);
}

function dayWeight(midnight: number, daysAgo: number): number {
  const weekday = new Date((midnight - daysAgo * daySeconds) * 1000).getDay();
  const growth = 1.3 - (0.7 * daysAgo) / historyDays;
  return growth * (weekday === 0 || weekday === 6 ? weekend : 1);
}

function sampleCall(endedAt: number, now: number, random: Random): SampleCall | undefined {
  const daysAgo = (now - endedAt) / daySeconds;
  if (endedAt >= now - 60 || daysAgo > historyDays - 0.5) return undefined;
  const caller = random.pick(traffic.map((each) => [each, each.share] as const));
  const joined = users.find(({ username }) => username === caller.username)?.joined ?? historyDays;
  const usable = tokens.filter((token) => token.owner === caller.username && isUsed(token, daysAgo));
  if (daysAgo > joined - 0.1 || usable.length === 0) return undefined;
  const token = random.pick(usable.map((each) => [each, each.traffic] as const));
  const allowed = caller.models.filter(([model]) => !token.model_limits_enabled || token.model_limits.split(',').includes(model));
  return { endedAt, token, model: random.pick(allowed), ...sampleShape(random) };
}

function isUsed({ usedBetween: [first, last] = [historyDays, 0] }: SampleToken, daysAgo: number): boolean {
  return daysAgo <= first && daysAgo >= last;
}

function sampleShape(random: Random) {
  const prompt = random.size(900);
  const completion = random.size(260);
  const isStream = random.next() < 0.7;
  const cut = isStream && random.next() < 0.02;
  const counted = cut || random.next() < 0.03;
  const cached = !counted && prompt > 1024 && random.next() < 0.5 ? Math.floor((prompt * 0.8) / 128) * 128 : 0;
  const firstByteMs = random.size(620);
  const usage: Usage = {
    prompt,
    completion,
    cached,
    cacheWrite: 0,
    reasoning: 0,
    source: counted ? 'counted' : 'upstream',
    anomaly: false,
  };
  const durationMs = firstByteMs + completion * random.between(8, 20);
  const ip = `192.0.2.${random.between(10, 40)}`;
  return { isStream, usage, durationMs, firstByteMs, retried: random.next() < 0.04, cut, ip };
}
