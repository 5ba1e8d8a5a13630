import { Lexer, type Token } from 'marked';

/** A block of Markdown that is drawn by itself. Code stands apart: it has a frame of its own. */
export type Piece = { kind: 'prose'; source: string } | { kind: 'code'; source: string; language: string };

/** A text that grows, and what is known of it. Settled pieces keep their identity for ever. */
export interface Reading {
  readonly pieces: readonly Piece[];
  /** Addresses that links name: `[1]: https://...`. */
  readonly definitions: string;
  /** What will not change whatever follows: so much of the text, and what was made of it. */
  readonly settled: {
    readonly text: string;
    readonly pieces: readonly Piece[];
    readonly definitions: string;
    readonly open: number;
  };
}

/**
 * A line that has only begun may still join the block before it: `#` becomes a heading or goes on as `#5`, and `2` goes on
 * with a list as `2.`. So the last block is open, and the one before it.
 */
const openBlocks = 2;

const nothing: Reading['settled'] = { text: '', pieces: [], definitions: '', open: 0 };

/** Reads on: only what is not settled is parsed again, so a long answer costs what it is long, however often it grows. */
export function readOn(before: Reading | undefined, source: string): Reading {
  const text = source.includes('\r') ? source.replaceAll(/\r\n?/g, '\n') : source;
  const settled = before && text.startsWith(before.settled.text) ? before.settled : nothing;
  const tokens = new Lexer().blockTokens(text.slice(settled.text.length));
  const blocks = tokens.flatMap(({ type }, index) => (type === 'space' ? [] : [index]));
  const openAt = blocks.at(-openBlocks) ?? 0;
  const grown = withTokens(settled, tokens.slice(0, openAt));
  const whole = withTokens(grown, tokens.slice(openAt));
  return { pieces: whole.pieces, definitions: whole.definitions, settled: grown };
}

function withTokens(before: Reading['settled'], tokens: readonly Token[]): Reading['settled'] {
  if (tokens.length === 0) return before;
  const pieces = [...before.pieces];
  let { text, definitions, open } = before;
  for (const token of tokens) {
    text += token.raw;
    const last = pieces.at(-1);
    if (token.type === 'def') definitions += `\n${token.raw}`;
    else if (token.type === 'code') pieces.push({ kind: 'code', source: token.text, language: token.lang ?? '' });
    else if (open > 0 && last?.kind === 'prose') pieces[pieces.length - 1] = { kind: 'prose', source: last.source + token.raw };
    else if (token.type !== 'space') pieces.push({ kind: 'prose', source: token.raw });
    if (token.type === 'html') open = Math.max(0, open + openedBy(token.raw));
  }
  return { text, pieces, definitions, open };
}

const voids = /^(area|br|col|hr|img|input|link|meta|source|wbr)$/i;

/** How many elements this HTML leaves open: what follows stands inside of them. */
function openedBy(html: string): number {
  let open = 0;
  for (const [, slash, name = '', end] of html.matchAll(/<(\/?)([a-z][\w-]*)[^>]*?(\/?)>/gi))
    if (!voids.test(name) && end !== '/') open += slash === '/' ? -1 : 1;
  return open;
}
