export * as anthropicMessages from './anthropic-messages/index.ts';
export * as chat from './chat/index.ts';
export { clientDialect, clientDialects, upstreamDialect } from './dialects.ts';
export { errorStatus, type WireError } from './error.ts';
export { readJson } from './exact-json.ts';
export { familySurfaces } from './families/index.ts';
export { createGatherer, type Gatherer } from './gather.ts';
export * as geminiGenerate from './gemini-generate/index.ts';
export { asNumber, asObject, asWord, defined, entryOf, type JsonObject, parseJson, parseObject } from './json.ts';
export { findMember, memberBoolean, memberNumber, memberText } from './json-member.ts';
export { foldedName, type JsonScan, type Member, type ScanResult, scanObject, type ValueKind } from './json-scan.ts';
export * as openaiChat from './openai-chat/index.ts';
export * as openaiResponses from './openai-responses/index.ts';
export * as realtime from './realtime/index.ts';
export type { PeekResult, RequestEdits, RequestPeek } from './request.ts';
export { type EditPlan, routingFields, splice } from './splice.ts';
export {
  createFrameSplitter,
  decodeFrame,
  decodeFrames,
  encodeFrame,
  type FrameSplitter,
  isSilent,
  maxFrameBytes,
  pingFrame,
  type SseFrame,
} from './sse.ts';
export type { Tap, TapEnd, TapOptions } from './tap.ts';
export { capPrompt, capUsage, type TokenUsage } from './usage.ts';
