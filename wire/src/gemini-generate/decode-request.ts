import type { Decoded, PathHints } from '../chat/dialect.ts';
import type { Part, TextPart } from '../chat/parts.ts';
import type { Message } from '../chat/request.ts';
import { asObject, asText, type JsonObject } from '../json.ts';
import { routingFields } from '../splice.ts';
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
  const own = Object.fromEntries(Object.entries(body).filter(([key]) => !routingFields.includes(key)));
  const { contents, systemInstruction, tools, toolConfig, generationConfig, model, stream: _, ...rest } = camelKeys(own);
  const said = readMessages(listOf(contents));
  if (said.length === 0) return { ok: false, reason: 'contents is required' };
  const { system, shown } = readSystem(systemInstruction);
  const extra: JsonObject = { ...rest };
  return {
    ok: true,
    request: {
      model: plainModel(hints.model ?? asText(model)),
      system,
      messages: [...shown, ...said],
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

interface Instructions {
  readonly system: readonly TextPart[];
  /** All of them where they are more than text, so that their order stays. */
  readonly shown: readonly Message[];
}

function readSystem(raw: unknown): Instructions {
  if (typeof raw === 'string') return { system: [{ kind: 'text', text: raw }], shown: [] };
  const ids = createCallIds();
  const parts = listOf(camelKeys(asObject(raw) ?? {}).parts).flatMap((part): Part[] =>
    typeof part.text === 'string' ? [{ kind: 'text', text: part.text }] : partsOf(part, ids),
  );
  const texts = parts.filter((part) => part.kind === 'text');
  if (texts.length === parts.length) return { system: texts, shown: [] };
  return { system: [], shown: [{ role: 'system', parts }] };
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
