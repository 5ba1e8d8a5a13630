import type { Insertion, Statement, StatementResult, Step, StepResult, Work } from './database.ts';

/** A statement in the engine's own words. */
export interface EngineStatement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** How an engine says what a work asks for. */
export type Render = (asked: Statement | Insertion) => readonly EngineStatement[];

/** Runs a work to its end on a synchronous connection. A failing statement is thrown into the work. */
export function driveSync<T>(work: Work<T>, render: Render, execute: (statement: EngineStatement) => StatementResult): T {
  let next = work.next();
  while (!next.done) {
    let result: StepResult;
    try {
      const { statements, resultOf } = rendered(next.value, render);
      result = resultOf(statements.map(execute));
    } catch (error) {
      next = work.throw(error);
      continue;
    }
    next = work.next(result);
  }
  return next.value;
}

/** The same over an asynchronous connection. `execute` gets all statements of a step at once, and answers them in their order. */
export async function drive<T>(
  work: Work<T>,
  render: Render,
  execute: (statements: readonly EngineStatement[]) => Promise<readonly StatementResult[]>,
): Promise<T> {
  let next = work.next();
  while (!next.done) {
    let result: StepResult;
    try {
      const { statements, resultOf } = rendered(next.value, render);
      result = resultOf(await execute(statements));
    } catch (error) {
      next = work.throw(error);
      continue;
    }
    next = work.next(result);
  }
  return next.value;
}

const nothing: StatementResult = { rows: [], changes: 0 };

function rendered(step: Step, render: Render) {
  if (!('together' in step)) {
    const statements = render(step);
    return { statements, resultOf: (results: readonly StatementResult[]): StepResult => joined(results) };
  }
  const parts = step.together.map(render);
  const resultOf = (results: readonly StatementResult[]): StepResult => {
    const left = [...results];
    return { ...nothing, each: parts.map(({ length }) => joined(left.splice(0, length))) };
  };
  return { statements: parts.flat(), resultOf };
}

/** Of one insertion that was cut. */
function joined(results: readonly StatementResult[]): StatementResult {
  const [first = nothing] = results;
  if (results.length <= 1) return first;
  return {
    rows: results.flatMap(({ rows }) => rows),
    changes: results.reduce((sum, { changes }) => sum + changes, 0),
  };
}
