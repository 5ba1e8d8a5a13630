import { defined, type JsonObject } from '../json.ts';
import { mergeUsage, type TokenUsage } from '../usage.ts';
import type { Extra, Part } from './parts.ts';
import type { Answer, ChatEvent, ChatResponse, Finish, PartHead, PartTail, Served } from './response.ts';

interface OpenAnswer {
  readonly parts: Part[];
  readonly open: Map<number, { readonly head: PartHead; text: string }>;
  readonly logprobs: JsonObject[];
  finish: Finish | undefined;
}

/** Folds the events of a stream into the answer that the same call would have had without streaming. */
export function foldEvents(events: Iterable<ChatEvent>): ChatResponse {
  const answers = new Map<number, OpenAnswer>();
  let start: Extract<ChatEvent, { kind: 'start' }> | undefined;
  let usage: TokenUsage | undefined;
  let extra: OpenExtra | undefined;
  let served: Served | undefined;
  const answerOf = (choice: number): OpenAnswer => {
    const known = answers.get(choice);
    if (known !== undefined) return known;
    const fresh: OpenAnswer = { parts: [], open: new Map(), logprobs: [], finish: undefined };
    answers.set(choice, fresh);
    return fresh;
  };
  for (const event of events) {
    if (event.kind === 'start') start ??= event;
    else if (event.kind === 'usage') usage = event.partial === true ? usage : mergeUsage(usage, event.usage);
    else if (event.kind === 'extra') {
      extra ??= { dialect: '', fields: new Map(), hints: undefined };
      addExtra(extra, event.extra);
      served = servedBy(event, served);
    } else if (event.kind === 'uses') served = servedBy(event, served);
    else if ('choice' in event) foldInto(answerOf(event.choice), event);
  }
  return {
    id: start?.id ?? '',
    model: start?.model ?? '',
    ...(start?.created === undefined ? {} : { created: start.created }),
    answers: [...answers].sort(([a], [b]) => a - b).map(([, answer]) => closed(answer)),
    ...(usage === undefined ? {} : { usage }),
    ...served,
    ...extraOf(extra),
  };
}

/** What is told of it, on top of what was told before; undefined = nothing yet. */
export function servedBy({ serviceTier, speed, inferenceGeo, uses, cutByLength }: Served, before?: Served): Served | undefined {
  const told = { serviceTier, speed, inferenceGeo, uses, cutByLength };
  const isTold = Object.values(told).some((each) => each !== undefined);
  return isTold ? { ...before, ...defined<Served>(told) } : before;
}

/** What a stream has told of it so far. */
interface OpenExtra {
  dialect: string;
  readonly fields: Map<string, unknown>;
  hints: Map<string, unknown> | undefined;
}

function addExtra(known: OpenExtra, { dialect, fields, hints }: Extra): void {
  known.dialect = dialect;
  for (const [key, value] of Object.entries(fields)) known.fields.set(key, value);
  if (hints === undefined) return;
  known.hints ??= new Map();
  for (const [key, value] of Object.entries(hints)) known.hints.set(key, value);
}

function extraOf(known: OpenExtra | undefined): Pick<ChatResponse, 'extra'> {
  if (known === undefined || known.fields.size + (known.hints?.size ?? 0) === 0) return {};
  const { dialect, fields, hints } = known;
  const own = { dialect, fields: Object.fromEntries(fields) };
  return { extra: hints === undefined ? own : { ...own, hints: Object.fromEntries(hints) } };
}

function foldInto(answer: OpenAnswer, event: Extract<ChatEvent, { choice: number }>): void {
  if (event.kind === 'part-start') answer.open.set(event.part, { head: event.head, text: '' });
  else if (event.kind === 'delta') {
    const part = answer.open.get(event.part);
    if (part !== undefined) part.text += event.text;
  } else if (event.kind === 'part-end') {
    const part = answer.open.get(event.part);
    answer.open.delete(event.part);
    if (part !== undefined) answer.parts.push(partOf(part.head, part.text, event.tail ?? {}));
  } else if (event.kind === 'whole') answer.parts.push(event.value);
  else if (event.kind === 'logprobs') for (const entry of event.entries) answer.logprobs.push(entry);
  else answer.finish = event.finish;
}

function closed({ parts, open, logprobs, finish }: OpenAnswer): Answer {
  for (const { head, text } of open.values()) parts.push(partOf(head, text, {}));
  return { parts, ...(finish === undefined ? {} : { finish }), ...(logprobs.length === 0 ? {} : { logprobs }) };
}

/** The part that a head, its deltas and its tail come to. */
export function partOf(head: PartHead, text: string, { signature, dialect, citations, transcript }: PartTail): Part {
  const signed = signature === undefined ? {} : { signature };
  switch (head.kind) {
    case 'text':
      return {
        kind: 'text',
        text,
        ...(citations === undefined ? {} : { citations }),
        ...(head.phase === undefined ? {} : { phase: head.phase }),
      };
    case 'refusal':
      return { kind: 'refusal', text };
    case 'reasoning':
      return {
        kind: 'reasoning',
        text,
        ...signed,
        ...(head.id === undefined ? {} : { id: head.id }),
        dialect: dialect ?? head.dialect,
      };
    case 'tool-call':
      return {
        kind: 'tool-call',
        id: head.id,
        name: head.name,
        arguments: text,
        ...signed,
        ...(dialect === undefined ? {} : { dialect }),
        ...(head.extra === undefined ? {} : { extra: head.extra }),
      };
    case 'audio':
      return {
        kind: 'audio',
        base64: text,
        format: head.format ?? '',
        ...(head.id === undefined ? {} : { id: head.id }),
        ...(transcript === undefined ? {} : { transcript }),
      };
  }
}
