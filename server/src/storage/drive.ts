import type { Statement, StatementResult, Work } from './database.ts';

/** Runs a work to its end on a synchronous connection. A failing statement is thrown into the work. */
export function driveSync<T>(work: Work<T>, execute: (statement: Statement) => StatementResult): T {
  let step = work.next();
  while (!step.done) {
    let result: StatementResult;
    try {
      result = execute(step.value);
    } catch (error) {
      step = work.throw(error);
      continue;
    }
    step = work.next(result);
  }
  return step.value;
}

/** The same over an asynchronous connection. */
export async function drive<T>(work: Work<T>, execute: (statement: Statement) => Promise<StatementResult>): Promise<T> {
  let step = work.next();
  while (!step.done) {
    let result: StatementResult;
    try {
      result = await execute(step.value);
    } catch (error) {
      step = work.throw(error);
      continue;
    }
    step = work.next(result);
  }
  return step.value;
}
