import type { Part } from '../chat/parts.ts';
import type { ChatRequest, Message } from '../chat/request.ts';
import { lostWord } from './losses.ts';

/** A message of a dialect that knows nothing but text. */
export interface Turn {
  readonly role: Message['role'];
  readonly text: string;
}

/** The instructions as one text; "" = none. */
export function systemText({ system }: ChatRequest): string {
  return system.map(({ text }) => text).join('\n');
}

/** The conversation in text. What is no text goes into `losses`, except refusals, which are; results keep their text. */
export function textTurns({ messages }: Pick<ChatRequest, 'messages'>, losses: Set<string>): Turn[] {
  return messages
    .map(({ role, parts }) => ({ role, text: partsText(parts, losses) }))
    .filter(({ text }, index) => text !== '' || index === messages.length - 1);
}

/** What a part says in words; undefined for one that is more than words. */
export function plainText(part: Part): string | undefined {
  return part.kind === 'text' || part.kind === 'refusal' || part.kind === 'foreign' ? part.text : undefined;
}

/** The text of parts, joined by line breaks. */
export function partsText(parts: readonly Part[], losses: Set<string>): string {
  const texts: string[] = [];
  for (const part of parts) {
    const text = plainText(part);
    if (text !== undefined) texts.push(text);
    else {
      losses.add(lostWord(part));
      if (part.kind === 'tool-result') texts.push(partsText(part.content, losses));
    }
  }
  return texts.join('\n');
}

/** Joins neighbours of one role, for upstreams that insist on turns. */
export function alternating(turns: readonly Turn[]): Turn[] {
  const joined: Turn[] = [];
  for (const turn of turns) {
    const last = joined.at(-1);
    if (last?.role !== turn.role) joined.push(turn);
    else joined[joined.length - 1] = { role: turn.role, text: `${last.text}\n${turn.text}` };
  }
  return joined;
}

const markers = { system: 'SYSTEM', user: 'USER', assistant: 'ASSISTANT' } as const;

/** The whole conversation as one text: a single question as it is, several messages each under its role. */
export function flattened(request: ChatRequest, losses: Set<string>): string {
  const system = systemText(request);
  const turns = textTurns(request, losses);
  const [only] = turns;
  if (system === '' && turns.length === 1 && only !== undefined) return only.text;
  const all: Turn[] = system === '' ? turns : [{ role: 'system', text: system }, ...turns];
  return all.map(({ role, text }) => `${markers[role]}:\n${text}`).join('\n\n');
}
