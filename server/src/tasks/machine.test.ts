import fc from 'fast-check';
import { expect, test } from 'vitest';
import { freshState, isFinal, nextState, type TaskEvent } from './machine.ts';
import type { TaskState } from './types.ts';

const status = fc.constantFrom('', 'NOT_START', 'SUBMITTED', 'QUEUED', 'IN_PROGRESS', 'MODAL', 'UNKNOWN', 'FAILURE', 'SUCCESS');
const report = fc.record({
  status,
  progress: fc.integer({ min: -5, max: 200 }),
  failReason: fc.constantFrom('', 'banned'),
  data: fc.constantFrom('', '{}'),
});
const event: fc.Arbitrary<TaskEvent> = fc.oneof(
  fc.record({ kind: fc.constant('accepted'), upstreamId: fc.constantFrom('', 'u1', 'u2'), code: fc.constantFrom(1, 21, 22) }),
  fc.record({ kind: fc.constant('accepted'), upstreamId: fc.constantFrom('u1'), code: fc.constantFrom(21), report }),
  fc.record({ kind: fc.constant('refused'), code: fc.constantFrom(3, 23, 24), reason: fc.constantFrom('no') }),
  fc.record({ kind: fc.constant('report'), report }),
  fc.record({ kind: fc.constant('given-up'), reason: fc.constantFrom('late') }),
) as fc.Arbitrary<TaskEvent>;

const run = (events: readonly TaskEvent[]): TaskState[] => {
  const states = [freshState];
  for (const each of events) states.push(nextState(states.at(-1) ?? freshState, each, 1_000 + states.length));
  return states;
};

test('whatever comes in whatever order, the first final state stays', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 20 }), (events) => {
      const states = run(events);
      const first = states.find(isFinal);
      const last = states.at(-1);
      if (first === undefined) return;
      const { status: final, failReason, finishAtMs, progress } = first;
      expect(last).toMatchObject({ status: final, failReason, finishAtMs, progress });
      expect(progress).toBe(100);
    }),
    { numRuns: 2_000 },
  );
});

test('an upstream’s name for a task never changes, and progress never turns back', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 20 }), (events) => {
      const states = run(events);
      for (const [index, state] of states.entries()) {
        const before = states[index - 1] ?? freshState;
        if (before.upstreamId !== '') expect(state.upstreamId).toBe(before.upstreamId);
        expect(state.progress).toBeGreaterThanOrEqual(before.progress);
        expect(isFinal(state) || state.progress < 100).toBe(true);
      }
    }),
    { numRuns: 2_000 },
  );
});

test('saying the same twice changes nothing', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 10 }), event, (events, again) => {
      const once = nextState(run(events).at(-1) ?? freshState, again, 5_000);
      const twice = nextState(once, again, 5_000);
      expect(twice).toEqual(once);
    }),
    { numRuns: 2_000 },
  );
});

test('what the upstream says after the end is kept beside it', () => {
  const failed = nextState(freshState, { kind: 'given-up', reason: 'late' }, 1);
  const late = nextState(failed, { kind: 'report', report: { status: 'SUCCESS' } }, 2);
  expect(late).toMatchObject({ status: 'FAILURE', failReason: 'late', lateStatus: 'SUCCESS' });
});

test.each(['SUCCESS', 'FAILURE'] as const)('%s was when the upstream says, however late we hear of it', (end) => {
  const accepted = { kind: 'accepted', upstreamId: 'u', code: 1 } as const;
  const running = nextState(freshState, accepted, 1_000);
  const report = { status: end, startAtMs: 2_000, finishAtMs: 3_000 };
  expect(nextState(running, { kind: 'report', report }, 9_000)).toMatchObject({ startAtMs: 2_000, finishAtMs: 3_000 });
  const silent = { kind: 'report', report: { status: end } } as const;
  expect(nextState(running, silent, 9_000)).toMatchObject({ startAtMs: 0, finishAtMs: 9_000 });
});
