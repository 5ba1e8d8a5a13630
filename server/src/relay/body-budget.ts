import type { ServedRequest } from '../platform/http/served.ts';
import { localFault } from './faults.ts';

/** What a request's body takes of the process's memory; it grows and shrinks with what is known of it. */
export interface BodyPlace {
  bytes: number;
}

/** Bounds what the bodies of all requests under way take together, with the files that they name and what is large of their answers. */
export interface BodyBudget {
  /** Before the body is read, by what is announced; a body without a length may be `most` bytes. Throws RelayFault when there is no room. */
  enter(place: BodyPlace, request: Pick<ServedRequest, 'headers'>, most: number): void;
  /** It has come. */
  came(place: BodyPlace, bytes: number): void;
  /** So many bytes more, for a file or its answer. False: there is no room for them. */
  grow(place: BodyPlace, bytes: number): boolean;
  /** So many bytes of it are no longer kept. */
  shrink(place: BodyPlace, bytes: number): void;
  /** The request is over. */
  leave(place: BodyPlace): void;
}

/** `limitBytes`: one request gets what it asks for, however much, while there is no other. */
export function createBodyBudget(limitBytes: number): BodyBudget {
  let heldBytes = 0;
  const set = (place: BodyPlace, bytes: number): void => {
    heldBytes += bytes - place.bytes;
    place.bytes = bytes;
  };
  return {
    enter(place, { headers }, most) {
      const announced = headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : most;
      const bytes = Math.min(Number.isNaN(announced) ? most : announced, most);
      if (heldBytes > 0 && heldBytes + bytes > limitBytes) throw localFault('overloaded', {}, { retryAfterSeconds: 1 });
      set(place, bytes);
    },
    came: set,
    grow(place, bytes) {
      if (heldBytes > place.bytes && heldBytes + bytes > limitBytes) return false;
      set(place, place.bytes + bytes);
      return true;
    },
    shrink: (place, bytes) => set(place, place.bytes - bytes),
    leave: (place) => set(place, 0),
  };
}
