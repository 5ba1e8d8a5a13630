import { isErrorAnswer } from '../error.ts';
import { asObject, asObjects, asText, type JsonObject } from '../json.ts';
import { readUsage } from '../openai-chat/usage.ts';
import { buildUsage, type Figure, readFigure, type TokenUsage } from '../usage.ts';

const nothing: Figure = { value: 0, odd: false };
/** Nobody speaks for longer than eleven days. */
const longestSeconds = 1_000_000;

/**
 * The usage of an answer beside chat: the common object, the figures that rerank services give under `meta`, or the seconds
 * of a transcript. Answers that only take a prompt have no completion.
 */
export function familyUsage(answer: JsonObject): TokenUsage | undefined {
  const usage = tokensOf(answer);
  const seconds = secondsOf(answer);
  if (seconds === undefined) return usage;
  const silent = { prompt: 0, completion: 0, cached: 0, cacheWrite: 0, reasoning: 0, anomaly: false };
  return { ...(usage ?? silent), seconds };
}

/** How many pictures a whole answer holds; those that failed are told of among them. Undefined = its entries are of no known form. */
export function picturesIn({ data }: JsonObject): number | undefined {
  if (!Array.isArray(data)) return undefined;
  const entries = asObjects(data);
  const made = entries.filter(isPicture).length;
  const isAllFailed = entries.length === data.length && entries.every(isErrorAnswer);
  return made > 0 || isAllFailed ? made : undefined;
}

export function isPicture({ url, b64_json: inline }: JsonObject): boolean {
  return asText(url) !== '' || asText(inline) !== '';
}

/** `{type: "duration", seconds}`, or the `duration` beside the text of a transcript. */
function secondsOf(answer: JsonObject): number | undefined {
  const usage = asObject(answer.usage);
  const raw = usage?.type === 'duration' ? usage.seconds : typeof answer.text === 'string' ? answer.duration : undefined;
  const seconds = typeof raw === 'string' && raw.trim() !== '' ? Number(raw) : raw;
  return typeof seconds === 'number' && seconds > 0 && seconds <= longestSeconds ? seconds : undefined;
}

function tokensOf(answer: JsonObject): TokenUsage | undefined {
  const own = readUsage(answer.usage);
  if (own !== undefined) return own;
  const usage = asObject(answer.usage);
  const meta = asObject(answer.meta);
  const tokens = asObject(meta?.tokens) ?? asObject(meta?.billed_units);
  // Searches that were billed are no tokens: where none are told, the texts are counted.
  const prompt = readFigure(usage?.total_tokens ?? tokens?.input_tokens);
  return buildUsage({
    prompt,
    completion: readFigure(tokens?.output_tokens),
    cached: nothing,
    cacheWrite: nothing,
    reasoning: nothing,
  });
}
