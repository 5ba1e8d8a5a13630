export { withAdditionalTools } from './additional-tools.ts';
export { compactionSurface } from './compaction.ts';
export { countTokensAnswer, countTokensRequest } from './count-tokens.ts';
export { decisionSurface } from './decisions.ts';
export { keptItem } from './decode-items.ts';
export { openaiResponses as dialect } from './dialect.ts';
export { withoutNamespaces } from './namespaces.ts';
export { previousResponseId, responseId } from './request.ts';
export {
  emptyAnswer,
  inLane,
  joined,
  type ResponseCreate,
  readSocketAsk,
  type SocketAsk,
  socketError,
  socketEvent,
} from './socket.ts';
export { asksToShorten, saidByUser, summaryPart, summaryRequest } from './summary.ts';
export { renamedTextCall, textCall, withoutTextTools } from './text-tools.ts';
