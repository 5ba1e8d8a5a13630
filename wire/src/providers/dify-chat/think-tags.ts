/** A piece of an answer: what is said, or what was thought before. */
export interface Piece {
  readonly kind: 'text' | 'reasoning';
  readonly text: string;
}

/**
 * Tells thoughts from text in an answer that marks them inline, either `<think>...</think>` or a folded
 * `<details ...><summary>Thinking...</summary>...</details>`. However the text is cut, the pieces join to the same.
 */
export interface ThinkTags {
  push(text: string): Piece[];
  /** What was held back because it could have become a mark. */
  end(): Piece[];
}

const opening = /<think>|<details[^<>]{0,200}>\s{0,20}<summary>\s{0,20}Thinking[^<>]{0,20}<\/summary>/;
/** No opening mark is longer. */
const maxMarkChars = 300;
const closings = { think: '</think>', details: '</details>' } as const;

export function createThinkTags(): ThinkTags {
  let held = '';
  let inside: keyof typeof closings | undefined;

  const step = (isEnd: boolean): Piece[] => {
    const pieces: Piece[] = [];
    const give = (kind: Piece['kind'], text: string) => text !== '' && pieces.push({ kind, text });
    for (;;) {
      if (inside === undefined) {
        const mark = opening.exec(held);
        if (mark === null) {
          const from = isEnd ? held.length : firstCandidate(held);
          give('text', held.slice(0, from));
          held = held.slice(from);
          return pieces;
        }
        give('text', held.slice(0, mark.index));
        held = held.slice(mark.index + mark[0].length);
        inside = mark[0] === '<think>' ? 'think' : 'details';
      } else {
        const closing = closings[inside];
        const at = held.indexOf(closing);
        if (at < 0) {
          const from = isEnd ? held.length : held.length - overlap(held, closing);
          give('reasoning', held.slice(0, from));
          held = held.slice(from);
          return pieces;
        }
        give('reasoning', held.slice(0, at));
        held = held.slice(at + closing.length);
        inside = undefined;
      }
    }
  };

  return {
    push(text) {
      held += text;
      return step(false);
    },
    end: () => step(true),
  };
}

/** Where something begins that may still become an opening mark. */
function firstCandidate(text: string): number {
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at + 1)) {
    const rest = text.slice(at, at + maxMarkChars);
    if ('<think>'.startsWith(rest) || '<details'.startsWith(rest)) return at;
    if (rest.startsWith('<details') && rest.length < maxMarkChars && !rest.includes('</summary>')) return at;
  }
  return text.length;
}

/** How many of the last characters could be the start of `mark`. */
function overlap(text: string, mark: string): number {
  for (let size = Math.min(text.length, mark.length - 1); size > 0; size -= 1)
    if (text.endsWith(mark.slice(0, size))) return size;
  return 0;
}
