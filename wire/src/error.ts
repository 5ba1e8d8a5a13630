/** An error as an upstream told it, without its dialect's wrapping. */
export interface WireError {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | number | null;
}

/** The HTTP status that an error of a 200 answer would have had: the one it names or implies, else 502. */
export function errorStatus(error: WireError): number {
  const code = Number(error.code ?? Number.NaN);
  if (Number.isInteger(code) && code >= 400 && code <= 599) return code;
  const words = `${error.type} ${error.code}`.toLowerCase();
  if (/rate_limit|too_many|quota|saturated/.test(words)) return 429;
  if (/overload|unavailable/.test(words)) return 503;
  if (/authentication|api_key/.test(words)) return 401;
  if (/permission/.test(words)) return 403;
  if (/not_found/.test(words)) return 404;
  return /invalid_request/.test(words) ? 400 : 502;
}
