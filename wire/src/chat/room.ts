import type { ChatEvent } from './response.ts';

/** What one stream may have in memory beside what its caller was told, in characters. */
const maxChars = 4 * 1024 * 1024;

/**
 * Counts what is kept of a stream until a part of it is whole: signatures, sources, transcripts, what is only told at once.
 * No upstream may have all of the memory for it.
 */
export interface Room {
  /** False: that is more than may be kept, and so is all that follows. */
  holds(value: unknown): boolean;
}

/** Ends a stream that says more of a part than can be kept: the part is not told cut short. */
export const noRoom: ChatEvent = {
  kind: 'error',
  isOurs: true,
  error: { message: 'the stream holds more than can be kept', type: 'server_error', param: null, code: 'server_error' },
};

/** An empty one. */
export function createRoom(): Room {
  let left = maxChars;
  return {
    holds(value) {
      left -= typeof value === 'string' ? value.length : (JSON.stringify(value)?.length ?? 0);
      return left >= 0;
    },
  };
}
