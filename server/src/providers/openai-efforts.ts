/** From nothing to most. */
const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/**
 * What models of the OpenAI API take as an effort, by their names, as the API's pages of models say; the first that fits.
 * Those that idle do not think unless they are asked to.
 */
const known: readonly (readonly [names: RegExp, efforts: readonly string[], idles?: 'idles'])[] = [
  [/^(?:gpt-3|gpt-4|chatgpt-|o1-mini|o1-preview)|^gpt-[5-9].*-chat/, []],
  [/^o\d.*-deep-research/, ['medium']],
  [/^(?:o\d|codex-mini|gpt-5-codex)|^gpt-5\.1-codex(?!-max)/, ['low', 'medium', 'high']],
  [/^gpt-5-pro/, ['high']],
  [/^gpt-5\.\d+-pro/, ['medium', 'high', 'xhigh']],
  [/^gpt-5\.\d+-codex/, ['low', 'medium', 'high', 'xhigh']],
  [/^gpt-5\.1(?!\d)/, ['none', 'low', 'medium', 'high'], 'idles'],
  [/^gpt-5\.[2-4](?!\d)/, ['none', 'low', 'medium', 'high', 'xhigh'], 'idles'],
  [/^gpt-5\.5(?!\d)/, ['none', 'low', 'medium', 'high', 'xhigh']],
  [/^(?:gpt-5\.\d|gpt-6-(?:sol|luna)|gpt-6\.1-terra)/, ['none', 'low', 'medium', 'high', 'xhigh', 'max']],
  [/^gpt-5/, ['minimal', 'low', 'medium', 'high']],
  [/^gpt-[6-9]/, ['low', 'medium', 'high', 'xhigh', 'max']],
];

/** The efforts a model takes; none = it does not reason, undefined = it is not known here. */
export function effortsOf(model: string): readonly string[] | undefined {
  return known.find(([names]) => names.test(model))?.[1];
}

/** Does a model that can think do so although nobody said how much? */
export function thinksUnasked(model: string): boolean {
  return known.find(([names]) => names.test(model))?.[2] === undefined;
}

/** The efforts that a model of a vendor takes; none = it refuses to be told. */
export type EffortsOf = (model: string) => readonly string[];

/** Of vendors that bring an effort to what the model takes. */
export const everyEffort: EffortsOf = () => efforts;

/** What is safe to say where neither model nor vendor is known: `minimal`, `xhigh` and `max` are refused by many. */
export const usualEfforts: EffortsOf = () => ['none', 'low', 'medium', 'high'];

/** The least of these that is no less than the wish, else the most; a word of another list stays. */
export function nearestEffort(effort: string, taken: readonly string[]): string {
  const wish = efforts.indexOf(effort);
  if (wish < 0) return effort;
  return taken.find((each) => efforts.indexOf(each) >= wish) ?? taken.at(-1) ?? effort;
}
