import { type chat, type EditPlan, findMember, type JsonScan, type Member, parseObject } from '@tollgate/wire';
import type { RouteChannel } from '../routing/index.ts';
import { elementsOf } from './json-elements.ts';

/** Instructions of the operator's for every call of a channel. */
export interface SystemPrompt {
  readonly text: string;
  /** They stand instead of the caller's, not before them. */
  readonly isInstead: boolean;
}

export function systemPromptOf({ systemPrompt, systemPromptOverride }: RouteChannel['setting']): SystemPrompt | undefined {
  return systemPrompt === '' ? undefined : { text: systemPrompt, isInstead: systemPromptOverride };
}

/** The request with the instructions, for an upstream of another dialect. */
export function withSystemPrompt(request: chat.ChatRequest, prompt: SystemPrompt | undefined): chat.ChatRequest {
  if (prompt === undefined) return request;
  const own = { kind: 'text', text: prompt.text } as const;
  if (!prompt.isInstead) return { ...request, system: [own, ...request.system] };
  return { ...request, system: [own], messages: request.messages.filter(({ role }) => role !== 'system') };
}

interface Place {
  readonly bytes: Buffer;
  readonly prompt: SystemPrompt;
  member(name: string): Member | undefined;
}

type Edit = readonly [key: string, raw: string];

/** How each dialect is told instructions. One that only goes on with a text has no place for them. */
const writers: Readonly<Record<string, (place: Place) => readonly Edit[]>> = {
  'openai-chat': (place) => [['messages', chatMessages(place)]],
  'openai-responses': (place) => [['instructions', joined(place, 'instructions')], ...withoutInstructors(place, 'input')],
  'anthropic-messages': (place) => [['system', blocks(place)], ...withoutInstructors(place, 'messages')],
  'gemini-generate': (place) => [content(place)],
};

/** The edits that put the instructions into a request that is passed on; all bytes around them stay. */
export function systemPromptEdits(protocol: string, bytes: Buffer, scan: JsonScan, prompt: SystemPrompt): EditPlan {
  const member = (name: string) => findMember(scan, name);
  return new Map(writers[protocol]?.({ bytes, prompt, member }) ?? []);
}

const instructors: ReadonlySet<unknown> = new Set(['system', 'developer']);

function isInstructor(raw: string): boolean {
  return instructors.has(parseObject(raw)?.role);
}

/** Some upstreams want one message of instructions, the first: two become one. */
function chatMessages({ bytes, prompt, member }: Place): string {
  const elements = elementsOf(bytes, member('messages'));
  const [first = '', ...others] = elements;
  const own = JSON.stringify({ role: 'system', content: prompt.text });
  if (prompt.isInstead) return list([own, ...elements.filter((raw) => !isInstructor(raw))]);
  const message = isInstructor(first) ? parseObject(first) : undefined;
  if (message === undefined) return list([own, ...elements]);
  return list([JSON.stringify({ ...message, content: before(prompt.text, message.content) }), ...others]);
}

function before(text: string, content: unknown): unknown {
  if (Array.isArray(content)) return [{ type: 'text', text }, ...(content as unknown[])];
  return paragraphs(text, content);
}

/** A member of plain text. */
function joined({ bytes, prompt, member }: Place, name: string): string {
  const own = member(name);
  const said = own?.kind === 'string' && !prompt.isInstead ? parsedText(rawOf(bytes, own)) : '';
  return JSON.stringify(paragraphs(prompt.text, said));
}

/** Where the operator's instructions stand instead, those within the conversation go, too. */
function withoutInstructors({ bytes, prompt, member }: Place, name: string): Edit[] {
  const found = member(name);
  if (!prompt.isInstead || found?.kind !== 'array') return [];
  const elements = elementsOf(bytes, found);
  const kept = elements.filter((raw) => !isInstructor(raw));
  return kept.length === elements.length ? [] : [[name, list(kept)]];
}

/** `system` of the messages dialect: a text or a list of blocks. */
function blocks(place: Place): string {
  const { bytes, prompt, member } = place;
  const own = member('system');
  if (own?.kind !== 'array' || prompt.isInstead) return joined(place, 'system');
  return list([JSON.stringify({ type: 'text', text: prompt.text }), ...elementsOf(bytes, own)]);
}

/** `systemInstruction`: a content with parts, in either spelling. */
function content({ bytes, prompt, member }: Place): Edit {
  const own = member('systemInstruction') ?? member('system_instruction');
  const said = own?.kind === 'object' && !prompt.isInstead ? parseObject(rawOf(bytes, own)) : undefined;
  const parts = Array.isArray(said?.parts) ? (said.parts as unknown[]) : said?.parts === undefined ? [] : [said.parts];
  return [own?.key ?? 'systemInstruction', JSON.stringify({ ...said, parts: [{ text: prompt.text }, ...parts] })];
}

function paragraphs(text: string, said: unknown): string {
  return typeof said === 'string' && said !== '' ? `${text}\n\n${said}` : text;
}

function list(raws: readonly string[]): string {
  return `[${raws.join(',')}]`;
}

function rawOf(bytes: Buffer, { valueStart, valueEnd }: Member): string {
  return bytes.toString('utf8', valueStart, valueEnd);
}

function parsedText(raw: string): string {
  try {
    return String(JSON.parse(raw));
  } catch {
    return '';
  }
}
