export { openaiChat as dialect } from './dialect.ts';
export { errorBody, errorFrame, readError } from './error.ts';
export { editRequest, peekRequest } from './request.ts';
export { readResponse } from './response.ts';
export { createTap, doneFrame, usageFrame } from './stream.ts';
export type * from './types.ts';
export { readUsage } from './usage.ts';
