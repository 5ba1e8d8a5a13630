export { keptItem } from './decode-items.ts';
export { previousResponseId, responseId } from './request.ts';
