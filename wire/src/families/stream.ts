import type { StreamDecoder } from '../chat/dialect.ts';
import type { ChatEvent } from '../chat/response.ts';
import { asText, parseObject } from '../json.ts';
import { errorInOk, isErrorAnswer } from '../openai-chat/error.ts';
import { familyUsage } from './usage.ts';

const last = /\.(done|completed)$/;

/** Reads the streams of pictures, speech and transcripts: typed events, of which the last carries the usage. */
export function familyDecoder(): StreamDecoder {
  let part = 0;
  let isOver = false;
  return {
    push({ data = '' }): readonly ChatEvent[] {
      if (data.trim() === '[DONE]') return [{ kind: 'end' }];
      const event = parseObject(data);
      if (event === undefined) return [{ kind: 'malformed' }];
      if (isErrorAnswer(event) || event.type === 'error') return [{ kind: 'error', error: errorInOk(event) }];
      const raw = { kind: 'foreign', dialect: 'family', name: asText(event.type), raw: {} } as const;
      const events: ChatEvent[] = [{ kind: 'whole', choice: 0, part: part++, value: raw }];
      const usage = familyUsage(event);
      if (usage !== undefined) events.push({ kind: 'usage', usage });
      isOver = last.test(asText(event.type));
      return events;
    },
    end: () => (isOver ? [{ kind: 'end' }] : []),
  };
}
