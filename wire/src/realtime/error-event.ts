import type { WireError } from '../error.ts';

/** The event that tells a caller of an error (contract 6.6). */
export function errorEvent({ message, type, param, code }: WireError, id: string): Buffer {
  return Buffer.from(JSON.stringify({ type: 'error', event_id: `evt_${id}`, error: { message, type, param, code } }));
}
