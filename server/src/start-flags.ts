/** The room for young objects of the thread that serves calls, in MB for each of its two halves. Without it they grow to 64 for half an hour. */
export const youngBound = '--max-semi-space-size=32';

/**
 * What the runtime is given by whoever starts `dist/main.js`, since it cannot be said later. Its memory reducer collects whole
 * heaps out of turn while calls come, so that memory goes in steps, and gives nothing back when none come.
 */
export const startFlags = [youngBound, '--no-memory-reducer'];
