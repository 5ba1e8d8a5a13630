import type { AnswerContext } from '../chat/dialect.ts';
import type { PartHead } from '../chat/response.ts';
import type { JsonObject } from '../json.ts';
import { onOneLine } from '../sse.ts';
import { answerId } from './encode-response.ts';

/** What was written of one choice. */
export interface ChoiceState {
  readonly index: number;
  /** The open part. */
  head: PartHead | undefined;
  isTold: boolean;
  calls: number;
  refusal: boolean;
  isFinished: boolean;
  details: number;
  /** Length of its text so far, and where the open text began. */
  chars: number;
  textFrom: number;
  /** Of the texts so far, as annotations that wait for the end of the last. */
  readonly sources: JsonObject[];
}

/** Spells chunks and keeps them until they are taken. */
export interface ChunkWriter {
  readonly choices: ReadonlyMap<number, ChoiceState>;
  choiceOf(index: number): ChoiceState;
  /** One chunk of one choice: its delta, logprobs and finish reason as JSON. The first one tells who speaks. */
  chunk(state: ChoiceState, delta: string, logprobs?: string, finish?: string): void;
  /** The chunk without choices that tells the usage. */
  usage(usage: JsonObject): void;
  /** Members that every further chunk repeats. Gives the names of those for which there is no room. */
  repeat(fields: JsonObject): readonly string[];
  /** All since the last time. */
  take(): string;
}

/** What upstreams may add to all chunks, in characters; sources of a search take some thousand. */
const maxRepeatedChars = 256 * 1024;

/** A writer for one stream. */
export function createChunkWriter(context: AnswerContext): ChunkWriter {
  const { created, model } = context;
  const choices = new Map<number, ChoiceState>();
  const fields = new Map<string, unknown>(
    Object.entries({ id: answerId(context), object: 'chat.completion.chunk', created, model }),
  );
  const repeated = new Map<string, number>();
  let repeatedChars = 0;
  let head: string | undefined;
  let pieces = '';
  const repeat = (key: string, value: unknown): boolean => {
    repeatedChars -= repeated.get(key) ?? 0;
    const chars = JSON.stringify([key, value]).length;
    if (repeatedChars + chars > maxRepeatedChars) {
      repeated.delete(key);
      fields.delete(key);
      return false;
    }
    repeatedChars += chars;
    repeated.set(key, chars);
    fields.set(key, value);
    return true;
  };
  return {
    choices,
    choiceOf(index) {
      const known = choices.get(index);
      if (known !== undefined) return known;
      const fresh = newChoice(index);
      choices.set(index, fresh);
      return fresh;
    },
    chunk(state, delta, logprobs = 'null', finish = 'null') {
      const told = state.isTold ? delta : withRole(delta);
      state.isTold = true;
      head ??= spellHead(fields);
      pieces += `${head}{"index":${state.index},"delta":${told},"logprobs":${logprobs},"finish_reason":${finish}}]}\n\n`;
    },
    usage(usage) {
      head ??= spellHead(fields);
      pieces += `${head}],"usage":${JSON.stringify(usage)}}\n\n`;
    },
    repeat(more) {
      head = undefined;
      return Object.entries(more).flatMap(([key, value]) => (repeat(key, value) ? [] : [key]));
    },
    take() {
      const taken = onOneLine(pieces);
      pieces = '';
      return taken;
    },
  };
}

/** All bytes of a chunk before its choices: what costs most is spelled once. */
function spellHead(fields: ReadonlyMap<string, unknown>): string {
  return `data: ${JSON.stringify(Object.fromEntries(fields)).slice(0, -1)},"choices":[`;
}

function newChoice(index: number): ChoiceState {
  return {
    index,
    head: undefined,
    isTold: false,
    calls: 0,
    refusal: false,
    isFinished: false,
    details: 0,
    chars: 0,
    textFrom: 0,
    sources: [],
  };
}

function withRole(delta: string): string {
  const content = delta.startsWith('{"content"') ? '' : ',"content":null';
  return `{"role":"assistant"${content}${delta === '{}' ? '}' : `,${delta.slice(1)}`}`;
}
