import type { Encoded, RequestContext } from '../../chat/dialect.ts';
import type { ChatRequest } from '../../chat/request.ts';
import type { JsonObject } from '../../json.ts';
import { unspoken } from '../losses.ts';
import { systemText, type Turn, textTurns } from '../turns.ts';

export const dialect = 'zhipu-invoke';
const spoken = ['temperature', 'top_p'];

/** Model and streaming stand in the path. Instructions are a turn that the model has agreed to. */
export function encodeRequest(request: ChatRequest, _context: RequestContext): Encoded {
  const losses = unspoken(request, spoken);
  const system = systemText(request);
  const turns: Turn[] = [...(system === '' ? [] : [{ role: 'system' as const, text: system }]), ...textTurns(request, losses)];
  const body: JsonObject = { prompt: turns.flatMap(promptOf) };
  if (request.temperature !== undefined) body.temperature = request.temperature;
  if (request.topP !== undefined) body.top_p = request.topP;
  if (request.stream) body.incremental = true;
  return { body, losses: [...losses] };
}

function promptOf({ role, text }: Turn): JsonObject[] {
  if (role !== 'system') return [{ role, content: text }];
  return [
    { role: 'user', content: text },
    { role: 'assistant', content: 'Okay' },
  ];
}
