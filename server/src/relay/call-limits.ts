import { autoGroup, type CallLimits, readCallLimits } from '@tollgate/contract';
import type { KeyRecord } from '../identity/index.ts';
import type { Clock } from '../platform/clock.ts';
import { createWindows, type Windows } from '../platform/limiter/windows.ts';
import type { Options } from '../settings/index.ts';
import { localFault, RelayFault } from './faults.ts';
import type { Spending, Spent } from './spending.ts';

/** One call's place under all limits that apply to it. */
export interface Pass {
  /** What the call set aside, in quota. */
  reserve(quota: number): void;
  /** What it came to. */
  settle(tokens: number, quota: number): void;
  /** The call was refused before it began: it does not count. */
  cancel(): void;
  /** The call is over; always called, once is enough. */
  leave(): void;
  /** What is left, in the headers that the public APIs use. */
  readonly headers: readonly (readonly [string, string])[];
}

export interface Asking {
  readonly callId: string;
  readonly key: KeyRecord;
  readonly options: Options;
  /** Likely size of the prompt. */
  readonly tokens: number;
}

export interface CallLimiter {
  /** Undefined: nothing limits this call. Throws or rejects with a RelayFault (429) when one place is missing; then none is taken. */
  enter(asking: Asking): Pass | undefined | Promise<Pass | undefined>;
  /** What is left of each limit of a key, for its owner. */
  view(key: KeyRecord, options: Options): Promise<readonly LimitView[]>;
}

export interface LimitView {
  readonly of: 'token' | 'user' | 'group';
  readonly limit: keyof CallLimits | 'custom';
  readonly allowed: number;
  readonly used: number;
}

/** Whose limits, and under which name they are counted. */
interface Subject {
  readonly of: LimitView['of'];
  readonly name: string;
  readonly limits: CallLimits;
  readonly tokenId: number | undefined;
}

/** A count in a window of time. */
interface WindowRule {
  readonly of: LimitView['of'];
  readonly limit: LimitView['limit'];
  readonly name: string;
  readonly allowed: number;
  readonly windowMs: number;
  readonly amount: number;
  readonly message?: string;
}

interface Parts {
  readonly clock: Clock;
  readonly spending: Spending;
}

const minuteMs = 60_000;
const dayMs = 86_400_000;

export function createCallLimiter({ clock, spending }: Parts): CallLimiter {
  const windows = createWindows();
  const running = new Map<string, number>();
  const parts: Counting = { clock, spending, windows, running };
  return {
    enter(asking) {
      const subjects = subjectsOf(asking.key, asking.options);
      const rules = subjects.flatMap((subject) => windowRules(subject, asking.tokens));
      rules.push(...ownRules(asking.key, asking.options));
      if (subjects.length === 0 && rules.length === 0) return undefined;
      return admitted(parts, asking, subjects, rules);
    },
    async view(key, options) {
      const nowMs = clock.nowMs();
      const views: LimitView[] = [];
      for (const subject of subjectsOf(key, options)) {
        for (const rule of windowRules(subject, 0))
          views.push({ ...shown(rule), used: windows.sum(rule.name, rule.windowMs, nowMs) });
        const { of, limits } = subject;
        if (limits.concurrency > 0)
          views.push({ of, limit: 'concurrency', allowed: limits.concurrency, used: running.get(subject.name) ?? 0 });
        if (limits.quota_day + limits.quota_month === 0) continue;
        const spent = await spending.of({ userId: key.user.id, tokenId: subject.tokenId });
        if (limits.quota_day > 0) views.push({ of, limit: 'quota_day', allowed: limits.quota_day, used: spent.day });
        if (limits.quota_month > 0) views.push({ of, limit: 'quota_month', allowed: limits.quota_month, used: spent.month });
      }
      for (const rule of ownRules(key, options))
        views.push({ ...shown(rule), used: windows.sum(rule.name, rule.windowMs, nowMs) });
      return views;
    },
  };
}

function shown({ of, limit, allowed }: WindowRule) {
  return { of, limit, allowed };
}

/** Token, user, and what the operator set for the user's group: a plan that holds for each of its users alone. */
function subjectsOf({ tokenId, policy, user, group }: KeyRecord, options: Options): Subject[] {
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

function windowRules({ of, name, limits }: Subject, tokens: number): WindowRule[] {
  const all: WindowRule[] = [
    { of, limit: 'rpm', name: `${name}/rpm`, allowed: limits.rpm, windowMs: minuteMs, amount: 1 },
    { of, limit: 'tpm', name: `${name}/tpm`, allowed: limits.tpm, windowMs: minuteMs, amount: tokens },
    { of, limit: 'rpd', name: `${name}/rpd`, allowed: limits.rpd, windowMs: dayMs, amount: 1 },
  ];
  return all.filter(({ allowed }) => allowed > 0);
}

/** The token's own window with its own words (contract 5.7), and the operator's for every user (contract 3.2). */
function ownRules({ tokenId, policy, user }: KeyRecord, options: Options): WindowRule[] {
  const rules: WindowRule[] = [];
  if (policy?.rate_limit_enabled === true && policy.rate_limit_count > 0 && policy.rate_limit_period > 0) {
    const windowMs = policy.rate_limit_period * 1000;
    const message = policy.rate_limit_message === '' ? {} : { message: policy.rate_limit_message };
    rules.push({
      of: 'token',
      limit: 'custom',
      name: `t${tokenId}/own`,
      allowed: policy.rate_limit_count,
      windowMs,
      amount: 1,
      ...message,
    });
  }
  if (options.ModelRequestRateLimitEnabled && options.ModelRequestRateLimitCount > 0) {
    const windowMs = options.ModelRequestRateLimitDurationMinutes * minuteMs;
    rules.push({
      of: 'user',
      limit: 'custom',
      name: `u${user.id}/all`,
      allowed: options.ModelRequestRateLimitCount,
      windowMs,
      amount: 1,
    });
  }
  return rules;
}

interface Counting extends Parts {
  readonly windows: Windows;
  readonly running: Map<string, number>;
}

function admitted(
  parts: Counting,
  asking: Asking,
  subjects: readonly Subject[],
  rules: readonly WindowRule[],
): Pass | Promise<Pass> {
  const spenders = subjects.filter(({ limits }) => limits.quota_day + limits.quota_month > 0);
  if (spenders.length === 0) return take(parts, asking, subjects, rules, []);
  const books = spenders.map(({ tokenId }) => parts.spending.of({ userId: asking.key.user.id, tokenId }));
  const check = (spent: readonly Spent[]) => {
    for (const [k, book] of spent.entries()) checkSpent(parts.clock, spenders[k], book);
    return take(parts, asking, subjects, rules, spent);
  };
  return books.some((book) => book instanceof Promise) ? Promise.all(books).then(check) : check(books as Spent[]);
}

function checkSpent(clock: Clock, subject: Subject | undefined, { day, month }: Spent): void {
  if (subject === undefined) return;
  const { quota_day, quota_month } = subject.limits;
  const now = new Date(clock.nowMs());
  if (quota_month > 0 && month >= quota_month) {
    const next = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1);
    throw exceeded(next - now.getTime());
  }
  if (quota_day > 0 && day >= quota_day) throw exceeded(dayMs - (now.getTime() % dayMs));
}

/** All places or none. Nothing here waits, so nobody comes between looking and taking. */
function take(
  { clock, windows, running }: Counting,
  { callId }: Asking,
  subjects: readonly Subject[],
  rules: readonly WindowRule[],
  spent: readonly Spent[],
): Pass {
  const nowMs = clock.nowMs();
  for (const rule of rules) {
    const used = windows.sum(rule.name, rule.windowMs, nowMs);
    // A prompt that is larger than the whole window may be alone in it.
    if (used > 0 ? used + rule.amount > rule.allowed : false)
      throw exceeded(windows.waitMs(rule.name, rule.windowMs, nowMs, Math.max(1, rule.allowed - rule.amount + 1)), rule.message);
  }
  const slots = subjects.filter(({ limits }) => limits.concurrency > 0);
  for (const { name, limits } of slots) if ((running.get(name) ?? 0) >= limits.concurrency) throw exceeded(1000);
  for (const rule of rules) windows.add(rule.name, rule.windowMs, nowMs, rule.amount);
  for (const { name } of slots) running.set(name, (running.get(name) ?? 0) + 1);
  let isOver = false;
  let isSettled = false;
  const settleAll = (quota: number) => {
    if (isSettled) return;
    isSettled = true;
    for (const book of spent) book.settle(callId, quota);
  };
  return {
    headers: headersOf(windows, rules, nowMs),
    reserve(quota) {
      for (const book of spent) book.reserve(callId, quota);
    },
    settle(tokens, quota) {
      for (const rule of rules) if (rule.limit === 'tpm') windows.add(rule.name, rule.windowMs, nowMs, tokens - rule.amount);
      settleAll(quota);
    },
    cancel() {
      for (const rule of rules) windows.add(rule.name, rule.windowMs, nowMs, -rule.amount);
    },
    leave() {
      settleAll(0);
      if (isOver) return;
      isOver = true;
      for (const { name } of slots) {
        const left = (running.get(name) ?? 1) - 1;
        if (left > 0) running.set(name, left);
        else running.delete(name);
      }
    },
  };
}

/** The tightest window of requests and of tokens. */
function headersOf(windows: Windows, rules: readonly WindowRule[], nowMs: number): Pass['headers'] {
  const headers: [string, string][] = [];
  for (const [kind, word] of [
    ['rpm', 'requests'],
    ['tpm', 'tokens'],
  ] as const) {
    const mine = rules.filter(({ limit }) => limit === kind);
    const left = mine.map((rule) => ({ rule, left: rule.allowed - windows.sum(rule.name, rule.windowMs, nowMs) }));
    const [tightest] = left.sort((a, b) => a.left - b.left);
    if (tightest === undefined) continue;
    const { rule } = tightest;
    const resetMs = windows.waitMs(rule.name, rule.windowMs, nowMs, 1);
    headers.push([`x-ratelimit-limit-${word}`, String(rule.allowed)]);
    headers.push([`x-ratelimit-remaining-${word}`, String(Math.max(0, tightest.left))]);
    headers.push([`x-ratelimit-reset-${word}`, `${Math.ceil(resetMs / 1000)}s`]);
  }
  return headers;
}

function exceeded(waitMs: number, message?: string): RelayFault {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
  if (message === undefined) return localFault('too_many_requests', {}, { retryAfterSeconds });
  return new RelayFault({ status: 429, code: 'too_many_requests', message, retryAfterSeconds });
}
