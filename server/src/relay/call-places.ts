import type { Clock } from '../platform/clock.ts';
import type { RuleState, SharedCounts, SharedSlot } from '../platform/limiter/shared.ts';
import type { Windows } from '../platform/limiter/windows.ts';
import { localFault, RelayFault } from './faults.ts';
import type { WindowRule } from './limit-rules.ts';

/** What a call needs a place under. */
export interface Wish {
  readonly callId: string;
  readonly rules: readonly WindowRule[];
  readonly slots: readonly SharedSlot[];
}

/** The places of one call; rules by their index. */
export interface Places {
  /** This call included. */
  readonly states: readonly RuleState[];
  /** Adds to what was taken, or takes back, at the time it was taken. */
  correct(rule: number, amount: number): void;
  addNow(rule: number, amount: number): void;
  /** Frees the slots. */
  leave(): void;
}

/** What this process counts. */
export interface OwnCounts {
  readonly clock: Clock;
  readonly windows: Windows;
  readonly running: Map<string, number>;
}

/**
 * All places or none, as one of `nodes` that each give their share of every limit. Throws a RelayFault (429). Nothing here
 * waits, so nobody comes between looking and taking.
 */
export function takeOwn({ clock, windows, running }: OwnCounts, { rules, slots }: Omit<Wish, 'callId'>, nodes = 1): Places {
  const nowMs = clock.monotonicMs();
  const share = (limit: number) => Math.max(1, Math.floor(limit / nodes));
  for (const rule of rules) {
    const used = windows.sum(rule.name, rule.windowMs, nowMs);
    const allowed = share(rule.allowed);
    // A prompt that is larger than the whole window may be alone in it.
    if (used > 0 && used + rule.amount > allowed)
      throw exceeded(windows.waitMs(rule.name, rule.windowMs, nowMs, Math.max(1, allowed - rule.amount + 1)), rule.refusal);
  }
  for (const { name, limit } of slots) if ((running.get(name) ?? 0) >= share(limit)) throw exceeded(1000);
  for (const rule of rules) windows.add(rule.name, rule.windowMs, nowMs, rule.amount);
  for (const { name } of slots) running.set(name, (running.get(name) ?? 0) + 1);
  const addAt = (index: number, atMs: number, amount: number) => {
    const rule = rules[index];
    if (rule !== undefined) windows.add(rule.name, rule.windowMs, atMs, amount);
  };
  return {
    states: rules.map(({ name, windowMs }) => ({
      used: windows.sum(name, windowMs, nowMs),
      resetMs: windows.waitMs(name, windowMs, nowMs, 1),
    })),
    correct: (index, amount) => addAt(index, nowMs, amount),
    addNow: (index, amount) => addAt(index, clock.monotonicMs(), amount),
    leave() {
      for (const { name } of slots) {
        const left = (running.get(name) ?? 1) - 1;
        if (left > 0) running.set(name, left);
        else running.delete(name);
      }
    },
  };
}

/**
 * The same over all nodes. Every place is taken in this process too: a caller who is over a limit here need not be asked
 * about, and when the common counts are away the node goes by its own, with its share of each limit.
 */
export async function takeShared(own: OwnCounts, shared: SharedCounts, wish: Wish): Promise<Places> {
  const { callId, rules, slots } = wish;
  const mine = takeOwn(own, wish);
  const verdict = await shared.take(callId, rules, slots);
  if (verdict?.ok === true) {
    return {
      states: verdict.states,
      correct(index, amount) {
        mine.correct(index, amount);
        const rule = rules[index];
        if (rule !== undefined) shared.add(rule, amount, verdict.states[index]?.slice);
      },
      addNow(index, amount) {
        mine.addNow(index, amount);
        const rule = rules[index];
        if (rule !== undefined) shared.add(rule, amount);
      },
      leave() {
        mine.leave();
        shared.leave(callId, slots);
      },
    };
  }
  for (const [index, { amount }] of rules.entries()) mine.correct(index, -amount);
  mine.leave();
  if (verdict === undefined) return takeOwn(own, wish, shared.nodes());
  throw exceeded(verdict.waitMs, verdict.rule === undefined ? {} : rules[verdict.rule]?.refusal);
}

/** What stands under each rule in this process, then how many run under each slot. */
export function lookOwn({ clock, windows, running }: OwnCounts, { rules, slots }: Omit<Wish, 'callId'>): number[] {
  const nowMs = clock.monotonicMs();
  const sums = rules.map(({ name, windowMs }) => windows.sum(name, windowMs, nowMs));
  return [...sums, ...slots.map(({ name }) => running.get(name) ?? 0)];
}

/** 429 with the seconds to wait. */
export function exceeded(waitMs: number, refusal: WindowRule['refusal'] = {}): RelayFault {
  const { message, code = 'too_many_requests', values } = refusal;
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
  if (message === undefined) return localFault(code, values, { retryAfterSeconds });
  return new RelayFault({ status: 429, code, message, retryAfterSeconds });
}
