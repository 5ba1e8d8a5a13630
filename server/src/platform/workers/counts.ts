import type { SharedCounts, SharedRule, SharedSlot, SharedVerdict } from '../limiter/shared.ts';
import { createWindows, sliceOf } from '../limiter/windows.ts';
import type { Line } from './line.ts';

/** Limits that the workers of one server count together, in the process that started them. */
export function createWorkerCounts(line: Line, workers: number): SharedCounts {
  const leave = (id: string, slots: readonly SharedSlot[]) => {
    if (slots.length > 0) line.tell('leave', id, slots);
  };
  return {
    nodes: () => workers,
    async take(id, rules, slots) {
      const verdict = await line.ask<SharedVerdict>('take', id, rules, slots);
      // It may have been taken before the answer was lost.
      if (verdict === undefined) leave(id, slots);
      return verdict;
    },
    look: (rules, slots) => line.ask('look', rules, slots),
    add(rule, amount, slice) {
      if (amount !== 0) line.tell('add', rule, amount, slice);
    },
    leave,
    async close() {},
  };
}

/** The counts themselves; `from` is the worker that asks, for the end of one that dies. `nowMs`: a clock that nobody sets. */
export function createCountsOfWorkers(nowMs: () => number) {
  const windows = createWindows();
  const running = new Map<string, Map<string, number>>();
  const used = ({ name, windowMs }: SharedRule) => windows.sum(name, windowMs, nowMs());
  const atOnce = ({ name }: SharedSlot) => running.get(name)?.size ?? 0;

  const refusal = (rules: readonly SharedRule[], slots: readonly SharedSlot[]): SharedVerdict | undefined => {
    const full = rules.findIndex((rule) => used(rule) > 0 && used(rule) + rule.amount > rule.allowed);
    const rule = rules[full];
    if (rule !== undefined) {
      const limit = Math.max(1, rule.allowed - rule.amount + 1);
      return { ok: false, rule: full, waitMs: windows.waitMs(rule.name, rule.windowMs, nowMs(), limit) };
    }
    const isFull = slots.some((slot) => atOnce(slot) >= slot.limit);
    return isFull ? { ok: false, rule: undefined, waitMs: 1_000 } : undefined;
  };
  const stateOf = (rule: SharedRule) => {
    const sum = used(rule);
    const resetMs = sum > 0 ? windows.waitMs(rule.name, rule.windowMs, nowMs(), 1) : 0;
    return { used: sum, resetMs, slice: sliceOf(rule.windowMs, nowMs()) };
  };
  return {
    take(from: number, id: string, rules: readonly SharedRule[], slots: readonly SharedSlot[]): SharedVerdict {
      const refused = refusal(rules, slots);
      if (refused !== undefined) return refused;
      for (const { name, windowMs, amount } of rules) windows.add(name, windowMs, nowMs(), amount);
      for (const { name } of slots) {
        const calls = running.get(name) ?? new Map<string, number>();
        running.set(name, calls.set(id, from));
      }
      return { ok: true, states: rules.map(stateOf) };
    },
    look: (_from: number, rules: readonly SharedRule[], slots: readonly SharedSlot[]) => [
      ...rules.map(used),
      ...slots.map(atOnce),
    ],
    add(_from: number, { name, windowMs }: SharedRule, amount: number, slice?: number | null): void {
      windows.add(name, windowMs, slice == null ? nowMs() : slice * (windowMs / 60), amount);
    },
    leave(_from: number, id: string, slots: readonly SharedSlot[]): void {
      for (const { name } of slots) {
        const calls = running.get(name);
        calls?.delete(id);
        if (calls?.size === 0) running.delete(name);
      }
    },
    /** A worker has ended: nothing of it runs any more. */
    gone(worker: number): void {
      for (const [name, calls] of running) {
        for (const [id, from] of calls) if (from === worker) calls.delete(id);
        if (calls.size === 0) running.delete(name);
      }
    },
  };
}
