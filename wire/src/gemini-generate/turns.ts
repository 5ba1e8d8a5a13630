import type { Part } from '../chat/parts.ts';
import type { Message } from '../chat/request.ts';
import { dialectName } from './types.ts';

/** All results of a turn belong into one message: upstreams count them against the calls before. */
export function joinResults(messages: readonly Message[]): Message[] {
  return joined(messages, isResults);
}

function isResults({ role, parts }: Message): boolean {
  return role === 'user' && parts.every((part: Part) => part.kind === 'tool-result');
}

/** The results of a turn stand before all else that is said in it: calls must be answered at once. */
export function resultsFirst(messages: readonly Message[]): Message[] {
  const out: Message[] = [];
  const said: Message[] = [];
  for (const message of messages) {
    if (!isAnswer(message) && !message.parts.some(({ kind }) => kind === 'tool-result')) {
      said.push(message);
      continue;
    }
    if (isAnswer(message)) for (const each of said.splice(0)) out.push(each);
    out.push(message);
  }
  for (const each of said) out.push(each);
  return out;
}

/** What the model said in a row is one turn: a call must follow the user or a result. */
export function joinAnswers(messages: readonly Message[]): Message[] {
  return joined(messages, isAnswer);
}

/** The same for clients that keep the chunks of a stream: texts that were cut into contents, and thoughts, become whole again. */
export function joinChunks(messages: readonly Message[]): Message[] {
  return joined(messages, isAnswer, sewn);
}

function isAnswer({ role }: Message): boolean {
  return role === 'assistant';
}

/** Makes one part of two neighbours; `isSeam`: they came in contents of their own. */
type Sew = (last: Part, next: Part, isSeam: boolean) => Part | undefined;

/** A signature ends a thought; text has none. One of this dialect that comes alone may be another part's. */
function sewn(last: Part, next: Part, isSeam: boolean): Part | undefined {
  // As the last chunk has it, behind whatever was said.
  if (next.kind === 'text' && next.text === '') return last;
  if (last.kind === 'text' && next.kind === 'text') return isSeam ? { ...last, text: last.text + next.text } : undefined;
  if (last.kind !== 'reasoning' || next.kind !== 'reasoning' || last.signature !== undefined) return undefined;
  if (last.redacted !== undefined || next.redacted !== undefined) return undefined;
  return next.text === '' && next.dialect === dialectName ? undefined : { ...next, text: last.text + next.text };
}

/** Joins neighbours that `belongs` holds for. */
function joined(messages: readonly Message[], belongs: (message: Message) => boolean, sew: Sew = () => undefined): Message[] {
  const out: Message[] = [];
  let open: Part[] | undefined;
  for (const message of messages) {
    if (!belongs(message)) {
      open = undefined;
      out.push(message);
      continue;
    }
    if (open === undefined) {
      open = [];
      out.push({ ...message, parts: open });
    }
    append(open, message.parts, sew);
  }
  return out;
}

function append(open: Part[], parts: readonly Part[], sew: Sew): void {
  for (const [index, part] of parts.entries()) {
    const last = open.at(-1);
    const seam = last === undefined ? undefined : sew(last, part, index === 0);
    if (seam === undefined) open.push(part);
    else open[open.length - 1] = seam;
  }
}
