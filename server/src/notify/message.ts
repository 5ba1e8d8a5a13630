import type { NotifyEvent } from '@tollgate/contract';

/** In both languages of the console; people are sent both. */
export interface Bilingual {
  readonly zh: string;
  readonly en: string;
}

/** What people are told, before it takes the form of a way. */
export interface Message {
  /** What webhooks know it by (contract 8.8). */
  readonly type: string;
  readonly title: Bilingual;
  /** `{{value}}` stands for each of `values` in turn. */
  readonly content: Bilingual;
  readonly values: readonly string[];
  /** Where to look at it; "" = nowhere. */
  readonly link: string;
  /** What changed in the prices: each is told what is theirs of it (own-prices.ts). `values` are for whoever cannot tell. */
  readonly prices?: ChangedPrices;
}

export interface ChangedPrices {
  /** The first of them, and how many more there are. */
  readonly models: readonly string[];
  readonly more: number;
  /** Whose ratio changed for everybody who may use them. */
  readonly groups: readonly string[];
  /** Whose users pay another ratio in some group. */
  readonly ofUsers: readonly string[];
}

export interface Notification {
  readonly event: NotifyEvent | 'test';
  readonly message: Message;
  readonly audience: { readonly userId: number } | 'root' | 'all';
  /**
   * Told of only when `name` has not come to `reached` yet, and then it has. Within a time: `reached` is the present second and
   * `apart` the seconds; once per number: `reached` is the number and `apart` 1. Of several: when one of them has not.
   */
  readonly once?: Once | readonly Once[];
}

export interface Once {
  readonly name: string;
  readonly reached: number;
  readonly apart: number;
}

const placeholder = '{{value}}';

/** Where there are no more values the words are somebody's own. */
export function fill(text: string, values: readonly string[]): string {
  const [first = '', ...rest] = text.split(placeholder);
  return rest.reduce((filled, part, index) => filled + (values[index] ?? placeholder) + part, first);
}

/** Both languages, once where they say the same. */
export function inBoth({ zh, en }: Bilingual, values: readonly string[] = []): string[] {
  return [...new Set([fill(zh, values), fill(en, values)])];
}

/** Title, text and link for places that know plain text only, cut to `maxBytes` of UTF-8. */
export function plainText({ title, content, values, link }: Message, maxBytes: number): string {
  const text = [inBoth(title).join(' / '), ...inBoth(content, values), ...(link === '' ? [] : [link])].join('\n\n');
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  // A character that the cut went through leaves a replacement character.
  return `${bytes
    .subarray(0, maxBytes - 3)
    .toString('utf8')
    .replace(/\uFFFD+$/, '')}…`;
}
