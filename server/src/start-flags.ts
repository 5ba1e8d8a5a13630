/** Half of the room for young objects. */
export const youngMb = 32;

/**
 * What the runtime is given by whoever starts `dist/main.js`, since it cannot be said later: the room for young objects of the
 * thread that serves calls, in MB for each of its two halves. Without it they grow to 64 for half an hour; it is whole from the
 * start, so that memory does not creep for as long as the load takes to fill it.
 */
export const startFlags = [`--min-semi-space-size=${youngMb}`, `--max-semi-space-size=${youngMb}`];
