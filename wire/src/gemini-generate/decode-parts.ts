import type { Extra, FilePart, ForeignPart, ImagePart, Part, TextPart, ToolCallPart, ToolResultPart } from '../chat/parts.ts';
import { asObject, asText, type JsonObject, parseObject } from '../json.ts';
import { ownExtra } from './extra.ts';
import { camelKeys, given, listOf } from './fields.ts';
import type { CallIds } from './ids.ts';
import { detailOf, readFile, readInline } from './media.ts';
import { readSignature, type Signature } from './signature.ts';
import { dialectName, unsignedCall } from './types.ts';

/** What one part of a content says, before it becomes a part of a message or a step of a stream. */
export type Piece =
  | { readonly kind: 'text'; readonly text: string; readonly isThought: boolean; readonly signature: Signature | undefined }
  | { readonly kind: 'call'; readonly call: JsonObject; readonly signature: Signature | undefined }
  | { readonly kind: 'result'; readonly result: JsonObject }
  | { readonly kind: 'media'; readonly part: Part; readonly signature: Signature | undefined }
  | { readonly kind: 'foreign'; readonly part: ForeignPart };

/** Reads one part; what is no plain piece of a kind that all dialects know stays whole, as foreign. */
export function readPiece(raw: JsonObject): Piece {
  // The last three are about a part, which means the same without them.
  const {
    thoughtSignature,
    thought,
    mediaResolution,
    partMetadata: _,
    mediaProcessing: __,
    speechMetadata: ___,
    ...body
  } = camelKeys(raw);
  const signature = readSignature(thoughtSignature);
  const isThought = thought === true;
  const [name = '', ...others] = Object.keys(body);
  if (name === '') return { kind: 'text', text: '', isThought, signature };
  if (others.length === 0 && name === 'text' && typeof body.text === 'string') {
    return { kind: 'text', text: body.text, isThought, signature };
  }
  const value = asObject(body[name]);
  const video = isThought ? undefined : readVideo(body, signature);
  if (video !== undefined) return sized(video, mediaResolution);
  const piece = others.length > 0 || value === undefined || isThought ? undefined : plainPiece(name, camelKeys(value), signature);
  return piece === undefined ? { kind: 'foreign', part: foreignPart(name, body, raw) } : sized(piece, mediaResolution);
}

/** How closely a file is to be looked at. */
function sized(piece: Piece, mediaResolution: unknown): Piece {
  if (piece.kind !== 'media' || mediaResolution === undefined || piece.part.kind === 'audio') return piece;
  const { part } = piece;
  if (part.kind === 'image') return { ...piece, part: { ...part, ...given('detail', detailOf(mediaResolution)) } };
  if (part.kind !== 'file') return piece;
  return { ...piece, part: { ...part, ...given('extra', ownExtra({ ...part.extra?.fields, mediaResolution })) } };
}

/** A file of which only a stretch is meant. */
function readVideo({ inlineData, fileData, ...rest }: JsonObject, signature: Signature | undefined): Piece | undefined {
  if (rest.videoMetadata === undefined || Object.keys(rest).length > 1) return undefined;
  const [name, value] = inlineData === undefined ? ['fileData', fileData] : ['inlineData', inlineData];
  const piece = plainPiece(name, camelKeys(asObject(value) ?? {}), signature);
  if (piece?.kind !== 'media' || piece.part.kind !== 'file') return undefined;
  return { ...piece, part: { ...piece.part, ...given('extra', ownExtra(rest)) } };
}

function plainPiece(name: string, value: JsonObject, signature: Signature | undefined): Piece | undefined {
  if (name === 'functionCall') return { kind: 'call', call: value, signature: realSignature(signature) };
  if (name === 'functionResponse') return { kind: 'result', result: value };
  if (name === 'inlineData' && typeof value.data === 'string') return { kind: 'media', part: readInline(value), signature };
  if (name === 'fileData' && asText(value.fileUri) !== '') return { kind: 'media', part: readFile(value), signature };
  return undefined;
}

/** The mark of a call that another model made, and the same from SDKs that take every signature for bytes. */
const unsigned: readonly string[] = [unsignedCall, Buffer.from(unsignedCall).toString('base64')];

function realSignature(signature: Signature | undefined): Signature | undefined {
  return signature?.signature === undefined || unsigned.includes(signature.signature) ? undefined : signature;
}

function foreignPart(name: string, body: JsonObject, raw: JsonObject): ForeignPart {
  const said = raw.thought === true ? '' : asText(body.text);
  const text = said || spoken(name, asObject(body[name]) ?? {});
  return { kind: 'foreign', dialect: dialectName, name, raw, ...(text === '' ? {} : { text }) };
}

/** Code and its result as text, for dialects that cannot show them otherwise (contract 6.13). */
function spoken(name: string, value: JsonObject): string {
  if (name === 'executableCode') return fenced(asText(value.language).toLowerCase().replace('_unspecified', ''), value.code);
  if (name === 'codeExecutionResult') return fenced('output', value.output);
  return '';
}

function fenced(language: string, code: unknown): string {
  const text = asText(code);
  return text === '' ? '' : `\n\`\`\`${language}\n${text.replace(/\n$/, '')}\n\`\`\`\n`;
}

/** The parts of a message. A signature without a thought of its own stands as an empty thought behind its part. */
export function partsOf(raw: JsonObject, ids: CallIds): Part[] {
  const piece = readPiece(raw);
  switch (piece.kind) {
    case 'text':
      return textParts(piece);
    case 'media':
      return [piece.part, ...signed(piece.signature)];
    case 'call':
      return [callPart(piece.call, piece.signature, (given, name) => ids.call(given, name))];
    case 'result':
      return [resultPart(piece.result, ids)];
    case 'foreign':
      return [piece.part];
  }
}

function textParts({ text, isThought, signature }: Extract<Piece, { kind: 'text' }>): Part[] {
  if (!isThought)
    return text === '' && signature !== undefined ? signed(signature) : [{ kind: 'text', text }, ...signed(signature)];
  return text === '' && signature === undefined ? [] : [{ kind: 'reasoning', text, dialect: dialectName, ...signature }];
}

function signed(signature: Signature | undefined): Part[] {
  return signature === undefined ? [] : [{ kind: 'reasoning', text: '', ...signature }];
}

/** A call with its id found by `idOf`. Arguments that were no JSON travel as `_raw`. */
export function callPart(
  { id, name, args }: JsonObject,
  signature: Signature | undefined,
  idOf: (given: string, name: string) => string,
): ToolCallPart {
  const object = asObject(args) ?? {};
  const isRaw = typeof object._raw === 'string' && Object.keys(object).length === 1;
  return {
    kind: 'tool-call',
    id: idOf(asText(id), asText(name)),
    name: asText(name),
    arguments: isRaw ? asText(object._raw) : JSON.stringify(object),
    ...signature,
  };
}

function resultPart({ id, name, response, parts, ...rest }: JsonObject, ids: CallIds): ToolResultPart {
  const { text, isError } = readOutput(asObject(response) ?? {}, asText(name));
  const shown = listOf(parts);
  const media = shown.flatMap(resultMedia);
  const kept = media.length === shown.length ? {} : { parts };
  return {
    kind: 'tool-result',
    id: ids.result(asText(id), asText(name)),
    name: asText(name),
    content: [...(text === '' && media.length > 0 ? [] : [{ kind: 'text', text } satisfies TextPart]), ...media],
    ...(isError ? { isError } : {}),
    ...given('extra', asItCame(ownExtra({ ...rest, ...kept }), response)),
  };
}

/** For this dialect's own upstreams: a response may refer to what is shown by its name. */
function asItCame(extra: Extra | undefined, response: unknown): Extra | undefined {
  if (response === undefined) return extra;
  return { dialect: dialectName, fields: {}, ...extra, hints: { ...extra?.hints, response } };
}

function resultMedia(raw: JsonObject): (ImagePart | FilePart)[] {
  const piece = readPiece(raw);
  if (piece.kind !== 'media') return [];
  const { part } = piece;
  if (part.kind === 'image' || part.kind === 'file') return [part];
  return [];
}

/** The text of a response: its only text where it is one of the usual wrappers, else the response as JSON. */
function readOutput(response: JsonObject, name: string): { readonly text: string; readonly isError: boolean } {
  const { output, error, content } = response;
  const keys = Object.keys(response);
  if (keys.length === 1 && typeof output === 'string') return { text: output, isError: false };
  if (keys.length === 1 && typeof error === 'string') return { text: error, isError: true };
  if (keys.length === 2 && response.name === name) {
    if (typeof content === 'string') return { text: content, isError: false };
    if (asObject(content) !== undefined) return { text: JSON.stringify(content), isError: false };
  }
  return { text: keys.length === 0 ? '' : JSON.stringify(response), isError: false };
}

/** How a result is spelled (contract 6.13); JSON objects stay objects. */
export function writeOutput(text: string, name: string, isError: boolean): JsonObject {
  if (isError) return { error: text };
  const object = parseObject(text);
  const isSame = object !== undefined && JSON.stringify(object) === text;
  return { name, content: isSame ? object : text };
}
