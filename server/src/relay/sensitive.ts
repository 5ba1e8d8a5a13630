import { createWordFinder, type WordFinder } from '../platform/word-finder.ts';
import type { Options } from '../settings/index.ts';
import { localFault } from './faults.ts';
import { bodyOf, type Inquiry, titlesOf } from './inquiry.ts';
import { promptSizeOfBody } from './prompt-size.ts';

/** Who speaks is counted among the texts, and says nothing. */
const roles: ReadonlySet<string> = new Set(['user', 'assistant', 'system', 'developer', 'tool', 'function', 'model']);
let compiled: { readonly words: string; readonly finder: WordFinder | undefined } = { words: '', finder: undefined };

/** The option's value is compiled once, when it changes. */
function finderOf(words: string): WordFinder | undefined {
  if (compiled.words !== words) compiled = { words, finder: createWordFinder(words) };
  return compiled.finder;
}

/**
 * Refuses a prompt that holds one of the operator's words (contract 6.2). Most bodies are let through after one look at
 * their bytes: only what may hold a word, also behind an escape, is read. Throws RelayFault.
 */
export function checkWords(options: Options, inquiry: Pick<Inquiry, 'bytes' | 'inputs'>): void {
  if (!options.CheckSensitiveEnabled || !options.CheckSensitiveOnPromptEnabled) return;
  const finder = finderOf(options.SensitiveWords);
  if (finder === undefined) return;
  const { bytes } = inquiry;
  const titles = titlesOf(inquiry);
  const isPlain = titles.length === 0 && !finder.hasOtherCases && bytes.indexOf(finder.hasShortEscapes ? '\\' : '\\u') < 0;
  if (isPlain && !finder.finds(bytes)) return;
  const isHit = (text: string) => !roles.has(text) && finder.finds(Buffer.from(text.toLowerCase()));
  if ([...promptTexts(bytes), ...titles].some(isHit)) throw localFault('sensitive_words_detected');
}

/** Everything that a request says, of whatever family. Throws RelayFault: an upstream may read what we cannot. */
function promptTexts(bytes: Buffer): readonly string[] {
  const body = bodyOf(bytes);
  const documents = Array.isArray(body.documents) ? body.documents.map((one) => JSON.stringify(one)) : [];
  const more = [body.prompt, body.input, body.query].filter((text) => typeof text === 'string');
  return [...promptSizeOfBody(body).texts, ...more, ...documents];
}
