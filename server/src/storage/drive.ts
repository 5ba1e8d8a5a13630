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
      const { statements, lengths } = rendered(next.value, render);
      result = resultOf(statements.map(execute), lengths);
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
      const { statements, lengths } = rendered(next.value, render);
      result = resultOf(await execute(statements), lengths);
    } catch (error) {
      next = work.throw(error);
      continue;
    }
    next = work.next(result);
  }
  return next.value;
}

const nothing: StatementResult = { rows: [], changes: 0 };

/** `lengths`: how many statements each part of a step came to that has several. */
function rendered(step: Step, render: Render) {
  if (!('together' in step)) return { statements: render(step) };
  const parts = step.together.map(render);
  return { statements: parts.flat(), lengths: parts.map(lengthOf) };
}

const lengthOf = ({ length }: readonly unknown[]): number => length;

function resultOf(results: readonly StatementResult[], lengths: readonly number[] | undefined): StepResult {
  if (lengths === undefined) return joined(results);
  const each: StatementResult[] = [];
  let next = 0;
  for (const length of lengths) {
    each.push(joined(results.slice(next, next + length)));
    next += length;
  }
  return { ...nothing, each };
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
