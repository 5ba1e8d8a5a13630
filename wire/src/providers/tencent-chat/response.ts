import { noArguments, type Part } from '../../chat/parts.ts';
import type { Answer, ChatResponse } from '../../chat/response.ts';
import { asObject, asObjects, asText, type JsonObject } from '../../json.ts';
import { createdOf, dialect, finishOf, usageOf } from './types.ts';

/** An answer is wrapped in `Response`. */
export function decodeResponse(body: JsonObject): ChatResponse {
  const answer = asObject(body.Response) ?? body;
  const created = createdOf(answer);
  const usage = usageOf(answer);
  return {
    id: asText(answer.Id),
    model: asText(answer.Model),
    ...(created === undefined ? {} : { created }),
    answers: asObjects(answer.Choices).map(decodeChoice),
    ...(usage === undefined ? {} : { usage }),
  };
}

function decodeChoice(choice: JsonObject): Answer {
  const message = asObject(choice.Message) ?? {};
  const parts: Part[] = [];
  const reasoning = asText(message.ReasoningContent);
  const text = asText(message.Content);
  if (reasoning !== '') parts.push({ kind: 'reasoning', text: reasoning, dialect });
  if (text !== '') parts.push({ kind: 'text', text });
  for (const call of asObjects(message.ToolCalls)) {
    const { Name, Arguments } = asObject(call.Function) ?? {};
    parts.push({ kind: 'tool-call', id: asText(call.Id), name: asText(Name), arguments: asText(Arguments) || noArguments });
  }
  const finish = finishOf(choice);
  return { parts, ...(finish === undefined ? {} : { finish }) };
}
