import type { AnswerContext, Encoded } from '../chat/dialect.ts';
import { createLosses, type Losses } from '../chat/losses.ts';
import type { Part } from '../chat/parts.ts';
import type { Answer, ChatResponse } from '../chat/response.ts';
import { errorInOk, isErrorAnswer, type WireError } from '../error.ts';
import { asObject, asObjects, asText, type JsonObject } from '../json.ts';
import type { TokenUsage } from '../usage.ts';
import { createCallIds } from './call-ids.ts';
import { decodeBlock } from './decode-blocks.ts';
import { encodeBlocks } from './encode-blocks.ts';
import { restOf } from './fields.ts';
import { readFinish, writeFinish } from './finish.ts';
import { dialectName } from './types.ts';
import { countSearches, readServed, readUsage, writeUsage } from './usage.ts';

const understood: readonly string[] = [...['id', 'type', 'role', 'model', 'content', 'stop_reason', 'stop_sequence', 'usage']];
/** Members of `usage` that are no figures of tokens. */
const usageExtras: readonly string[] = ['server_tool_use', 'inference_geo'];

/** Clients rely on figures, also where there are none. */
const unknownUsage: TokenUsage = { prompt: 0, completion: 0, cached: 0, cacheWrite: 0, reasoning: 0, anomaly: false };

/** The error of a body with status 200; undefined when it is an answer. */
export function readFailure(body: JsonObject): WireError | undefined {
  return isErrorAnswer(body) || !Array.isArray(body.content) ? errorInOk(body) : undefined;
}

/** Reads a whole answer. Never throws. */
export function decodeResponse(body: JsonObject): ChatResponse {
  const finish = readFinish(body.stop_reason, body.stop_sequence);
  const fields = extrasOf(restOf(body, understood), asObject(body.usage));
  const usage = readUsage(body.usage);
  const blocks = asObjects(body.content);
  const uses = countSearches(blocks);
  return {
    id: asText(body.id),
    model: asText(body.model),
    answers: [{ parts: blocks.map(decodeBlock), ...(finish === undefined ? {} : { finish }) }],
    ...(usage === undefined ? {} : { usage }),
    ...(uses === undefined ? {} : { uses }),
    ...readServed(body.usage),
    ...(Object.keys(fields).length === 0 ? {} : { extra: { dialect: dialectName, fields } }),
  };
}

/** What an answer, or one event of a stream, says beyond the neutral form. */
export function extrasOf(rest: JsonObject, usage: JsonObject | undefined): JsonObject {
  const counted = usageExtras.flatMap((key) => {
    const value = usage?.[key];
    return value === undefined || value === null ? [] : [[key, value]];
  });
  return { ...rest, ...Object.fromEntries(counted) };
}

/** Spells an answer; of several choices the first one. Never throws. */
export function encodeResponse(response: ChatResponse, { id, model }: AnswerContext): Encoded {
  const losses = createLosses();
  const [answer = { parts: [] }, ...others] = response.answers;
  if (others.length > 0) losses.lose('choices');
  if (answer.logprobs !== undefined) losses.lose('logprobs');
  const { counted, fields } = splitExtras(response.extra, losses);
  const usage = response.usage ?? unknownUsage;
  const body: JsonObject = {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model,
    content: encodeAnswer(answer, losses),
    ...writeFinish(answer.finish, hasCalls(answer.parts), hasRefusal(answer.parts)),
    usage: { ...writeUsage(usage, response), ...counted },
    ...fields,
  };
  return { body, losses: losses.list() };
}

function encodeAnswer({ parts }: Answer, { lose }: Losses): JsonObject[] {
  return encodeBlocks(parts, { role: 'assistant', isNative: false, isAnswer: true, callId: createCallIds(), lose });
}

function hasCalls(parts: readonly Part[]): boolean {
  return parts.some(({ kind }) => kind === 'tool-call');
}

function hasRefusal(parts: readonly Part[]): boolean {
  return parts.some(({ kind }) => kind === 'refusal');
}

/** Own fields where they belong: beside the answer, or in its usage; the names of foreign ones are lost. */
export function splitExtras(extra: ChatResponse['extra'], { lose }: Losses): { counted: JsonObject; fields: JsonObject } {
  if (extra === undefined) return { counted: {}, fields: {} };
  if (extra.dialect === dialectName) {
    const entries = Object.entries(extra.fields);
    return {
      counted: Object.fromEntries(entries.filter(([key]) => usageExtras.includes(key))),
      fields: Object.fromEntries(entries.filter(([key]) => !usageExtras.includes(key))),
    };
  }
  for (const field of Object.keys(extra.fields)) lose(field);
  return { counted: {}, fields: {} };
}
