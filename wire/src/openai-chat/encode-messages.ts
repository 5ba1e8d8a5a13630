import { withCallIds } from '../chat/call-ids.ts';
import { isCustomResult } from '../chat/custom-tools.ts';
import { withShownByUser } from '../chat/instructions.ts';
import type { AudioPart, ForeignPart, Part, ReasoningPart, ToolCallPart, ToolResultPart } from '../chat/parts.ts';
import type { ChatRequest, Message } from '../chat/request.ts';
import { asObjects, asText, type JsonObject } from '../json.ts';
import { dialectName, encodeCache, encodeContent, encodeImage, isText, type Target } from './content.ts';
import { encodeExtra } from './extra.ts';
import { encodeReasoning } from './reasoning.ts';

/** The `messages` of a request. */
export function encodeMessages({ system, messages: said, singleCalls, extra }: ChatRequest, target: Target): JsonObject[] {
  const messages = extra === undefined || extra.dialect === dialectName ? said : withShownByUser(said);
  const isMarked = target.can('cache_control') && system.some(({ cache }) => cache !== undefined);
  const instructions = isMarked ? encodeContent(system, target) : system.map(({ text }) => text).join('\n');
  if (!isMarked) for (const { cache } of system) encodeCache(cache, target);
  const first: JsonObject[] = system.length === 0 ? [] : [{ role: 'system', content: instructions }];
  const spelled = withResultsTogether(withShortIds(withCallIds(messages))).flatMap((message) => encodeMessage(message, target));
  return [...first, ...(singleCalls === true ? spelled.map(withoutCallIds(messages)) : spelled)];
}

function encodeMessage(message: Message, target: Target): JsonObject[] {
  const name = message.name === undefined ? {} : { name: message.name };
  const { own, rest } = ownMembers(message.parts);
  if (message.role === 'assistant') return [{ ...encodeAssistant(rest, target), ...name, ...own }];
  if (message.role === 'system') {
    const content = encodeContent(rest, target);
    const isLost = content === '' && rest.length > 0 && !rest.some(isText);
    return isLost ? [] : [{ role: 'system', content, ...name, ...own }];
  }
  return [...encodeResults(rest.filter(isResult), target), ...encodeUser(rest, target, { ...name, ...own })];
}

/** Results right behind their calls: a message in front of them or between them is refused, and others join them unasked. */
export function withResultsTogether(messages: readonly Message[]): readonly Message[] {
  const together: Message[] = [];
  let behindCalls = 0;
  /** Instructions that follow the results already. */
  let moved = 0;
  let results: Part[] | undefined;
  for (const message of messages) {
    const { role, parts } = message;
    if (role === 'assistant' || !parts.some(isResult)) {
      together.push(message);
      if (role === 'assistant') [behindCalls, moved, results] = [together.length, 0, undefined];
    } else if (results === undefined) {
      results = [...parts];
      together.splice(behindCalls, 0, { ...message, parts: results });
    } else {
      const between = together.splice(behindCalls + 1 + moved);
      for (const said of [...between, message]) if (said.role === 'user') for (const part of said.parts) results.push(part);
      for (const said of between) if (said.role !== 'user') moved = together.push(said) - behindCalls - 1;
    }
  }
  return together;
}

/** Longer ids of calls are refused. */
const maxIdChars = 40;

function withShortIds(messages: readonly Message[]): readonly Message[] {
  const short = new Map<string, string>();
  const shorten = (part: Part): Part => {
    if ((part.kind !== 'tool-call' && part.kind !== 'tool-result') || part.id.length <= maxIdChars) return part;
    const id = short.get(part.id) ?? `call_long_${short.size + 1}`;
    short.set(part.id, id);
    return { ...part, id };
  };
  const isLong = (part: Part) => shorten(part) !== part;
  if (!messages.some(({ parts }) => parts.some(isLong))) return messages;
  return messages.map((message) => ({ ...message, parts: message.parts.map(shorten) }));
}

/** A message as it was before there were tools: one call without an id, and results by the function's name. */
function withoutCallIds(messages: readonly Message[]) {
  const names = new Map(
    messages.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === 'tool-call' ? [[part.id, part.name]] : []))),
  );
  return ({ tool_calls, tool_call_id, ...message }: JsonObject): JsonObject => {
    const calls = asObjects(tool_calls);
    const [call] = calls;
    if (call?.function !== undefined && calls.length === 1) return { ...message, function_call: call.function };
    if (tool_call_id !== undefined) return { ...message, role: 'function', name: names.get(asText(tool_call_id)) ?? '' };
    return tool_calls === undefined ? message : { ...message, tool_calls };
  };
}

function isResult(part: Part): part is ToolResultPart | ForeignPart {
  return part.kind === 'tool-result' || isCustomResult(part);
}

/** Members of the message itself that only this dialect knows, as its decoder keeps them. */
function ownMembers(parts: readonly Part[]): { own: JsonObject; rest: Part[] } {
  const own: JsonObject = {};
  const rest = parts.filter((part) => {
    const isOwn = part.kind === 'foreign' && part.dialect === dialectName && part.name in part.raw && part.raw.type !== part.name;
    if (isOwn) Object.assign(own, part.raw);
    return !isOwn;
  });
  return { own, rest };
}

function encodeUser(parts: readonly Part[], target: Target, more: JsonObject): JsonObject[] {
  const moved = target.can('tool_media')
    ? []
    : parts.flatMap((part) => (part.kind === 'tool-result' ? part.content.filter((piece) => !isText(piece)) : []));
  const said = [...moved, ...parts.filter((part) => !isResult(part))];
  const content = encodeContent(said, target);
  if (content === '' && parts.some(isResult)) return [];
  return [{ role: 'user', content: content || lostTurn(said), ...more }];
}

/** What stands for a turn of which nothing could be said: several upstreams refuse an empty one. */
export function lostTurn(parts: readonly Part[]): string {
  return parts.length === 0 || parts.some(isText) ? '' : '...';
}

/** One message per result. Pictures and files move to the message behind where results are text alone. */
function encodeResults(results: readonly (ToolResultPart | ForeignPart)[], target: Target): JsonObject[] {
  return results.map((result) => {
    if (result.kind === 'foreign') return result.raw;
    const { id, content, isError, cache, extra } = result;
    if (isError === true) target.lose('is_error');
    const said = target.can('tool_media') ? content : content.filter(isText);
    return {
      role: 'tool',
      tool_call_id: id,
      content: encodeContent(said, target),
      ...encodeCache(cache, target),
      ...encodeExtra(extra, target.lose),
    };
  });
}

function encodeAssistant(parts: readonly Part[], target: Target): JsonObject {
  const calls = parts.filter(isCall).flatMap((part) => encodeCall(part, target));
  const spoken = parts.find((part) => part.kind === 'audio');
  const content = encodeContent(parts.filter(isContent).map(withoutCitations(target)), target);
  const images = parts.filter((part) => part.kind === 'image');
  if (images.length > 0 && !target.can('images')) target.lose('image');
  const refusals = parts.filter((part) => part.kind === 'refusal').map(({ text }) => text);
  const isBare = content === '' && (calls.length > 0 || refusals.length > 0 || spoken !== undefined);
  const more: JsonObject = {
    ...(refusals.length === 0 ? {} : { refusal: refusals.join('') }),
    ...encodeReasoning(
      parts.filter((part): part is ReasoningPart => part.kind === 'reasoning'),
      target,
      false,
    ),
    ...(images.length === 0 || !target.can('images')
      ? {}
      : { images: images.map((image) => encodeImage(image, target)).filter((image) => image !== undefined) }),
    ...(spoken === undefined ? {} : encodeSpoken(spoken, target)),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  const said = content === '' && Object.keys(more).length === 0 ? lostTurn(parts) : content;
  return { role: 'assistant', content: isBare ? null : said, ...more };
}

function isContent(part: Part): boolean {
  return part.kind === 'text' || part.kind === 'file' || (part.kind === 'foreign' && !isForeignCall(part));
}

function withoutCitations(target: Target) {
  return (part: Part): Part => {
    if (part.kind === 'text' && part.citations !== undefined) target.lose('citations');
    return part;
  };
}

function isForeignCall(part: Part): boolean {
  return part.kind === 'foreign' && part.dialect === dialectName && part.name.startsWith('tool_calls.');
}

function isCall(part: Part): boolean {
  return part.kind === 'tool-call' || isForeignCall(part);
}

/** Earlier sound is named by its id, or said by its transcript. */
function encodeSpoken({ id, transcript }: AudioPart, target: Target): JsonObject {
  if (id !== undefined) return { audio: { id } };
  target.lose('audio');
  return transcript === undefined ? {} : { content: transcript };
}

function encodeCall(part: Part, target: Target): JsonObject[] {
  if (part.kind === 'foreign') return [part.raw];
  return part.kind === 'tool-call' ? [encodeFunctionCall(part, target)] : [];
}

/** A call as this dialect spells it, with the signature where the target keeps one. */
export function encodeFunctionCall(part: ToolCallPart, target: Target): JsonObject {
  const { id, name, arguments: text, signature, dialect, cache, extra } = part;
  const own = { ...encodeCache(cache, target), ...encodeExtra(extra, target.lose) };
  const call = { id, type: 'function', function: { name, arguments: text }, ...own };
  if (signature === undefined) return call;
  if (dialect === 'gemini-generate' && target.can('reasoning_details')) {
    return { ...call, extra_content: { google: { thought_signature: signature } } };
  }
  target.lose('reasoning_signature');
  return call;
}
