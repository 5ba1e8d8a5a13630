import type { ChatReading, Served } from '../chat/response.ts';
import { asObject, asObjects, asText, type JsonObject, parseObject } from '../json.ts';
import { findMember, memberText } from '../json-member.ts';
import { type JsonScan, type Member, scanObject } from '../json-scan.ts';
import type { ToolUses } from '../tool-uses.ts';
import type { TokenUsage } from '../usage.ts';
import { thinkingText } from './content.ts';
import { errorInOk, isErrorAnswer } from './error.ts';
import { isLength } from './finish.ts';
import { textFields } from './types.ts';
import { pageMark, readUsage, usageOf, usesOf } from './usage.ts';

/**
 * Reads a non-streamed answer. The bytes are checked to be one complete JSON object, but only the usage is parsed.
 * Never throws.
 */
export function readResponse(body: Buffer): ChatReading {
  const result = scanObject(body, telling);
  if (!result.ok) return readOddBody(body);
  const { scan } = result;
  const error = findMember(scan, 'error');
  if (error !== undefined && error.kind !== 'null') {
    const failed = parseMember(body, error);
    if (failed === undefined || isErrorAnswer({ error: failed })) return failure(body);
  }
  if (findMember(scan, 'choices')?.kind !== 'array') return failure(body);
  const told = parseMember(body, findMember(scan, 'usage'));
  const usage = readUsage(told) ?? innerUsage(body, scan);
  const tier = memberText(body, findMember(scan, 'service_tier'), 64);
  const mayCite = scan.words.includes(pageMark) || findMember(scan, 'web_search') !== undefined;
  const uses = usesOf(mayCite ? (parseObject(body.toString('utf8')) ?? {}) : { usage: told });
  const cutByLength = scan.words.includes(lengthWord) && isCutByLength(parseObject(body.toString('utf8')) ?? {});
  return {
    kind: 'answer',
    usage,
    ...served(tier, uses, cutByLength),
    text: () => answerText(parseObject(body.toString('utf8')) ?? {}),
  };
}

/** Not JSON, or JSON that the scanner does not take (deep, or a key twice), which is still an answer. */
function readOddBody(body: Buffer): ChatReading {
  const text = body.toString('utf8');
  const answer = parseObject(text);
  if (answer === undefined) return { kind: 'invalid', reason: text.trim() === '' ? 'empty' : 'not-json' };
  if (isErrorAnswer(answer) || !Array.isArray(answer.choices)) return { kind: 'error', error: errorInOk(answer) };
  const tier = asText(answer.service_tier);
  return {
    kind: 'answer',
    usage: usageOf(answer),
    ...served(tier, usesOf(answer), isCutByLength(answer)),
    text: () => answerText(answer),
  };
}

/** The one word of the dialect itself. */
const lengthWord = 'length';

/** Nothing is parsed for answers that have none of them. */
const telling = [pageMark, lengthWord];

const isCutByLength = ({ choices }: JsonObject): boolean =>
  asObjects(choices).some(({ finish_reason: reason }) => isLength(reason));

function served(serviceTier: string | undefined, uses: ToolUses | undefined, cutByLength: boolean): { served?: Served } {
  const told: Served = {
    ...(serviceTier ? { serviceTier } : {}),
    ...(uses === undefined ? {} : { uses }),
    ...(cutByLength ? { cutByLength } : {}),
  };
  return Object.keys(told).length === 0 ? {} : { served: told };
}

function failure(body: Buffer): ChatReading {
  const parsed = parseObject(body.toString('utf8'));
  return parsed === undefined ? { kind: 'invalid', reason: 'not-json' } : { kind: 'error', error: errorInOk(parsed) };
}

function parseMember(body: Buffer, member: Member | undefined): unknown {
  if (member === undefined) return undefined;
  try {
    return JSON.parse(body.toString('utf8', member.valueStart, member.valueEnd));
  } catch {
    return undefined;
  }
}

function innerUsage(body: Buffer, scan: JsonScan): TokenUsage | undefined {
  const choices = findMember(scan, 'choices');
  if (choices === undefined || body.subarray(choices.valueStart, choices.valueEnd).indexOf('"usage"') < 0) return undefined;
  return usageOf({ choices: parseMember(body, choices) });
}

/** All texts that the model made, over all choices: content, reasoning, refusal, tool names and arguments. */
export function answerText(answer: JsonObject): string {
  return asObjects(answer.choices)
    .map((choice) => messageText(asObject(choice.message) ?? choice))
    .join('');
}

/** The countable text of one message or delta. */
export function messageText(message: JsonObject): string {
  let text = '';
  for (const field of textFields) text += asText(message[field]);
  const content = message.content;
  if (Array.isArray(content)) for (const part of asObjects(content)) text += asText(part.text) + thinkingText(part.thinking);
  for (const call of asObjects(message.tool_calls)) text += functionText(call.function) + functionText(call.custom);
  return text + functionText(message.function_call);
}

function functionText(raw: unknown): string {
  const call = asObject(raw);
  return call === undefined ? '' : asText(call.name) + asText(call.arguments ?? call.input);
}
