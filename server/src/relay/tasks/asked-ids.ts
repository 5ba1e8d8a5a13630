import { asWord } from '@tollgate/wire';
import { maxFound } from '../../tasks/index.ts';
import { localFault } from '../faults.ts';

/** The tasks that a caller asks for at once. More than are looked for are refused: to whom some are missing, they have failed. Throws RelayFault. */
export function askedIds(ids: unknown): string[] {
  const named = Array.isArray(ids) ? [...new Set(ids.map(asWord))] : [];
  if (named.length > maxFound) throw localFault('invalid_request', { reason: `ids: at most ${maxFound}` });
  return named;
}
