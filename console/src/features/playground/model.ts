import { conversationPlace } from '../../api/forget.ts';
import { ownModelsQuery } from '../../api/self.ts';
import { json_fault, play_tools_fault } from '../../i18n/generated/messages.ts';
import { isRecord, parseJson } from '../../lib/json.ts';
import { findJsonFault } from '../../lib/json-fault.ts';
import { readJson, writeJson, writeText } from '../../lib/storage.ts';

/** What is asked of every answer. */
export interface Setup {
  /** One to three, answered side by side. */
  models: readonly string[];
  /** "" = the own one. */
  group: string;
  /** Undefined = never touched: sent as 0, as the API's callers know it. */
  temperature: number | undefined;
  /** 0 = the model's own limit. */
  maxTokens: number;
  system: string;
  /** JSON text of an array; "" = none. */
  tools: string;
}

export type AnswerState = 'loading' | 'incomplete' | 'complete' | 'stopped' | 'error';

export interface ToolCall {
  name: string;
  arguments: string;
}

/** One model's answer. */
export interface Answer {
  model: string;
  state: AnswerState;
  text: string;
  reasoning: string;
  toolCalls: readonly ToolCall[];
  error: string;
  requestId: string;
  promptTokens: number;
  completionTokens: number;
  /** Until the first text, and until the end. */
  firstMs: number;
  totalMs: number;
}

/** What a person said, and what the models said to it. */
export interface Turn {
  id: string;
  text: string;
  /** data: addresses. */
  images: readonly string[];
  answers: readonly Answer[];
}

export const mostModels = 3;
export const mostImages = 4;
export const mostImageBytes = 4_000_000;
/** Of all pictures in one call, as they are sent: the server takes bodies of 16 MB unless it is told otherwise. */
const mostImageChars = 10_000_000;
const keptTurns = 50;
const keptChars = 400_000;
/** Where everybody's conversation was: nobody can say whose it is. */
const formerPlace = 'playground';

export const newSetup: Setup = { models: [], group: '', temperature: undefined, maxTokens: 0, system: '', tools: '' };
export const preferredModel = 'gpt-4o-mini';

/** Own models that can be talked to: drawings and songs are ordered elsewhere. */
export const chatModelsQuery = {
  ...ownModelsQuery,
  select: (models: string[]) => models.filter((model) => !/^(mj_|suno_|swap_face$)/.test(model)),
};

export function emptyAnswer(model: string): Answer {
  return {
    ...{ model, state: 'loading', text: '', reasoning: '', toolCalls: [], error: '', requestId: '' },
    ...{ promptTokens: 0, completionTokens: 0, firstMs: 0, totalMs: 0 },
  };
}

export const isBusy = (turns: readonly Turn[]): boolean =>
  turns.some(({ answers }) => answers.some(({ state }) => state === 'loading' || state === 'incomplete'));

/** The tools as they are sent; undefined = none. */
export function readTools(text: string): unknown[] | undefined {
  const value = parseJson(text);
  return Array.isArray(value) && value.length > 0 ? value : undefined;
}

/** Why the text is no list of tools; "" when it is one, or empty. */
export function toolsFault(text: string): string {
  const fault = text.trim() === '' ? undefined : findJsonFault(text);
  if (fault) return json_fault({ line: fault.line, column: fault.column });
  return text.trim() === '' || Array.isArray(parseJson(text)) ? '' : play_tools_fault();
}

/** How the pictures that every dialect takes begin, in base64. */
const beginnings = { png: /^iVBORw0KGgo/, jpeg: /^\/9j\//, gif: /^R0lGOD/, webp: /^UklGR.{7}RUJQ/ };
const kinds = Object.keys(beginnings) as (keyof typeof beginnings)[];
export const pictureTypes = kinds.map((kind) => `image/${kind}`).join();

/** A file's data: address under the type that it has, whatever its name says; "" = no picture. */
export function pictureOf(address: string): string {
  const body = address.slice(address.indexOf(',') + 1);
  const kind = kinds.find((name) => beginnings[name].test(body));
  return kind ? `data:image/${kind};base64,${body}` : '';
}

const charsOf = (images: readonly string[]): number => images.reduce((sum, { length }) => sum + length, 0);
export const fitTogether = (images: readonly string[]): boolean => charsOf(images) <= mostImageChars;

/** The turns whose pictures go along with the last one: the newest ones, as many as one call carries. */
export function turnsWithPictures<T extends Pick<Turn, 'images'>>(turns: readonly T[]): ReadonlySet<T> {
  const kept = new Set<T>();
  let chars = 0;
  for (const turn of turns.toReversed()) {
    chars += charsOf(turn.images);
    if (chars > mostImageChars) break;
    kept.add(turn);
  }
  return kept;
}

const contentOf = ({ text, images }: Pick<Turn, 'text' | 'images'>, withPictures: boolean): unknown =>
  images.length === 0 || !withPictures
    ? text
    : [{ type: 'text', text }, ...images.map((url) => ({ type: 'image_url', image_url: { url } }))];

/** What this model is told of one turn: its own answer, else that of the first model that gave one. */
function answerFor({ answers }: Turn, model: string): string {
  const given = answers.filter(({ text }) => text);
  return (given.find((answer) => answer.model === model) ?? given[0])?.text ?? '';
}

/** The messages of a call: everything before, and what is asked now. Pictures of long ago are left out. */
export function messagesOf({ system }: Setup, before: readonly Turn[], asked: Pick<Turn, 'text' | 'images'>, model: string) {
  const pictured = turnsWithPictures([...before, asked]);
  const told = before.flatMap((turn) => {
    const text = answerFor(turn, model);
    const question = { role: 'user', content: contentOf(turn, pictured.has(turn)) };
    return text === '' ? [question] : [question, { role: 'assistant', content: text }];
  });
  const instructions = system.trim() === '' ? [] : [{ role: 'system', content: system }];
  return [...instructions, ...told, { role: 'user', content: contentOf(asked, pictured.has(asked)) }];
}

/** The body of a call; `group` is the playground's own member. */
export function bodyOf(setup: Setup, messages: readonly unknown[], model: string): Record<string, unknown> {
  const tools = readTools(setup.tools);
  return {
    ...{ model, messages, stream: true, temperature: setup.temperature ?? 0, max_tokens: setup.maxTokens },
    stream_options: { include_usage: true },
    ...(tools === undefined ? {} : { tools }),
    ...(setup.group === '' ? {} : { group: setup.group }),
  };
}

interface Kept {
  setup: Setup;
  turns: Turn[];
}

const isKept = (value: unknown): value is Kept => isRecord(value) && isRecord(value.setup) && Array.isArray(value.turns);

/** The user's conversation in this browser. What was under way when it was left counts as stopped. */
export function load(userId: number): Kept {
  writeText(formerPlace, '');
  const kept = readJson(conversationPlace(userId), isKept);
  if (kept === undefined) return { setup: newSetup, turns: [] };
  const turns = kept.turns.map((turn) => ({
    ...turn,
    answers: turn.answers.map((answer) =>
      answer.state === 'loading' || answer.state === 'incomplete' ? { ...answer, state: 'stopped' as const } : answer,
    ),
  }));
  return { setup: { ...newSetup, ...kept.setup }, turns };
}

/** Pictures are not kept: they would fill the browser's storage. */
export function keep(userId: number, setup: Setup, turns: readonly Turn[]): void {
  const kept: Turn[] = [];
  let chars = 0;
  for (const turn of turns.slice(-keptTurns).reverse()) {
    const one = { ...turn, images: [] };
    chars += JSON.stringify(one).length;
    if (chars > keptChars) break;
    kept.unshift(one);
  }
  writeJson(conversationPlace(userId), { setup, turns: kept });
}
