import type { Part } from '../../chat/parts.ts';
import type { ChatResponse } from '../../chat/response.ts';
import { asObject, asText, type JsonObject } from '../../json.ts';
import { namedUsage } from '../usage.ts';
import { callOf, createdOf, finishOf } from './types.ts';

export function decodeResponse(body: JsonObject): ChatResponse {
  const parts: Part[] = [];
  const text = asText(body.result);
  const call = callOf(body);
  const created = createdOf(body);
  const usage = namedUsage(asObject(body.usage));
  if (text !== '') parts.push({ kind: 'text', text });
  if (call !== undefined) parts.push(call);
  return {
    id: asText(body.id),
    model: '',
    ...(created === undefined ? {} : { created }),
    answers: [{ parts, finish: finishOf(body, call !== undefined) }],
    ...(usage === undefined ? {} : { usage }),
  };
}
