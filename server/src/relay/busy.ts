import { localFault } from './faults.ts';
import type { RelayParts } from './parts.ts';

/** Throws RelayFault while nobody is let in. */
export function refuseWhenBusy(parts: Pick<RelayParts, 'accepting' | 'active' | 'env'>): void {
  if (!parts.accepting()) throw localFault('shutting_down', {}, { retryAfterSeconds: 1 });
  if (parts.active.size >= parts.env.MAX_STREAMS) throw localFault('overloaded', {}, { retryAfterSeconds: 1 });
}

/** Throws RelayFault while nothing new may be held for. What asks only for what is there is answered. */
export function refuseWithoutSpace({ hasSpace }: Pick<RelayParts, 'hasSpace'>): void {
  if (!hasSpace()) throw localFault('disk_full', {}, { retryAfterSeconds: 30 });
}
