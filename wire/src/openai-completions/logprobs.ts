import { asObject, asText, type JsonObject } from '../json.ts';

/** `{tokens, token_logprobs, top_logprobs, text_offset}` as entries of `{token, logprob, bytes, top_logprobs}`. */
export function decodeLogprobs(raw: unknown): JsonObject[] {
  const logprobs = asObject(raw);
  const tokens = Array.isArray(logprobs?.tokens) ? logprobs.tokens : [];
  const values = Array.isArray(logprobs?.token_logprobs) ? logprobs.token_logprobs : [];
  const tops = Array.isArray(logprobs?.top_logprobs) ? logprobs.top_logprobs : [];
  return tokens.map((token, index) => ({
    token: asText(token),
    logprob: numberOf(values[index]),
    bytes: null,
    top_logprobs: Object.entries(asObject(tops[index]) ?? {}).map(([other, value]) => ({
      token: other,
      logprob: numberOf(value),
      bytes: null,
    })),
  }));
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

/** The entries in four lists; `from` = length of the text before them. */
export function encodeLogprobs(entries: readonly JsonObject[], from: number): JsonObject {
  let offset = from;
  const offsets = entries.map(({ token }) => {
    const at = offset;
    offset += asText(token).length;
    return at;
  });
  return {
    tokens: entries.map(({ token }) => asText(token)),
    token_logprobs: entries.map(({ logprob }) => numberOf(logprob)),
    top_logprobs: entries.map(({ top_logprobs }) => topOf(top_logprobs)),
    text_offset: offsets,
  };
}

function topOf(raw: unknown): JsonObject {
  const list = Array.isArray(raw) ? raw : [];
  const pairs = list.map((item) => asObject(item) ?? {});
  return Object.fromEntries(pairs.map(({ token, logprob }) => [asText(token), numberOf(logprob)]));
}
