import { foldedName, type JsonScan } from '@tollgate/wire';
import { localFault } from './faults.ts';

/** How some upstreams are asked for several pictures. */
const setNames = ['sequential_image_generation', 'sequential_image_generation_options'];
/** What bounds an answer, or says how it comes, what it goes on from and which tools its upstream runs. */
const bounding = [
  ...['stream', 'stream_options', 'background', 'best_of', 'previous_response_id', 'conversation', 'generationConfig'],
  ...['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'generation_config', 'max_tool_calls'],
  ...['tools', 'web_search_options', 'enable_search', 'plugins'],
];
/** Members of a body, or fields of a form, that prices and holds are made of, by `plainName`. */
const priced = new Map(
  ['model', 'n', 'size', 'quality', 'seconds', ...setNames, ...bounding].map((name) => [foldedName(name), name]),
);

/** A name without regard to case, and without the brackets of a list. */
export function plainName(name: string): string {
  const end = name.indexOf('[');
  return foldedName(end < 0 ? name : name.slice(0, end));
}

export function isPriced(name: string): boolean {
  return priced.has(plainName(name));
}

/** An upstream may read `N` or `n[]` where only `n` is read here, and priced (decision 0071). Throws RelayFault. */
export function refuseMisspelt(names: readonly string[]): void {
  for (const name of names) {
    const wanted = priced.get(plainName(name)) ?? name;
    if (wanted !== name) throw localFault('invalid_request', { reason: `${quoted(name)} must be spelled ${quoted(wanted)}` });
  }
}

/** Where some upstreams read which other models may answer instead. */
const substitutes: ReadonlySet<string> = new Set(['models', 'fallbacks'].map(foldedName));

/** The price, and what a key may call, are those of `model`: others named beside it are refused. Throws RelayFault. */
export function refuseSubstitutes({ members }: Pick<JsonScan, 'members'>): void {
  for (const { key, kind, valueStart, valueEnd } of members) {
    const isFilled = kind === 'array' && valueEnd - valueStart > '[]'.length;
    if (!isFilled || !substitutes.has(plainName(key))) continue;
    throw localFault('invalid_request', { reason: `a call is of one model: ${quoted(key)} is not supported` }, { param: key });
  }
}

export function quoted(name: string): string {
  return JSON.stringify(name.slice(0, 64));
}
