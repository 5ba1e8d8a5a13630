import type { Decoded, PathHints } from '../chat/dialect.ts';
import type { TextPart } from '../chat/parts.ts';
import type { Message } from '../chat/request.ts';
import { asObject, asText, type JsonObject } from '../json.ts';
import { readConfig } from './config.ts';
import { partsOf } from './decode-parts.ts';
import { ownExtra } from './extra.ts';
import { camelKeys, listOf } from './fields.ts';
import { createCallIds } from './ids.ts';
import { plainModel } from './request.ts';
import { readToolChoice, readTools } from './tools.ts';
import { joinChunks, joinResults } from './turns.ts';
import { dialectName } from './types.ts';

/** Reads a request of this dialect; model and streaming come from the path. Never throws. */
export function decodeRequest(body: JsonObject, hints: PathHints = {}): Decoded {
  const { contents, systemInstruction, tools, toolConfig, generationConfig, model, stream: _, ...rest } = camelKeys(body);
  const messages = readMessages(listOf(contents));
  if (messages.length === 0) return { ok: false, reason: 'contents is required' };
  const extra: JsonObject = { ...rest };
  return {
    ok: true,
    request: {
      model: plainModel(hints.model ?? asText(model)),
      system: readSystem(systemInstruction),
      messages,
      tools: readTools(tools),
      ...readToolChoice(toolConfig, extra),
      ...readConfig(generationConfig, extra),
      stream: hints.stream ?? false,
      wantsUsage: true,
      // Also when empty: it says that the request came in this dialect.
      extra: ownExtra(extra) ?? { dialect: dialectName, fields: {} },
    },
  };
}

function readSystem(raw: unknown): TextPart[] {
  if (typeof raw === 'string') return [{ kind: 'text', text: raw }];
  const { parts } = camelKeys(asObject(raw) ?? {});
  return listOf(parts).flatMap(({ text }): TextPart[] => (typeof text === 'string' ? [{ kind: 'text', text }] : []));
}

function readMessages(contents: readonly JsonObject[]): Message[] {
  const ids = createCallIds();
  const messages = contents.map((content): Message => {
    const { role, parts } = camelKeys(content);
    return {
      role: asText(role).toLowerCase() === 'model' ? 'assistant' : 'user',
      parts: listOf(parts).flatMap((part) => partsOf(part, ids)),
    };
  });
  return joinChunks(joinResults(messages.filter(({ parts }) => parts.length > 0)));
}
