import { asObject, asText, type JsonObject } from '../json.ts';
import { camelKeys, listOf } from './fields.ts';

/** Reads `logprobsResult` into entries of `{token, logprob, bytes, top_logprobs}`. */
export function readLogprobs(raw: unknown): JsonObject[] {
  const result = camelKeys(asObject(raw) ?? {});
  const tops = listOf(result.topCandidates);
  return listOf(result.chosenCandidates).map((chosen, at) => ({
    ...entry(chosen),
    top_logprobs: listOf(tops[at]?.candidates).map(entry),
  }));
}

function entry(raw: JsonObject): JsonObject {
  const { token, logProbability } = camelKeys(raw);
  const text = asText(token);
  return { token: text, logprob: typeof logProbability === 'number' ? logProbability : 0, bytes: [...Buffer.from(text)] };
}

/** Spells such entries as `logprobsResult`. */
export function logprobsResult(entries: readonly JsonObject[]): JsonObject {
  return {
    topCandidates: entries.map((chosen) => ({ candidates: listOf(chosen.top_logprobs).map(candidate) })),
    chosenCandidates: entries.map(candidate),
  };
}

function candidate({ token, logprob }: JsonObject): JsonObject {
  return { token: asText(token), logProbability: typeof logprob === 'number' ? logprob : 0 };
}
