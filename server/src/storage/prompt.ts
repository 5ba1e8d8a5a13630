import { within } from '../platform/within.ts';
import { DatabaseError } from './errors.ts';

const promptMs = 4_000;

/**
 * A look into the database that a caller waits for before anything else: without an answer in time the database is out for it.
 * Reports are given much longer. Rejects with DatabaseError.
 */
export function promptly<T>(look: Promise<T>): Promise<T> {
  return within(look, promptMs, (): never => {
    throw new DatabaseError('unavailable', '', 'The database did not answer in time');
  });
}
