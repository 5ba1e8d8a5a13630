export { keptItem } from './decode-items.ts';
export { withoutNamespaces } from './namespaces.ts';
export { previousResponseId, responseId } from './request.ts';
