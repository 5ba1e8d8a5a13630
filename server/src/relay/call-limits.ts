import type { KeyRecord } from '../identity/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { SharedCounts } from '../platform/limiter/shared.ts';
import { createWindows } from '../platform/limiter/windows.ts';
import type { Options } from '../settings/index.ts';
import { exceeded, lookOwn, type OwnCounts, type Places, takeOwn, takeShared, type Wish } from './call-places.ts';
import { localFault, type RelayFault } from './faults.ts';
import { type LimitView, ownRules, type Subject, subjectsOf, type WindowRule, windowRules } from './limit-rules.ts';
import type { Spending, Spent } from './spending.ts';

/** One call's place under all limits that apply to it. */
export interface Pass {
  /** Sets aside what the call may cost, if day and month have room for it beside all calls that run. */
  claim(quota: number): boolean;
  /** What a claim may be at most. */
  room(): number;
  /** Why a claim failed; `least`: what the call has to set aside at least. */
  beyond(least: number): RelayFault;
  /** What the call set aside in the end, whether there is room or not. */
  reserve(quota: number): void;
  /** What it came to. */
  settle(tokens: number, quota: number): void;
  /** Something beside the call was charged under a ref of its own. */
  also(ref: string, tokens: number, quota: number): void;
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

/** How many may be open. */
export interface Conversations {
  /** 0 = as many as it wants, and as its owner wants. */
  readonly ofToken: number;
  readonly ofUser: number;
}

/** They cost nothing while nobody speaks: of all that a process has room for, one user's, over all tokens, are a tenth at most. */
export function mostConversations(env: { MAX_SESSIONS_PER_TOKEN: number; MAX_STREAMS: number }): Conversations {
  const ofToken = env.MAX_SESSIONS_PER_TOKEN;
  return { ofToken, ofUser: Math.max(ofToken, Math.floor(env.MAX_STREAMS / 10)) };
}

export interface CallLimiter {
  /** Undefined: nothing limits this call. Throws or rejects with a RelayFault (429) when one place is missing; then none is taken. */
  enter(asking: Asking): Pass | undefined | Promise<Pass | undefined>;
  /**
   * A place among the conversations that a token, and its owner, have open; resolves with how it is left. Rejects with a
   * RelayFault (429).
   */
  converse(callId: string, whose: { tokenId: number; userId: number }, most: Conversations): Promise<() => void>;
  /** What is left of each limit of a key, for its owner. */
  view(key: KeyRecord, options: Options): Promise<readonly LimitView[]>;
}

interface Parts {
  readonly clock: Clock;
  readonly spending: Spending;
  /** What all nodes count together; absent = there is only this one. */
  readonly shared?: SharedCounts | undefined;
}

interface Counting extends Parts, OwnCounts {}

const dayMs = 86_400_000;
/** For calls that run. */
const heldWaitMs = 5_000;

export function createCallLimiter({ clock, spending, shared }: Parts): CallLimiter {
  const parts: Counting = { clock, spending, shared, windows: createWindows(), running: new Map() };
  return {
    enter(asking) {
      const subjects = subjectsOf(asking.key, asking.options);
      const rules = subjects.flatMap((subject) => windowRules(subject, asking.tokens));
      rules.push(...ownRules(asking.key, asking.options));
      if (subjects.length === 0 && rules.length === 0) return undefined;
      return admitted(parts, asking, subjects, rules);
    },
    async converse(callId, { tokenId, userId }, { ofToken, ofUser }) {
      if (ofToken === 0) return () => undefined;
      const slots = [
        { name: `t${tokenId}/sessions`, limit: ofToken },
        { name: `u${userId}/sessions`, limit: ofUser },
      ];
      const wish = { callId: `${callId}_open`, rules: [], slots };
      const places = await (shared === undefined ? takeOwn(parts, wish) : takeShared(parts, shared, wish));
      return places.leave;
    },
    async view(key, options) {
      const views: LimitView[] = [];
      const counted: LimitView[] = [];
      const wish = { rules: [] as WindowRule[], slots: [] as Wish['slots'][number][] };
      for (const subject of subjectsOf(key, options)) {
        wish.rules.push(...windowRules(subject, 0));
        const { of, limits } = subject;
        if (limits.concurrency > 0) {
          wish.slots.push({ name: `${subject.name}/at-once`, limit: limits.concurrency });
          counted.push({ of, limit: 'concurrency', allowed: limits.concurrency, used: 0 });
        }
        if (limits.quota_day + limits.quota_month === 0) continue;
        const spent = await spending.of({ userId: key.user.id, tokenId: subject.tokenId });
        if (limits.quota_day > 0) views.push({ of, limit: 'quota_day', allowed: limits.quota_day, used: spent.day });
        if (limits.quota_month > 0) views.push({ of, limit: 'quota_month', allowed: limits.quota_month, used: spent.month });
      }
      wish.rules.push(...ownRules(key, options));
      const used = (await shared?.look(wish.rules, wish.slots)) ?? lookOwn(parts, wish);
      const all = [...wish.rules.map(({ of, limit, allowed }) => ({ of, limit, allowed })), ...counted];
      return [...all.map((each, index) => ({ ...each, used: used[index] ?? 0 })), ...views];
    },
  };
}

function admitted(
  parts: Counting,
  asking: Asking,
  subjects: readonly Subject[],
  rules: readonly WindowRule[],
): Pass | Promise<Pass> {
  const spenders = subjects.filter(({ limits }) => limits.quota_day + limits.quota_month > 0);
  if (spenders.length === 0) return take(parts, asking, subjects, rules, [], []);
  const books = spenders.map(({ tokenId }) => parts.spending.of({ userId: asking.key.user.id, tokenId }));
  const check = (spent: readonly Spent[]) => {
    const budgets = spent.flatMap((book, k) => budgetsOf(spenders[k], book));
    const used = budgets.find(({ allowed, used }) => used() >= allowed);
    if (used !== undefined) throw beyondBudget(parts.clock, used);
    // The user's limits and the group's plan are over the same money: a charge must not be counted for each.
    return take(parts, asking, subjects, rules, [...new Set(spent)], budgets);
  };
  return books.some((book) => book instanceof Promise) ? Promise.all(books).then(check) : check(books as Spent[]);
}

/** What may be spent in a day or a month. */
interface Budget {
  readonly of: 'day' | 'month';
  readonly allowed: number;
  /** Calls that run included. */
  used(): number;
  /** By calls that run. */
  held(): number;
}

function budgetsOf(subject: Subject | undefined, book: Spent): Budget[] {
  if (subject === undefined) return [];
  const { quota_day, quota_month } = subject.limits;
  const held = () => book.held;
  const all: Budget[] = [
    { of: 'month', allowed: quota_month, used: () => book.month, held },
    { of: 'day', allowed: quota_day, used: () => book.day, held },
  ];
  return all.filter(({ allowed }) => allowed > 0);
}

/** What calls hold is free again when they end; what was spent counts until the day or the month is over. */
function beyondBudget(clock: Clock, { of, allowed, used, held }: Budget): RelayFault {
  const now = new Date(clock.nowMs());
  const refusal = { code: `${of}_budget_exceeded` } as const;
  if (used() - held() < allowed && held() > 0) return exceeded(heldWaitMs, refusal);
  if (of === 'day') return exceeded(dayMs - (now.getTime() % dayMs), refusal);
  return exceeded(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1) - now.getTime(), refusal);
}

function take(
  parts: Counting,
  { callId }: Asking,
  subjects: readonly Subject[],
  rules: readonly WindowRule[],
  spent: readonly Spent[],
  budgets: readonly Budget[],
): Pass | Promise<Pass> {
  const slots = subjects
    .filter(({ limits }) => limits.concurrency > 0)
    .map(({ name, limits }) => ({ name: `${name}/at-once`, limit: limits.concurrency }));
  const wish = { callId, rules, slots };
  const places = parts.shared === undefined ? takeOwn(parts, wish) : takeShared(parts, parts.shared, wish);
  const pass = (taken: Places) => passOver(parts.clock, taken, wish, spent, budgets);
  return places instanceof Promise ? places.then(pass) : pass(places);
}

function passOver(
  clock: Clock,
  places: Places,
  { callId, rules }: Wish,
  spent: readonly Spent[],
  budgets: readonly Budget[],
): Pass {
  const takenMs = clock.monotonicMs();
  let isOver = false;
  let isSettled = false;
  let isCancelled = false;
  const room = () => Math.min(Number.POSITIVE_INFINITY, ...budgets.map(leftOf));
  // A hold may grow while its call ends: what is set aside afterwards would stay.
  const reserve = (quota: number) => {
    if (isSettled) return;
    for (const book of spent) book.reserve(callId, quota);
  };
  const settleAll = (quota: number) => {
    if (isSettled) return;
    isSettled = true;
    for (const book of spent) book.settle(callId, quota);
  };
  /** A call that was not answered gives the places back that are for answers, while they are still counted. */
  const giveBack = () => {
    if (isSettled || isCancelled) return;
    for (const [index, { limit, windowMs, amount }] of rules.entries())
      if (limit === 'answered' && clock.monotonicMs() - takenMs < windowMs) places.correct(index, -amount);
  };
  return {
    headers: headersOf(places.states, rules),
    claim(quota) {
      if (quota > room()) return false;
      reserve(quota);
      return true;
    },
    room,
    beyond(least) {
      const tooSmall = budgets.find(({ allowed }) => least > allowed);
      if (tooSmall !== undefined) return localFault(`${tooSmall.of}_budget_too_small`, {}, { isLasting: true });
      const [fullest] = [...budgets].sort((a, b) => leftOf(a) - leftOf(b));
      return fullest === undefined ? exceeded(dayMs) : beyondBudget(clock, fullest);
    },
    reserve,
    settle(tokens, quota) {
      for (const [index, { limit, amount }] of rules.entries()) if (limit === 'tpm') places.correct(index, tokens - amount);
      settleAll(quota);
    },
    also(ref, tokens, quota) {
      for (const [index, { limit }] of rules.entries()) if (limit === 'tpm') places.addNow(index, tokens);
      for (const book of spent) book.settle(ref, quota);
    },
    cancel() {
      if (isCancelled) return;
      isCancelled = true;
      for (const [index, { amount }] of rules.entries()) places.correct(index, -amount);
    },
    leave() {
      if (isOver) return;
      isOver = true;
      giveBack();
      settleAll(0);
      places.leave();
    },
  };
}

function leftOf({ allowed, used }: Budget): number {
  return allowed - used();
}

/** By the word of the header: the limits that count such. */
const headerLimits: Readonly<Record<string, readonly LimitView['limit'][]>> = {
  requests: ['rpm', 'custom', 'answered'],
  tokens: ['tpm'],
};

/** The tightest window of requests and of tokens. */
function headersOf(states: Places['states'], rules: readonly WindowRule[]): Pass['headers'] {
  const headers: [string, string][] = [];
  const left = rules.map((rule, index) => {
    const { used, resetMs } = states[index] ?? { used: 0, resetMs: 1 };
    return { rule, resetMs, left: rule.allowed - used };
  });
  for (const [word, limits] of Object.entries(headerLimits)) {
    const [tightest] = left.filter(({ rule }) => limits.includes(rule.limit)).sort((a, b) => a.left - b.left);
    if (tightest === undefined) continue;
    headers.push([`x-ratelimit-limit-${word}`, String(tightest.rule.allowed)]);
    headers.push([`x-ratelimit-remaining-${word}`, String(Math.max(0, tightest.left))]);
    headers.push([`x-ratelimit-reset-${word}`, `${Math.ceil(tightest.resetMs / 1000)}s`]);
  }
  return headers;
}
