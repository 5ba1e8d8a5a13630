export { errorBody, errorFrame, errorStatus, readError } from './error.ts';
export { decodeStream, foldChunks } from './fold.ts';
export { type ChatEdits, type ChatPeek, editRequest, type PeekResult, peekRequest } from './request.ts';
export { type ChatReading, readResponse } from './response.ts';
export { createTap, doneFrame, type Tap, type TapEnd, type TapOptions, usageFrame } from './stream.ts';
export type { TapFault } from './tap.ts';
export type * from './types.ts';
export { readUsage } from './usage.ts';
