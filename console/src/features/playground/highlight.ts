/** A stretch of code in one tone; "" = the text's own. */
export interface Painted {
  tone: string;
  text: string;
}

const words =
  'abstract as async await break case catch class const continue def default delete do elif else end enum except export extends extern false False final finally fn for from func function go if impl import in interface is lambda let match mod module mut new nil None not null of or and package pass private protected pub public raise return select self static struct super switch then this throw trait True true try type typeof undefined use using val var void while with yield';
const keywords = new Set([...words.split(' '), ...words.toUpperCase().split(' '), 'FROM', 'WHERE', 'INSERT', 'UPDATE', 'JOIN']);

/** In this order: what begins a comment or a text ends there only. No part can run back over what another has read. */
const shapes =
  /(?<comment>\/\*[\s\S]*?\*\/|<!--[\s\S]*?-->|\/\/[^\n]*|(?<![\w&$])#[^\n]*|--[ \t][^\n]*)|(?<string>"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*'|`(?:\\[\s\S]|[^`\\])*`)|(?<number>\b(?:0x[\da-f]+|\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?)\b)|(?<called>[A-Za-z_$][\w$]*(?=\())|(?<word>[A-Za-z_$][\w$]*)/gi;
const tones = {
  comment: 'text-muted italic',
  string: 'text-ok',
  number: 'text-warn',
  keyword: 'text-violet',
  call: 'text-accent',
};

/**
 * Colours code of any usual language: comments, texts, numbers, words that mean something in most of them, and what is
 * called. Rough on purpose: a highlighter for each language is 23 KB.
 */
export function highlight(source: string): Painted[] {
  const painted: Painted[] = [];
  let at = 0;
  for (const match of source.matchAll(shapes)) {
    const tone = toneOf(match.groups ?? {});
    if (tone === '') continue;
    if (match.index > at) painted.push({ tone: '', text: source.slice(at, match.index) });
    painted.push({ tone, text: match[0] });
    at = match.index + match[0].length;
  }
  return at < source.length ? [...painted, { tone: '', text: source.slice(at) }] : painted;
}

function toneOf({ comment, string, number, called, word = called }: Record<string, string | undefined>): string {
  if (comment !== undefined) return tones.comment;
  if (string !== undefined) return tones.string;
  if (number !== undefined) return tones.number;
  if (word !== undefined && keywords.has(word)) return tones.keyword;
  return called === undefined ? '' : tones.call;
}
