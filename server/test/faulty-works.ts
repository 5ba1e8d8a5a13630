import { works as product } from '../src/billing/works.ts';
import type { Insertion, Statement, StatementResult, Work, WorkRegistry } from '../src/storage/database.ts';

/** Fails a work at its n-th statement (from 0), before it runs or after it ran. */
export interface FaultPlan {
  statement: number;
  when: 'before' | 'after';
}

export interface FaultyInput {
  plan?: FaultPlan;
  input: unknown;
}

function* faulty<T>(work: Work<T>, plan: FaultPlan | undefined): Work<T> {
  let index = 0;
  const failing = (when: FaultPlan['when']): void => {
    if (plan?.statement === index && plan.when === when) throw new Error('injected fault');
  };
  function* run(asked: Statement | Insertion): Work<StatementResult> {
    failing('before');
    const result = yield asked;
    failing('after');
    index += 1;
    return result;
  }
  let step = work.next();
  while (!step.done) {
    const asked = step.value;
    if ('together' in asked) {
      // One by one, so that each can fail.
      const each: StatementResult[] = [];
      for (const one of asked.together) each.push(yield* run(one));
      step = work.next({ rows: [], changes: 0, each });
    } else step = work.next(yield* run(asked));
  }
  // Statement -1: the process dies right before COMMIT.
  if (plan?.statement === -1) throw new Error('injected fault');
  return step.value;
}

/** The product's works, wrapped so that an input can ask for a fault. */
export const works: WorkRegistry = Object.fromEntries(
  Object.entries(product).map(([name, work]) => [name, ({ plan, input }: FaultyInput) => faulty(work(input), plan)]),
);
