import type { Part } from '../chat/parts.ts';
import type { Message } from '../chat/request.ts';

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

/** The same for clients that keep each chunk of a stream as a content of its own: cut texts become whole again. */
export function joinChunks(messages: readonly Message[]): Message[] {
  return joined(messages, isAnswer, sewn);
}

function isAnswer({ role }: Message): boolean {
  return role === 'assistant';
}

/** A signature ends a thought; text has none. */
function sewn(last: Part, next: Part): Part | undefined {
  if (last.kind === 'text' && next.kind === 'text') return { ...last, text: last.text + next.text };
  if (last.kind !== 'reasoning' || next.kind !== 'reasoning' || last.signature !== undefined) return undefined;
  return next.text === '' ? undefined : { ...next, text: last.text + next.text };
}

/** Joins neighbours that `belongs` holds for; `sew` may make one part of the two that meet. */
function joined(
  messages: readonly Message[],
  belongs: (message: Message) => boolean,
  sew: (last: Part, next: Part) => Part | undefined = () => undefined,
): Message[] {
  const out: Message[] = [];
  let open: Part[] | undefined;
  for (const message of messages) {
    if (!belongs(message)) {
      open = undefined;
      out.push(message);
      continue;
    }
    if (open === undefined) {
      open = [...message.parts];
      out.push({ ...message, parts: open });
    } else append(open, message.parts, sew);
  }
  return out;
}

function append(open: Part[], parts: readonly Part[], sew: (last: Part, next: Part) => Part | undefined): void {
  for (const [index, part] of parts.entries()) {
    const last = index === 0 ? open.at(-1) : undefined;
    const seam = last === undefined ? undefined : sew(last, part);
    if (seam === undefined) open.push(part);
    else open[open.length - 1] = seam;
  }
}
