export { keptItem } from './decode-items.ts';
export { openaiResponses as dialect } from './dialect.ts';
export { previousResponseId, responseId } from './request.ts';
