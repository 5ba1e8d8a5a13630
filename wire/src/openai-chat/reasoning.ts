import type { Part, ReasoningPart } from '../chat/parts.ts';
import { asObjects, asText, type JsonObject } from '../json.ts';
import { dialectName, type Target } from './content.ts';

/**
 * Thoughts stand in `reasoning_content` or `reasoning`. Signed ones stand in `reasoning_details`, a widespread list of
 * `{type: "reasoning.text", text, signature, format}` and `{type: "reasoning.encrypted", data, format}`, where `format`
 * says who can read the signature.
 */
export function decodeReasoning(message: JsonObject): Part[] {
  const details = sewn(asObjects(message.reasoning_details));
  const text = asText(message.reasoning_content) || asText(message.reasoning);
  const isSaid = text === '' || details.map((part) => part.text).join('') === text;
  // What is signed holds: clients trim the text beside it.
  if (details.length > 0 && (isSaid || details.some((part) => isSigned(part) && part.text !== ''))) return details;
  const kept = details.filter((part) => part.text === '');
  // A stream tells a thought apart from the signature that it ends with. One of Gemini's may be that of something else.
  const [proof, ...others] = kept.filter(({ signature, dialect }) => signature !== undefined && dialect !== 'gemini-generate');
  if (proof !== undefined && others.length === 0) return kept.map((part) => (part === proof ? { ...part, text } : part));
  const plain: ReasoningPart[] = text === '' ? [] : [{ kind: 'reasoning', text, dialect: dialectName }];
  return [...plain, ...kept];
}

/** The thoughts of a list, also of one that a client made of the pieces of a stream: those of one `index` end with their signature. */
function sewn(details: readonly JsonObject[]): ReasoningPart[] {
  const parts: ReasoningPart[] = [];
  let before: unknown;
  for (const detail of details) {
    const part = decodeDetail(detail);
    if (part === undefined) continue;
    const last = parts.at(-1);
    const isSame = before !== undefined && detail.index === before && (part.id ?? last?.id) === (last?.id ?? part.id);
    if (isSame && last !== undefined && !isSigned(last) && part.redacted === undefined) {
      const dialect = part.dialect === dialectName ? last.dialect : part.dialect;
      parts[parts.length - 1] = { ...last, ...part, text: last.text + part.text, dialect };
    } else parts.push(part);
    before = detail.index;
  }
  return parts;
}

/** What the list calls the formats of signatures that have a dialect here. */
const formats: Readonly<Record<string, string>> = {
  'anthropic-messages': 'anthropic-claude-v1',
  'gemini-generate': 'google-gemini-v1',
  'openai-responses': 'openai-responses-v1',
  [dialectName]: 'unknown',
};
const dialects = new Map(Object.entries(formats).map(([dialect, format]) => [format, dialect]));

/** One entry of `reasoning_details`; undefined for kinds that say nothing. */
export function decodeDetail(detail: JsonObject): ReasoningPart | undefined {
  const { type, text, summary, signature, data, format, id } = detail;
  const dialect = typeof format === 'string' && format !== '' ? (dialects.get(format) ?? format) : dialectName;
  const named = typeof id === 'string' && id !== '' ? { id } : {};
  if (type === 'reasoning.encrypted') return { kind: 'reasoning', text: '', redacted: asText(data), ...named, dialect };
  const thought = asText(text) || asText(summary);
  if (type !== 'reasoning.text' && type !== 'reasoning.summary') return undefined;
  const signed = asText(signature) === '' ? {} : { signature: asText(signature) };
  return thought === '' && asText(signature) === ''
    ? undefined
    : { kind: 'reasoning', text: thought, ...signed, ...named, dialect };
}

/** Is there more to a thought than its text? */
export function isSigned({ signature, redacted }: ReasoningPart): boolean {
  return signature !== undefined || redacted !== undefined;
}

/** The entry of `reasoning_details` for a thought. */
export function encodeDetail({ text, signature, redacted, id, dialect }: ReasoningPart, index: number): JsonObject {
  const named = id === undefined ? {} : { id };
  const format = formats[dialect] ?? dialect;
  if (redacted !== undefined) return { type: 'reasoning.encrypted', data: redacted, ...named, format, index };
  return { type: 'reasoning.text', text, ...(signature === undefined ? {} : { signature }), ...named, format, index };
}

/** The members of a message that say its thoughts; `answer` = to a caller, who may always be told them. */
export function encodeReasoning(parts: readonly ReasoningPart[], target: Target, answer: boolean): JsonObject {
  if (parts.length === 0) return {};
  const text = parts.map((part) => part.text).join('');
  const signed = parts.some(isSigned);
  const withText = text !== '' && (answer || target.can('reasoning_content'));
  const withDetails = signed && (answer || target.can('reasoning_details'));
  if (text !== '' && !withText && !withDetails) target.lose('reasoning');
  if (signed && !withDetails) target.lose('reasoning_signature');
  return {
    ...(withText ? { reasoning_content: text } : {}),
    ...(withDetails ? { reasoning_details: parts.map(encodeDetail) } : {}),
  };
}
