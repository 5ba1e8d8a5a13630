import type { ServedRequest } from '../platform/http/served.ts';
import { localFault, type RelayFault } from './faults.ts';

/** What a request's body takes of the process's memory; it grows and shrinks with what is known of it. */
export interface BodyPlace {
  bytes: number;
  /** Whose it is, once it is known. */
  userId?: number;
}

/** Bounds what the bodies of all requests under way take together, with the files that they name and what is large of their answers. */
export interface BodyBudget {
  /**
   * Before the body is read, by what is announced; a body without a length may be `most` bytes. Throws RelayFault when there is no
   * room, and none that others should make.
   */
  enter(place: BodyPlace, request: Pick<ServedRequest, 'headers'>, most: number): void;
  /** The body that is `sent`. While it is on its way it may have to make room for another user's: then it rejects with RelayFault. */
  awaited(place: BodyPlace, sent: Promise<Buffer>): Promise<Buffer>;
  /** It has come. */
  came(place: BodyPlace, bytes: number): void;
  /** So many bytes more, for a file or its answer. False: there is no room for them. */
  grow(place: BodyPlace, bytes: number): boolean;
  /** So many bytes of it are no longer kept. */
  shrink(place: BodyPlace, bytes: number): void;
  /**
   * So many bytes in all, as long as nobody else wants them: then `forget` is called, and they are the other one's. False: there
   * is no room for them now.
   */
  spare(place: BodyPlace, bytes: number, forget: () => void): boolean;
  /** The request is over. */
  leave(place: BodyPlace): void;
}

/** `limitBytes`: one request gets what it asks for, however much, while there is no other. */
export function createBodyBudget(limitBytes: number): BodyBudget {
  let heldBytes = 0;
  /** The oldest first. */
  const onTheirWay = new Map<BodyPlace, (fault: RelayFault) => void>();
  /** What may be forgotten, the oldest first. */
  const spares = new Map<BodyPlace, () => void>();
  const set = (place: BodyPlace, bytes: number): void => {
    heldBytes += bytes - place.bytes;
    place.bytes = bytes;
  };
  const hasRoom = (place: BodyPlace, bytes: number) => heldBytes <= place.bytes || heldBytes + bytes <= limitBytes;
  const makeRoom = (wanting: BodyPlace, bytes: number): boolean => {
    for (const [place, forget] of spares) {
      spares.delete(place);
      set(place, 0);
      forget();
      if (hasRoom(wanting, bytes)) return true;
    }
    return endSome(wanting, bytes);
  };
  /**
   * What has not come yet costs its sender nothing, however long it takes: the oldest bodies of the user who has most on the way
   * end, as long as that user keeps as much as this one would have.
   */
  const endSome = ({ userId }: BodyPlace, bytes: number): boolean => {
    const byUser = Map.groupBy(onTheirWay.keys(), (place) => place.userId);
    const most = [...byUser.values()].reduce((a, b) => (sumOf(b) > sumOf(a) ? b : a), []);
    const lacking = heldBytes + bytes - limitBytes;
    const ending: BodyPlace[] = [];
    let freed = 0;
    for (const place of most) {
      if (freed >= lacking) break;
      ending.push(place);
      freed += place.bytes;
    }
    const beyond = sumOf(most) - sumOf(byUser.get(userId) ?? []) - bytes;
    // Who was let in alone may have all that there is, and more.
    const mayEnd = heldBytes > limitBytes ? beyond > 0 : freed <= beyond;
    if (freed < lacking || !mayEnd) return false;
    for (const place of ending) {
      set(place, 0);
      onTheirWay.get(place)?.(noRoom());
    }
    return true;
  };
  return {
    enter(place, { headers }, most) {
      const announced = headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : most;
      const bytes = Math.min(Number.isNaN(announced) ? most : announced, most);
      if (!hasRoom(place, bytes) && !makeRoom(place, bytes)) throw noRoom();
      set(place, bytes);
    },
    awaited: (place, sent) =>
      new Promise<Buffer>((resolve, reject) => {
        onTheirWay.set(place, reject);
        sent.then(resolve, reject);
      }).finally(() => onTheirWay.delete(place)),
    came: set,
    grow(place, bytes) {
      if (!hasRoom(place, bytes) && !makeRoom(place, bytes)) return false;
      set(place, place.bytes + bytes);
      return true;
    },
    shrink: (place, bytes) => set(place, place.bytes - bytes),
    spare(place, bytes, forget) {
      spares.delete(place);
      set(place, 0);
      if (heldBytes + bytes > limitBytes) return false;
      set(place, bytes);
      spares.set(place, forget);
      return true;
    },
    leave(place) {
      if (spares.size > 0) spares.delete(place);
      set(place, 0);
    },
  };
}

export const noRoom = (): RelayFault => localFault('overloaded', {}, { retryAfterSeconds: 1 });

const sumOf = (places: readonly BodyPlace[]): number => places.reduce((sum, { bytes }) => sum + bytes, 0);
