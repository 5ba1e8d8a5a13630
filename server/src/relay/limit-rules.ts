import { autoGroup, type CallLimits, type ErrorCode, readCallLimits } from '@tollgate/contract';
import type { KeyRecord } from '../identity/index.ts';
import type { Options } from '../settings/index.ts';

export interface LimitView {
  readonly of: 'token' | 'user' | 'group';
  /** `answered`: only answers count. */
  readonly limit: keyof CallLimits | 'custom' | 'answered';
  readonly allowed: number;
  readonly used: number;
}

/** Whose limits, and under which name they are counted. */
export interface Subject {
  readonly of: LimitView['of'];
  readonly name: string;
  readonly limits: CallLimits;
  readonly tokenId: number | undefined;
}

/** A count in a window of time. Where the window's length can be changed it is part of the name: counts of two lengths cannot be one. */
export interface WindowRule {
  readonly of: LimitView['of'];
  readonly limit: LimitView['limit'];
  readonly name: string;
  readonly allowed: number;
  readonly windowMs: number;
  readonly amount: number;
  /** What who exceeds it is told: words of the operator's, or an error of its own. */
  readonly refusal?: { readonly message?: string; readonly code?: ErrorCode; readonly values?: Record<string, number> };
}

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** Token, user, and what the operator set for the user's group: a plan that holds for each of its users alone. */
export function subjectsOf({ tokenId, policy, user, group }: KeyRecord, options: Options): Subject[] {
  const subjects: Subject[] = [];
  if (policy !== undefined && isLimiting(policy)) subjects.push({ of: 'token', name: `t${tokenId}`, limits: policy, tokenId });
  if (user.limits !== undefined && isLimiting(user.limits))
    subjects.push({ of: 'user', name: `u${user.id}`, limits: user.limits, tokenId: undefined });
  const name = group === '' || group === autoGroup ? user.group : group;
  const plan = groupLimits(options, name);
  if (plan !== undefined) subjects.push({ of: 'group', name: `g${user.id}/${name}`, limits: plan, tokenId: undefined });
  return subjects;
}

const plans = new WeakMap<object, ReadonlyMap<string, CallLimits>>();

/** The option's text is read once for each of its values. */
function groupLimits({ GroupLimits }: Options, group: string): CallLimits | undefined {
  const known = plans.get(GroupLimits);
  if (known !== undefined) return known.get(group);
  const read = Object.entries(GroupLimits).map(([name, limits]) => [name, readCallLimits(limits)] as const);
  const fresh = new Map(read.filter(([, limits]) => isLimiting(limits)));
  plans.set(GroupLimits, fresh);
  return fresh.get(group);
}

function isLimiting({ rpm, tpm, rpd, quota_day, quota_month, concurrency }: CallLimits): boolean {
  return rpm + tpm + rpd + quota_day + quota_month + concurrency > 0;
}

export function windowRules({ of, name, limits }: Subject, tokens: number): WindowRule[] {
  const all: WindowRule[] = [
    { of, limit: 'rpm', name: `${name}/rpm`, allowed: limits.rpm, windowMs: minuteMs, amount: 1 },
    { of, limit: 'tpm', name: `${name}/tpm`, allowed: limits.tpm, windowMs: minuteMs, amount: tokens },
    { of, limit: 'rpd', name: `${name}/rpd`, allowed: limits.rpd, windowMs: dayMs, amount: 1 },
  ];
  return all.filter(({ allowed }) => allowed > 0);
}

/** The token's own window with its own words (contract 5.7), and the operator's for every user (contract 3.2). */
export function ownRules({ tokenId, policy, user }: KeyRecord, options: Options): WindowRule[] {
  const rules: WindowRule[] = [];
  if (policy?.rate_limit_enabled === true && policy.rate_limit_count > 0 && policy.rate_limit_period > 0) {
    const { rate_limit_count: allowed, rate_limit_period: seconds, rate_limit_message: message } = policy;
    const refusal = message === '' ? {} : { message };
    rules.push({
      ...{ of: 'token', limit: 'custom' },
      name: `t${tokenId}/own/${seconds}`,
      allowed,
      windowMs: seconds * 1000,
      amount: 1,
      refusal,
    });
  }
  if (!options.ModelRequestRateLimitEnabled) return rules;
  const minutes = options.ModelRequestRateLimitDurationMinutes;
  const rule = { of: 'user', windowMs: minutes * minuteMs, amount: 1 } as const;
  const total = options.ModelRequestRateLimitCount;
  if (total > 0) {
    const refusal = { code: 'model_requests_exceeded', values: { minutes, count: total } } as const;
    rules.push({ ...rule, limit: 'custom', name: `u${user.id}/all/${minutes}`, allowed: total, refusal });
  }
  const answered = options.ModelRequestRateLimitSuccessCount;
  if (answered > 0) {
    const refusal = { code: 'model_answers_exceeded', values: { minutes, count: answered } } as const;
    rules.push({ ...rule, limit: 'answered', name: `u${user.id}/answered/${minutes}`, allowed: answered, refusal });
  }
  return rules;
}
