import { intParam, type RawSearch, textParam } from '../../lib/search.ts';

export interface RouteSearch {
  group?: string;
  model?: string;
  token?: number;
  user?: number;
  /** Prompt tokens. */
  size?: number;
  /** Channels that are assumed off, as a comma list of ids. */
  exclude?: string;
  /** Keeps the draw while channels are left out. */
  seed?: number;
}

const largest = Number.MAX_SAFE_INTEGER;
const maxExcluded = 1000;

export const excludedOf = (text: string | undefined): number[] =>
  [...new Set((text ?? '').split(',').flatMap((part) => intParam(part, 1, largest) ?? []))].slice(0, maxExcluded);

export const readRouteSearch = (raw: RawSearch): RouteSearch => ({
  group: textParam(raw.group),
  model: textParam(raw.model, 255),
  token: intParam(raw.token, 1, largest),
  user: intParam(raw.user, 1, largest),
  size: intParam(raw.size, 0, largest),
  exclude: excludedOf(textParam(raw.exclude, 10_000)).join(',') || undefined,
  seed: intParam(raw.seed, 0, 4_294_967_295),
});
