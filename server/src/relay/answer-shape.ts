import { chat, clientDialect } from '@tollgate/wire';
import { type AnswerReading, spelledAnswer } from './answer-plan.ts';
import type { Asked } from './asked.ts';
import { decodedRequest, echoed } from './inquiry.ts';

/** Answers that came whole where a stream was asked for, and the other way round. */

/** A whole answer in the caller's protocol as the stream that it asked for or was promised. Never throws. */
export function unfolded(body: Buffer, protocol: string, unfolding: chat.Unfolding): Buffer {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    const dialect = clientDialect(protocol);
    if (dialect === undefined || typeof value !== 'object' || value === null) return oneEvent(JSON.stringify(value));
    return dialect.unfold(value as Parameters<typeof dialect.unfold>[0], unfolding);
  } catch {
    return oneEvent(body.toString('utf8'));
  }
}

/** A line break would end its line. */
function oneEvent(text: string): Buffer {
  return Buffer.from(`data: ${text.replace(/[\r\n]+/g, ' ')}\n\n`);
}

/** Reads a collected stream of the caller's own dialect as the whole answer that it asked for; undefined = it speaks none. */
export function folding({ inquiry, answerContext }: Asked): ((body: Buffer) => AnswerReading) | undefined {
  const dialect = clientDialect(inquiry.protocol);
  if (dialect === undefined) return undefined;
  return (streamed) => {
    const reading = chat.decodeStreamed(dialect, streamed);
    if (reading.kind !== 'answer') return reading;
    const { response } = reading;
    const asked = decodedRequest(inquiry, dialect);
    const context = asked.ok ? { ...answerContext, request: echoed(asked.request) } : answerContext;
    const spell = (told: chat.ChatResponse) => {
      const { body, losses } = dialect.encodeResponse(told, context);
      // By its id an answer may be continued.
      return { body: 'id' in body && response.id !== '' ? { ...body, id: response.id } : body, losses };
    };
    return { kind: 'answer', ...spelledAnswer(response, spell), text: () => chat.responseText(response) };
  };
}
