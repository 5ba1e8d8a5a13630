/** Heads of every stream of events; the last one asks a proxy in front not to keep them back. */
export const streamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  connection: 'keep-alive',
  'x-accel-buffering': 'no',
};
