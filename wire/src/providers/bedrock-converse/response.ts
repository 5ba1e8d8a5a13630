import type { Part } from '../../chat/parts.ts';
import type { ChatResponse, Finish } from '../../chat/response.ts';
import { asObject, asObjects, asText, entryOf, type JsonObject } from '../../json.ts';
import { dialect } from './types.ts';
import { readServed, readUsage } from './usage.ts';

const reasons: Readonly<Record<string, Finish['reason']>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool-calls',
  guardrail_intervened: 'content-filter',
  content_filtered: 'content-filter',
};

export function finishOf(raw: string): Finish {
  return { reason: entryOf(reasons, raw) ?? 'other', raw };
}

export function decodeResponse(body: JsonObject): ChatResponse {
  const message = asObject(asObject(body.output)?.message);
  const parts = asObjects(message?.content).flatMap(partOf);
  const reason = asText(body.stopReason);
  const usage = readUsage(body.usage);
  return {
    id: '',
    model: '',
    answers: [{ parts, ...(reason === '' ? {} : { finish: finishOf(reason) }) }],
    ...(usage === undefined ? {} : { usage }),
    ...readServed(body),
  };
}

function partOf(block: JsonObject): Part[] {
  if (typeof block.text === 'string') return [{ kind: 'text', text: block.text }];
  const call = asObject(block.toolUse);
  if (call !== undefined) {
    const text = JSON.stringify(call.input ?? {});
    return [{ kind: 'tool-call', id: asText(call.toolUseId), name: asText(call.name), arguments: text }];
  }
  const thought = asObject(block.reasoningContent);
  if (thought !== undefined) return [reasoningOf(thought)];
  const cited = asObject(block.citationsContent);
  if (cited !== undefined) {
    const text = asObjects(cited.content)
      .map((piece) => asText(piece.text))
      .join('');
    const citations = asObjects(cited.citations);
    return [{ kind: 'text', text, ...(citations.length === 0 ? {} : { citations }) }];
  }
  return [];
}

function reasoningOf(thought: JsonObject): Part {
  const redacted = asText(thought.redactedContent);
  if (redacted !== '') return { kind: 'reasoning', text: '', redacted, dialect };
  const said = asObject(thought.reasoningText);
  const signature = asText(said?.signature);
  return { kind: 'reasoning', text: asText(said?.text), ...(signature === '' ? {} : { signature }), dialect };
}
