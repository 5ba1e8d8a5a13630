import { entryOf } from '@tollgate/wire';

/** Tokens of one picture of 1024 x 1024 by models that count them: by quality, and at best, which `auto` may be. */
const known: readonly (readonly [names: RegExp, qualities: Readonly<Record<string, number>>, best: number])[] = [
  [/gpt-image/, { low: 272, medium: 1_056 }, 4_160],
  [/gemini.*image/, {}, 1_290],
];
const usualPoints = 1024 * 1024;
/** The largest ones have eight times the points and some three times the tokens. */
const mostTimes = 3.5;
/** Of a size that the model chooses. */
const likelyTimes = 1.5;

/** How many tokens of answer a picture may come to; undefined = the model does not count it in tokens. */
export function pictureTokens(model: string, quality: string, size: string): number | undefined {
  const found = known.find(([names]) => names.test(model));
  if (found === undefined) return undefined;
  const [, qualities, best] = found;
  const [, width, height] = /^(\d{2,5})x(\d{2,5})$/.exec(size) ?? [];
  const times = width === undefined ? likelyTimes : Math.min(mostTimes, (Number(width) * Number(height)) / usualPoints);
  return Math.ceil((entryOf(qualities, quality) ?? best) * Math.max(1, times));
}
