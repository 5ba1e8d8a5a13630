import { type ForeignPart, noArguments, type Part, type ToolCallPart } from '../chat/parts.ts';
import { asObject, asObjects, asText, type JsonObject } from '../json.ts';
import { decodeContent, decodeImage, dialectName, readCache } from './content.ts';
import { decodeReasoning } from './reasoning.ts';

/** The parts of an assistant's message, in a request or an answer: thoughts, content, refusal, media, calls. */
export function decodeAssistant(message: JsonObject, makeId: (index: number) => string): Part[] {
  const parts: Part[] = [...decodeReasoning(message), ...decodeContent(message.content)];
  withCitations(parts, asObjects(message.annotations));
  if (asText(message.refusal) !== '') parts.push({ kind: 'refusal', text: asText(message.refusal) });
  for (const image of asObjects(message.images)) parts.push(decodeImage(image.image_url));
  const audio = asObject(message.audio);
  if (audio !== undefined) parts.push(decodeSpoken(audio));
  return [...parts, ...decodeCalls(message, makeId)];
}

function withCitations(parts: Part[], citations: readonly JsonObject[]): void {
  if (citations.length === 0) return;
  const at = parts.findIndex(({ kind }) => kind === 'text');
  const part = parts[at];
  if (part?.kind === 'text') parts[at] = { ...part, citations };
}

function decodeSpoken({ id, data, transcript }: JsonObject): Part {
  return {
    kind: 'audio',
    base64: asText(data),
    format: '',
    ...(typeof id === 'string' ? { id } : {}),
    ...(typeof transcript === 'string' ? { transcript } : {}),
  };
}

function decodeCalls(message: JsonObject, makeId: (index: number) => string): Part[] {
  const calls: Part[] = asObjects(message.tool_calls).map((call, index) => decodeCall(call, makeId(index)));
  const single = asObject(message.function_call);
  if (single !== undefined && calls.length === 0) calls.push(functionCall(makeId(0), single));
  return calls;
}

function decodeCall(call: JsonObject, ownId: string): ToolCallPart | ForeignPart {
  const inner = asObject(call.function);
  if (inner === undefined && typeof call.type === 'string') return foreignCall(call);
  const cache = readCache(call);
  const mark = cache === undefined ? {} : { cache };
  return { ...functionCall(asText(call.id) || ownId, inner ?? {}), ...readSignature(call), ...mark };
}

function functionCall(id: string, { name, arguments: args }: JsonObject): ToolCallPart {
  return { kind: 'tool-call', id, name: asText(name), arguments: argumentsText(args) || noArguments };
}

/** Arguments are a text; some upstreams give the object itself. */
export function argumentsText(args: unknown): string {
  return typeof args === 'string' || args === undefined || args === null ? asText(args) : JSON.stringify(args);
}

/** A call of a kind that is no function, as a part that only this dialect knows. */
export function foreignCall(call: JsonObject): ForeignPart {
  return { kind: 'foreign', dialect: dialectName, name: `tool_calls.${asText(call.type)}`, raw: call };
}

/** The signature that some upstreams give with a call and want back with it. */
export function readSignature(call: JsonObject): Pick<ToolCallPart, 'signature' | 'dialect'> {
  const extra = asObject(asObject(call.extra_content)?.google);
  const signature = asText(extra?.thought_signature);
  return signature === '' ? {} : { signature, dialect: 'gemini-generate' };
}
