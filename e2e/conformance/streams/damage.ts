import { eventPieces, type StreamPiece } from '../../support/mock/vendors/vendor.ts';
import type { Column } from '../world.ts';
import { isWord, piecesOf } from './dialects.ts';
import type { RawAnswer } from './raw-upstream.ts';

/** What a case's answer is, and what must become of it. */
export interface Damage {
  readonly name: string;
  answer(column: Column): RawAnswer;
  /** `whole`: the text arrives and the upstream's figures are charged; `cut`: an error ends it, what came is charged. */
  readonly becomes: 'whole' | 'cut' | 'refused';
  readonly text?: string;
  /** Whole by its figures alone. */
  readonly isUnended?: boolean;
}

export const wideText = 'one \u00e9t\u00e9 \u4f60\u597d \ud83d\ude80 \u2028 end';
const tinyText = Array.from({ length: 10_000 }, (_, k) => ` w${k}`)
  .join('')
  .trimStart();
/** With what is around it, the longest line that needs no room of its own. */
const bigWord = 'x'.repeat(4 * 1024 * 1024 - 4096);
/** The longest line that is read has 16 MiB. */
const tooBigWord = 'x'.repeat(17 * 1024 * 1024);

export function bytesOf(pieces: readonly StreamPiece[], eol?: 'crlf' | 'cr'): Buffer {
  return Buffer.concat(eventPieces(pieces, { eol }));
}

function oneByOne(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, k) => bytes.subarray(k * size, (k + 1) * size));
}

/** The pieces up to the words, the words, and what follows them. */
export function split(column: Column, text: string) {
  const pieces = piecesOf(column, text);
  const first = pieces.findIndex((piece) => isWord(column, piece));
  const last = pieces.findLastIndex((piece) => isWord(column, piece));
  return { head: pieces.slice(0, first), words: pieces.slice(first, last + 1), tail: pieces.slice(last + 1) };
}

/** The events that carry figures, the ones before and the ones behind. */
export function aroundUsage(column: Column, text = wideText) {
  const pieces = piecesOf(column, text);
  const at = pieces.findLastIndex(({ data }) => /"(usage|usageMetadata)":\{/.test(JSON.stringify(data)));
  return { before: pieces.slice(0, at), usage: pieces.slice(at, at + 1), after: pieces.slice(at + 1) };
}

const whole = (name: string, answer: Damage['answer'], text = wideText): Damage => ({ name, answer, becomes: 'whole', text });

export const legal: readonly Damage[] = [
  whole('lines that end in CR LF', (column) => ({ writes: [bytesOf(piecesOf(column, wideText), 'crlf')] })),
  whole('lines that end in CR', (column) => ({ writes: [bytesOf(piecesOf(column, wideText), 'cr')] })),
  whole('a byte order mark', (column) => ({ writes: [Buffer.from('\uFEFF'), bytesOf(piecesOf(column, wideText))] })),
  whole('cuts inside of characters and lines', (column) => ({ writes: oneByOne(bytesOf(piecesOf(column, wideText)), 7) })),
  whole('comments and unknown fields', (column) => {
    const events = eventPieces(piecesOf(column, wideText), {});
    return { writes: events.map((event) => Buffer.concat([Buffer.from(': ping\n\nretry: 10\nid: 7\n'), event])) };
  }),
  whole('fields without the space behind their colon', (column) => {
    const bytes = bytesOf(piecesOf(column, wideText)).toString('utf8');
    return { writes: [Buffer.from(bytes.replaceAll(/^(data|event): /gm, '$1:'))] };
  }),
  whole('line ends of every kind, mixed', (column) => {
    const kinds = ['crlf', undefined, 'cr'] as const;
    return { writes: piecesOf(column, wideText).map((piece, k) => bytesOf([piece], kinds[k % kinds.length])) };
  }),
  whole('events of unknown names', (column) => {
    const { head, words, tail } = split(column, wideText);
    const odd = Buffer.from('event: surprise\ndata: {"type":"surprise"}\n\n');
    return { writes: [bytesOf(head), odd, bytesOf([...words, ...tail])] };
  }),
  whole('two objects in one event, which is skipped', (column) => {
    const { head, words, tail } = split(column, wideText);
    return { writes: [bytesOf(head), Buffer.from('data: {"a":1}{"b":2}\n\n'), bytesOf([...words, ...tail])] };
  }),
  whole('the end, told twice', (column) => {
    const pieces = piecesOf(column, wideText);
    return { writes: [bytesOf(pieces), bytesOf(column === 'gemini-generate' ? [] : pieces.slice(-1))] };
  }),
  whole('10,000 tiny events in one write', (column) => ({ writes: [bytesOf(piecesOf(column, tinyText))] }), tinyText),
  whole('one line of four megabytes', (column) => ({ writes: [bytesOf(piecesOf(column, bigWord))] }), bigWord),
  whole('figures that are told twice', (column) => {
    const { before, usage, after } = aroundUsage(column);
    return { writes: [bytesOf([...before, ...usage, ...(column === 'openai-responses' ? [] : usage), ...after])] };
  }),
  whole('events that are no JSON, up to three', (column) => {
    const { head, words, tail } = split(column, wideText);
    const broken = Buffer.from('data: {"a":\n\n');
    return { writes: [bytesOf(head), broken, broken, bytesOf(words), broken, bytesOf(tail)] };
  }),
  whole('events of wrong types, lone surrogates, zero bytes', (column) => {
    const { head, words, tail } = split(column, wideText);
    const odd = ['{"choices":null,"candidates":5,"type":7,"delta":5,"response":[]}', '[]', '{"a":"\\ud800\\u0000"}'];
    return { writes: [bytesOf(head), bytesOf(odd.map((data) => ({ data }))), bytesOf([...words, ...tail])] };
  }),
  whole('another id and another model in every event', (column) => {
    let count = 0;
    const other = (value: unknown): unknown =>
      JSON.parse(
        JSON.stringify(value).replaceAll(
          /"(id|model|modelVersion|responseId)":"(?!msg_|rs_|fc_)[^"]*"/g,
          (_, name) => `"${name}":"x${count++}"`,
        ),
      );
    return {
      writes: [
        bytesOf(
          piecesOf(column, wideText).map((piece) =>
            typeof piece.data === 'object' ? { ...piece, data: other(piece.data) } : piece,
          ),
        ),
      ],
    };
  }),
  whole('something after the end', (column) => ({
    writes: [bytesOf(piecesOf(column, wideText)), bytesOf(column === 'gemini-generate' ? [] : split(column, ' more').words)],
  })),
  {
    ...whole('no terminator after the figures', (column) => {
      const pieces = piecesOf(column, wideText);
      const isTerminator = column === 'openai-chat' || column === 'anthropic-messages';
      return { writes: [bytesOf(isTerminator ? pieces.slice(0, -1) : pieces)] };
    }),
    isUnended: true,
  },
];

const cut = (name: string, answer: Damage['answer']): Damage => ({ name, answer, becomes: 'cut' });
const beginning = (column: Column) => {
  const { head, words } = split(column, wideText);
  return bytesOf([...head, ...words.slice(0, 3)]);
};

export const broken: readonly Damage[] = [
  cut('the connection ends in the middle', (column) => ({ writes: [beginning(column)], end: 'fin' })),
  cut('the connection is reset in the middle', (column) => ({ writes: [beginning(column)], end: 'rst' })),
  cut('the body ends in the middle, as if it were complete', (column) => ({ writes: [beginning(column)] })),
  cut('the body ends inside of an event', (column) => {
    const { head, words } = split(column, wideText);
    const bytes = bytesOf([...head, ...words]);
    return { writes: [bytes.subarray(0, bytes.length - 9)] };
  }),
  cut('many events that are no JSON', (column) => {
    const { head, words, tail } = split(column, wideText);
    const junk = Buffer.from('data: {"a":\n\n'.repeat(8));
    return { writes: [bytesOf([...head, ...words.slice(0, 3)]), junk, bytesOf(tail)] };
  }),
  cut('a line of more than sixteen megabytes', (column) => {
    const { head, words } = split(column, wideText);
    const { words: big, tail } = split(column, tooBigWord);
    return { writes: [bytesOf([...head, ...words.slice(0, 3)]), bytesOf([...big, ...tail])] };
  }),
];

const json = { 'content-type': 'application/json' };
const refused = (name: string, answer: RawAnswer): Damage => ({ name, answer: () => answer, becomes: 'refused' });

/** Successes that are none. */
export const lies: readonly Damage[] = [
  refused('an error as JSON', {
    headers: json,
    writes: [Buffer.from('{"error":{"message":"no credit","type":"x","code":"y"}}')],
  }),
  refused('an error as the first event', { writes: [Buffer.from('data: {"error":{"message":"no","type":"x","code":"y"}}\n\n')] }),
  refused('a page', { headers: { 'content-type': 'text/html' }, writes: [Buffer.from('<html><title>Log in</title></html>')] }),
  refused('an object that is no answer', { headers: json, writes: [Buffer.from('{"hello":1}')] }),
  refused('null', { headers: json, writes: [Buffer.from('null')] }),
  refused('a list', { headers: json, writes: [Buffer.from('[]')] }),
  refused('a text', { headers: { 'content-type': 'text/plain' }, writes: [Buffer.from('rate limited')] }),
  refused('an envelope that says no', { headers: json, writes: [Buffer.from('{"success":false,"message":"bad"}')] }),
  {
    ...refused('events without a blank line between them', { writes: [] }),
    answer: (column) => ({
      writes: [Buffer.from(bytesOf(piecesOf(column, wideText)).toString('utf8').replaceAll('\n\n', '\n'))],
    }),
  },
];

/** Successes in which nothing is said (ledger, "What is charged"): the upstream read the prompt. */
export const empties: readonly { readonly name: string; readonly answer: RawAnswer }[] = [
  { name: 'no bytes, as a stream', answer: { writes: [] } },
  { name: 'no bytes, as JSON', answer: { headers: json, writes: [] } },
  { name: 'no bytes of no type', answer: { headers: {}, writes: [] } },
  { name: 'comments only', answer: { writes: [Buffer.from(': ping\n\n: ping\n\n')] } },
];
