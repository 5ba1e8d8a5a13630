import { works as product } from '../src/billing/works.ts';
import type { Work, WorkRegistry } from '../src/storage/database.ts';

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
  let step = work.next();
  for (let index = 0; !step.done; index += 1) {
    if (plan?.statement === index && plan.when === 'before') throw new Error('injected fault');
    const result = yield step.value;
    if (plan?.statement === index && plan.when === 'after') throw new Error('injected fault');
    step = work.next(result);
  }
  // Statement -1: the process dies right before COMMIT.
  if (plan?.statement === -1) throw new Error('injected fault');
  return step.value;
}

/** The product's works, wrapped so that an input can ask for a fault. */
export const works: WorkRegistry = Object.fromEntries(
  Object.entries(product).map(([name, work]) => [name, ({ plan, input }: FaultyInput) => faulty(work(input), plan)]),
);
