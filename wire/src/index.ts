export * as anthropicMessages from './anthropic-messages/index.ts';
export * as chat from './chat/index.ts';
export { clientDialect, clientDialects, upstreamDialect } from './dialects.ts';
export { errorStatus, type WireError } from './error.ts';
export { readJson } from './exact-json.ts';
export { familyRefusals, familySurfaces } from './families/index.ts';
export { createGatherer, type Gatherer } from './gather.ts';
export * as geminiGenerate from './gemini-generate/index.ts';
export { hiddenJson } from './hidden.ts';
export {
  asCount,
  asNumber,
  asObject,
  asObjects,
  asWord,
  defined,
  entryOf,
  type JsonObject,
  parseJson,
  parseObject,
} from './json.ts';
export { findMember, memberBoolean, memberText } from './json-member.ts';
export { foldedName, type JsonScan, type Member, scanObject } from './json-scan.ts';
export { letterEscapes } from './json-text.ts';
export * as openaiChat from './openai-chat/index.ts';
export * as openaiResponses from './openai-responses/index.ts';
export * as realtime from './realtime/index.ts';
export type { RefusalCode, RequestPeek } from './request.ts';
export { type EditPlan, splice } from './splice.ts';
export { createFrameSplitter, decodeFrame, decodeFrames, encodeFrame, isSilent } from './sse.ts';
export type { Tap, TapEnd, TapOptions } from './tap.ts';
export type { ToolUses } from './tool-uses.ts';
export { capPrompt, capUsage, completionLimit, type TokenUsage } from './usage.ts';
