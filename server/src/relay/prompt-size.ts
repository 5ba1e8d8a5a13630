import { asObject, type JsonObject } from '@tollgate/wire';
import { type FamilyRecord, families } from './families/index.ts';
import type { PromptSize } from './families/size.ts';
import { bodyOf, type Inquiry, titlesOf } from './inquiry.ts';
import { fileTokens, isFilePart, mediaTokens } from './media-tokens.ts';

/** Longer prompts are not tokenised, nor read for that: the byte heuristic answers. */
const maxCountedBytes = 1024 * 1024;
/** Of text that nobody counted. */
export const bytesPerToken = 4;
const messageOverhead = 3;
const replyOverhead = 3;
const maxDepth = 64;
/** Longer strings that begin with so much of base64 are inline media, whatever holds them. */
const longestWord = 4_096;
const base64 = /^(?:data:[^,]{0,200};base64,)?[A-Za-z0-9+/=_-]+$/;

const sizes = new WeakMap<Inquiry, PromptSize>();

/** What a request asks to be read, for counting when nobody else has. Undefined: too large or not readable. Throws RelayFault for an unreadable one that is priced by more than its text. */
export function promptSizeOf(inquiry: Inquiry): PromptSize | undefined {
  const known = sizes.get(inquiry);
  if (known !== undefined) return known;
  const family = families.get(inquiry.protocol);
  const size = family === undefined || family.isText ? countable(inquiry, family) : measured(inquiry, family);
  if (size !== undefined) sizes.set(inquiry, size);
  return size;
}

function countable(inquiry: Inquiry, family: FamilyRecord | undefined): PromptSize | undefined {
  const { bytes, peek, upload } = inquiry;
  if (bytes.length > maxCountedBytes) return undefined;
  try {
    const body = JSON.parse(bytes.toString()) as JsonObject;
    if (family === undefined) return promptSizeOfBody(body, peek.model);
    const size = family.size({ ...body, model: peek.model }, upload);
    return { ...size, texts: [...size.texts, ...titlesOf(inquiry)] };
  } catch {
    return undefined;
  }
}

/** What is priced by more than its text is read however long it is: not to know how much it is would make it cheap. */
function measured({ bytes, peek, upload }: Inquiry, family: FamilyRecord): PromptSize {
  const size = family.size({ ...bodyOf(bytes), model: peek.model }, upload);
  if (bytes.length <= maxCountedBytes) return size;
  const textBytes = size.texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return { ...size, texts: [], tokens: size.tokens + Math.ceil(textBytes / bytesPerToken) };
}

/** The texts of a chat's prompt, and the tokens that are not text (contract 6.8), in whatever dialect. */
export function promptSizeOfBody(body: JsonObject, model = ''): PromptSize {
  const texts: string[] = [];
  const into = { texts, model };
  let tokens = 0;
  let turns = 0;
  const prompts = [body.prompt].flat();
  // All of them: an empty list under another dialect's name must not hide what is said.
  for (const message of [body.messages, body.contents, body.input, prompts.filter(isTurn)].flat()) {
    if (message === undefined || message === null) continue;
    turns += 1;
    tokens += messageOverhead + nameOverhead(message) + collect(message, into, maxDepth);
  }
  if (turns > 0) tokens += replyOverhead;
  // A text to be gone on with is no turn of a conversation.
  tokens +=
    collect(
      prompts.filter((prompt) => !isTurn(prompt)),
      into,
      maxDepth,
    ) + givenTokens(body.prompt);
  for (const more of [body.system, body.instructions, body.systemInstruction, body.system_instruction, body.questions])
    if (more !== undefined) tokens += collect(more, into, maxDepth);
  for (const tools of [body.tools, body.functions]) if (tools !== undefined) texts.push(JSON.stringify(tools));
  return { texts, tokens };
}

function isTurn(prompt: unknown): boolean {
  return asObject(prompt) !== undefined;
}

/** The name itself is one of the texts. */
function nameOverhead(message: unknown): number {
  const { role, name } = asObject(message) ?? {};
  return typeof role === 'string' && typeof name === 'string' ? 1 : 0;
}

/** Of a prompt in numbers, or a list of those: each is a token. */
function givenTokens(prompt: unknown): number {
  return Array.isArray(prompt) ? prompt.flat().filter((item) => typeof item === 'number').length : 0;
}

/** Members that name things instead of saying them. */
const silent: ReadonlySet<string> = new Set([
  'type',
  'id',
  'tool_call_id',
  'tool_use_id',
  'call_id',
  'cache_control',
  'signature',
]);

interface Collected {
  readonly texts: string[];
  readonly model: string;
}

/** Gathers the texts of a message in whatever dialect; returns the tokens of its media. */
function collect(value: unknown, into: Collected, depth: number): number {
  const { texts, model } = into;
  if (typeof value === 'string') {
    if (value.length <= longestWord || !base64.test(value.slice(0, longestWord))) texts.push(value);
    return 0;
  }
  if (typeof value !== 'object' || value === null || depth === 0) return 0;
  if (isTextSource(value)) {
    texts.push(value.data);
    return 0;
  }
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + collect(item, into, depth - 1), 0);
  if (isFilePart(value as JsonObject)) return fileTokens;
  let tokens = 0;
  for (const [key, member] of Object.entries(value)) {
    const held = isTextSource(member) ? undefined : mediaTokens(key, member, value as JsonObject, model);
    if (held !== undefined) tokens += held;
    else if (key === 'tool_calls') texts.push(JSON.stringify(member));
    else if (!silent.has(key)) tokens += collect(member, into, depth - 1);
  }
  return tokens;
}

/** A document that is given as plain text. */
function isTextSource(value: unknown): value is { readonly data: string } {
  if (typeof value !== 'object' || value === null) return false;
  const { type, data } = value as JsonObject;
  return type === 'text' && typeof data === 'string';
}
