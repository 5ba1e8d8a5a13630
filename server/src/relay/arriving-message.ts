import type { BodyBudget, BodyPlace } from './body-budget.ts';

/** What a message of a conversation takes of the room for bodies while it is on its way: it may take its time, as a body may. */
export interface ArrivingMessage {
  /** So many bytes of it are there; looked at about once a second. */
  see(bytes: number): void;
  /** It has come, or never will. */
  over(): void;
}

/** Less takes no room. */
const smallBytes = 64 * 1024;
const noBytes = Buffer.alloc(0);

/** `refused`: there is no room for it, or it must make some for another user's. */
export function createArrivingMessage(bodies: BodyBudget, userId: number, refused: () => void): ArrivingMessage {
  let arriving: { readonly place: BodyPlace; readonly whole: PromiseWithResolvers<Buffer> } | undefined;
  const begin = () => {
    const [place, whole] = [{ bytes: 0, userId }, Promise.withResolvers<Buffer>()];
    bodies.awaited(place, whole.promise).catch(refused);
    return { place, whole };
  };
  return {
    see(bytes) {
      if (bytes <= smallBytes) return;
      arriving ??= begin();
      const more = bytes - arriving.place.bytes;
      if (more > 0 && !bodies.grow(arriving.place, more)) refused();
    },
    over() {
      if (arriving === undefined) return;
      bodies.leave(arriving.place);
      arriving.whole.resolve(noBytes);
      arriving = undefined;
    },
  };
}
