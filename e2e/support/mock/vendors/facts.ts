/** What a vendor understood of a request, in words that no vendor uses: tests compare it across dialects. */
export interface Facts {
  readonly model: string;
  readonly stream: boolean;
  /** The instructions, joined by line ends. */
  readonly system: string;
  readonly turns: readonly Turn[];
  readonly tools: readonly ToolFact[];
  readonly choice: 'auto' | 'none' | 'required' | { readonly name: string };
  readonly isParallel: boolean;
  readonly cap?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly seed?: number;
  readonly stop: readonly string[];
  /** Answers wanted, and alternatives shown beside each token. */
  readonly choices: number;
  readonly logprobs?: number;
  /** Undefined = the model's own way. */
  readonly thinking?: { readonly effort?: string; readonly budget?: number; readonly isShown: boolean };
  /** The schema of the answer; {} = any object. */
  readonly schema?: Readonly<Record<string, unknown>>;
  readonly user?: string;
  /** Marks of a prefix worth keeping, by their lifetime. */
  readonly marks: readonly ('5m' | '1h')[];
  readonly speaks: boolean;
  /** Asks to be told the usage, where that is a choice. */
  readonly wantsUsage: boolean;
}

export interface Turn {
  readonly role: 'user' | 'assistant';
  readonly pieces: readonly Piece[];
}

export type Piece =
  | { readonly text: string }
  /** `image`, `file`, `sound`: `TYPE NNNB` for inline bytes, else the address or id. */
  | { readonly image: string }
  | { readonly file: string }
  | { readonly sound: string }
  | { readonly call: string; readonly args: unknown; readonly id: string }
  | { readonly result: string; readonly id: string; readonly isError: boolean }
  | { readonly thought: string; readonly signature: string }
  | { readonly refusal: string };

export interface ToolFact {
  readonly name: string;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** What a vendor says a call used. `cached` and the writes are part of `prompt`, `reasoning` of `completion`. */
export interface Told {
  readonly prompt: number;
  readonly cached: number;
  readonly write5m: number;
  readonly write1h: number;
  readonly completion: number;
  readonly reasoning: number;
}

/** What the model says, before any dialect. */
export interface Reply {
  readonly thought: string;
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly args: unknown }[];
  readonly refusal: string;
  readonly finish: 'stop' | 'length' | 'calls' | 'refusal';
  readonly stopSequence: string | null;
  /** A stream fails after so many words. */
  readonly failsAfterWords: number | undefined;
  readonly told: Told;
}

export const wordsOf = (text: string): string[] => text.match(/\s*\S+/g) ?? [];

/** `TYPE NNNB` of base64 text. */
export function sizeText(mediaType: string, base64: string): string {
  return `${mediaType} ${Buffer.from(base64, 'base64').length}B`;
}

/** Turns of one role in a row are one turn: dialects differ in how they cut them. */
export function joinTurns(turns: readonly Turn[]): Turn[] {
  const joined: Turn[] = [];
  for (const turn of turns) {
    const last = joined.at(-1);
    if (last?.role === turn.role) joined[joined.length - 1] = { role: turn.role, pieces: [...last.pieces, ...turn.pieces] };
    else joined.push(turn);
  }
  return joined;
}

/** What the mock draws. */
export const picture = Buffer.from('a picture').toString('base64');
