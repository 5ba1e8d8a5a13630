import { asNumber, asObject, asText, type JsonObject } from '../json.ts';
import { camelKeys, given, listOf, numberOf } from './fields.ts';

/** `:embedContent` asks for one vector, `:batchEmbedContents` for many. */
export type EmbedKind = 'one' | 'many';

/** One text with what only this dialect says of it. */
export interface EmbedInput {
  readonly text: string;
  readonly taskType?: string;
  readonly title?: string;
  readonly outputDimensionality?: number;
  readonly autoTruncate?: boolean;
}

interface Refused {
  readonly ok: false;
  readonly reason: string;
}

/** A body for the other side, or why there is none. */
export type EmbedBody = { readonly ok: true; readonly body: JsonObject } | Refused;

/** The same, and what it was made of. `losses` are the fields that the canonical body lacks, in snake case. */
type EmbedReading =
  | {
      readonly ok: true;
      readonly body: JsonObject;
      readonly inputs: readonly EmbedInput[];
      readonly losses: readonly string[];
    }
  | Refused;

const maxInputs = 2048;
const onlyTexts = 'content must hold text: pictures, sound and files are not embedded here, say in words what they show';

/** The canonical body of POST /v1/embeddings for a request of this dialect. Never throws. */
export function decodeEmbedRequest(raw: JsonObject, kind: EmbedKind, model: string): EmbedReading {
  const body = camelKeys(raw);
  const requests = kind === 'one' ? [body] : listOf(body.requests).map(camelKeys);
  if (requests.length === 0) return { ok: false, reason: 'requests is required' };
  if (requests.length > maxInputs) return { ok: false, reason: `requests holds more than ${maxInputs}` };
  const losses = new Set<string>();
  const inputs = requests.map((request) => readInput(request, losses));
  const isShown = losses.has('file');
  if (inputs.some(({ text }) => text === '')) return { ok: false, reason: isShown ? onlyTexts : 'content is required' };
  const sizes = new Set(inputs.map(({ outputDimensionality }) => outputDimensionality));
  if (sizes.size > 1) losses.add('output_dimensionality');
  const [dimensions] = sizes;
  const texts = inputs.map(({ text }) => text);
  const canonical = { model, input: kind === 'one' ? texts[0] : texts, ...given('dimensions', dimensions) };
  return { ok: true, body: { ...canonical, encoding_format: 'float' }, inputs, losses: [...losses] };
}

function readInput({ embedContentConfig, content, model: _, ...request }: JsonObject, losses: Set<string>): EmbedInput {
  // Newer clients say it all in there.
  const told: JsonObject = { ...camelKeys(asObject(embedContentConfig) ?? {}), ...request };
  for (const [name, value] of Object.entries(told)) if (!known.has(name) && value !== null) losses.add(snake(name));
  const taskType = asText(told.taskType) || undefined;
  const title = asText(told.title) || undefined;
  const autoTruncate = typeof told.autoTruncate === 'boolean' ? told.autoTruncate : undefined;
  if (taskType !== undefined) losses.add('task_type');
  if (title !== undefined) losses.add('title');
  if (autoTruncate !== undefined) losses.add('auto_truncate');
  const text = readContent(content, losses);
  return { text, taskType, title, outputDimensionality: numberOf(told.outputDimensionality), autoTruncate };
}

const known: ReadonlySet<string> = new Set(['taskType', 'title', 'outputDimensionality', 'autoTruncate']);

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function readContent(content: unknown, losses: Set<string>): string {
  const { parts } = camelKeys(asObject(content) ?? {});
  const texts = listOf(parts).map(({ text }) => text);
  if (texts.some((text) => typeof text !== 'string')) losses.add('file');
  return texts.map(asText).join('');
}

/** A request of this dialect for a canonical one, which names its inputs as texts; one of many also for a single text. Never throws. */
export function encodeEmbedRequest({ input, dimensions }: JsonObject, model: string): EmbedBody {
  const inputs: readonly unknown[] = Array.isArray(input) ? input : [input];
  if (inputs.length === 0) return { ok: false, reason: 'field input is required' };
  if (inputs.some((text) => typeof text !== 'string')) return { ok: false, reason: 'input must be text' };
  const outputDimensionality = numberOf(dimensions);
  const requests = inputs.map((text) => spellInput({ text: asText(text), outputDimensionality }, model));
  return { ok: true, body: { requests } };
}

/** One text as it is asked for by key, where nobody may say whether it is cut. */
export function spellInput({ text, taskType, title, outputDimensionality }: EmbedInput, model: string): JsonObject {
  return {
    model: `models/${model}`,
    content: { parts: [{ text }] },
    ...given('taskType', taskType),
    ...given('title', title),
    ...given('outputDimensionality', outputDimensionality),
  };
}

/** The answer of this dialect for a canonical one, whose vectors are lists or base64 of 32-bit floats. */
export function encodeEmbedAnswer({ data, usage }: JsonObject, kind: EmbedKind): JsonObject {
  const vectors = [...listOf(data)].sort((a, b) => (asNumber(a.index) || 0) - (asNumber(b.index) || 0));
  const embeddings = vectors.map(({ embedding }) => ({ values: readVector(embedding) }));
  const tokens = numberOf(asObject(usage)?.prompt_tokens);
  const metadata = tokens === undefined ? {} : { usageMetadata: { promptTokenCount: tokens, totalTokenCount: tokens } };
  return { ...(kind === 'one' ? { embedding: embeddings[0] ?? { values: [] } } : { embeddings }), ...metadata };
}

function readVector(raw: unknown): unknown[] {
  if (Array.isArray(raw)) return raw;
  const bytes = Buffer.from(asText(raw), 'base64');
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, at) => bytes.readFloatLE(at * 4));
}

/** The canonical answer for one of this dialect. `isBase64`: the caller asked for `encoding_format: base64`. */
export function decodeEmbedAnswer(raw: JsonObject, model: string, isBase64: boolean): JsonObject {
  const { embedding, embeddings, usageMetadata } = camelKeys(raw);
  const vectors = asObject(embedding) === undefined ? listOf(embeddings) : [asObject(embedding) ?? {}];
  const tokens = numberOf(camelKeys(asObject(usageMetadata) ?? {}).promptTokenCount);
  return {
    object: 'list',
    data: vectors.map(({ values }, index) => ({ object: 'embedding', index, embedding: writeVector(values, isBase64) })),
    model,
    ...(tokens === undefined ? {} : { usage: { prompt_tokens: tokens, total_tokens: tokens } }),
  };
}

function writeVector(values: unknown, isBase64: boolean): unknown {
  const numbers = Array.isArray(values) ? values.map(Number) : [];
  if (!isBase64) return numbers;
  const bytes = Buffer.alloc(numbers.length * 4);
  numbers.forEach((number, at) => {
    bytes.writeFloatLE(number, at * 4);
  });
  return bytes.toString('base64');
}
