import { within } from '../platform/within.ts';
import type { Statement, Transaction } from './database.ts';
import { type Engine, type Execute, kyselyOver } from './dialect.ts';
import { drive } from './drive.ts';
import { DatabaseError } from './errors.ts';

/** A writer's connection while one caller owns it. */
export interface Session {
  begin(): Promise<void>;
  execute: Execute;
  commit(): Promise<void>;
  /** Never throws. */
  rollback(): Promise<void>;
  /** The engine's text of a portable statement. */
  translate(statement: Statement): { sql: string; parameters: readonly unknown[] };
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
  const execute: Execute = (sql, parameters) => {
    if (!open) return Promise.reject(new Error('This transaction is over'));
    return session.execute(sql, parameters);
  };
  const tx: Transaction = {
    query: kyselyOver(engine, execute, { readOnly: false }),
    perform: (work) =>
      drive(work, (statement) => {
        const { sql, parameters } = session.translate(statement);
        return execute(sql, parameters);
      }),
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
