import type { Database } from '../src/storage/database.ts';
import { DatabaseError } from '../src/storage/errors.ts';
import type { FaultPlan } from './faulty-works.ts';

/** A fault of the next work: inside it, or after COMMIT with the answer lost. */
export type Fault = FaultPlan | 'answer lost';

export const faultyWorks = new URL('./faulty-works.ts', import.meta.url);

/** A handle over a database opened with `faultyWorks`; `next` names the fault of each work, in order. */
export function faultyDatabase(db: Database, next: (work: string) => Fault | undefined): Database {
  return {
    ...db,
    async run<T>(name: string, input: unknown, closes?: boolean): Promise<T> {
      const fault = next(name);
      const plan = fault === 'answer lost' ? undefined : fault;
      const result = await db.run<T>(name, { plan, input }, closes);
      if (fault === 'answer lost') throw new DatabaseError('unknown', '', 'injected: answer lost');
      return result;
    },
    examine: (name, input) => db.examine(name, { input }),
  };
}
