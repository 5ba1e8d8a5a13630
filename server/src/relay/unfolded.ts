import { type chat, clientDialect, type TokenUsage } from '@tollgate/wire';

interface Streamed {
  /** What the caller speaks. */
  readonly protocol: string;
  readonly context: chat.AnswerContext;
}

/** A whole answer in the caller's dialect as the stream that it was promised; `usage` is what was charged. Never throws. */
export function unfolded(body: Buffer, { protocol, context }: Streamed, usage: TokenUsage): Buffer {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    const dialect = clientDialect(protocol);
    if (dialect === undefined || typeof value !== 'object' || value === null) return oneEvent(JSON.stringify(value));
    const response = dialect.decodeResponse(value as Parameters<typeof dialect.decodeResponse>[0]);
    const encoder = dialect.createEncoder(context);
    const pieces = eventsOf(response).flatMap((event) => encoder.push(event) ?? []);
    return Buffer.concat([...pieces, encoder.close(response.usage ?? usage)]);
  } catch {
    return oneEvent(body.toString('utf8'));
  }
}

function eventsOf({ id, model, created, answers }: chat.ChatResponse): chat.ChatEvent[] {
  const start: chat.ChatEvent = { kind: 'start', id, model, ...(created === undefined ? {} : { created }) };
  const choices = answers.flatMap(({ parts, logprobs, finish }, choice): chat.ChatEvent[] => [
    ...parts.map((value, part): chat.ChatEvent => ({ kind: 'whole', choice, part, value })),
    ...(logprobs === undefined ? [] : [{ kind: 'logprobs', choice, entries: logprobs } as const]),
    ...(finish === undefined ? [] : [{ kind: 'finish', choice, finish } as const]),
  ]);
  return [start, ...choices];
}

/** A line break would end its line. */
function oneEvent(text: string): Buffer {
  return Buffer.from(`data: ${text.replace(/[\r\n]+/g, ' ')}\n\n`);
}
