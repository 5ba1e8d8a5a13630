import { within } from '../platform/within.ts';
import type { Engine, StatementResult, Transaction } from './database.ts';
import { type Execute, kyselyOver } from './dialect.ts';
import { drive, type EngineStatement, type Render } from './drive.ts';
import { DatabaseError } from './errors.ts';

/** A writer's connection while one caller owns it. */
export interface Session {
  begin(): Promise<void>;
  execute: Execute;
  /** In their order; nothing follows one that fails. */
  executeAll(statements: readonly EngineStatement[]): Promise<StatementResult[]>;
  commit(): Promise<void>;
  /** Never throws. */
  rollback(): Promise<void>;
  render: Render;
}

export const defaultTransactionMs = 10_000;

/** Runs `body` between BEGIN and COMMIT. A handle used after the end throws; a body that takes too long is rolled back. */
export async function inTransaction<T>(
  engine: Engine,
  session: Session,
  body: (tx: Transaction) => Promise<T>,
  timeoutMs: number,
): Promise<T> {
  let open = true;
  const whileOpen = <R>(use: () => Promise<R>): Promise<R> =>
    open ? use() : Promise.reject(new Error('This transaction is over'));
  const execute: Execute = (sql, parameters) => whileOpen(() => session.execute(sql, parameters));
  const tx: Transaction = {
    query: kyselyOver(engine, execute, { readOnly: false }),
    perform: (work) => drive(work, session.render, (statements) => whileOpen(() => session.executeAll(statements))),
  };
  await session.begin();
  try {
    const result = await within(body(tx), timeoutMs, () => tooLong(timeoutMs));
    open = false;
    await session.commit();
    return result;
  } catch (error) {
    open = false;
    await session.rollback();
    throw error;
  }
}

/** Of kind `other`: never repeated. */
function tooLong(timeoutMs: number): never {
  throw new DatabaseError('other', '', `Transaction took longer than ${timeoutMs} ms`);
}
