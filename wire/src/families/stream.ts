import type { StreamDecoder } from '../chat/dialect.ts';
import type { ChatEvent } from '../chat/response.ts';
import { asObject, asText, type JsonObject, parseObject } from '../json.ts';
import { errorInOk, isErrorAnswer } from '../openai-chat/error.ts';
import { familyUsage, isPicture } from './usage.ts';

const last = /\.(done|completed)$/;
/** One of several pictures: the others go on. */
const failed = /^image_\w+\.partial_failed$/;

/** Reads the streams of pictures, speech and transcripts: typed events, of which the last carries the usage. */
export function familyDecoder(): StreamDecoder {
  let part = 0;
  let isOver = false;
  const countPictures = pictureCounter();
  return {
    push({ event: name, data = '' }): readonly ChatEvent[] {
      if (data.trim() === '[DONE]') return [{ kind: 'end' }];
      const event = parseObject(data);
      if (event === undefined) return [{ kind: 'malformed' }];
      const type = asText(event.type) || name;
      if (name === 'error' || type === 'error' || (isErrorAnswer(event) && !failed.test(type)))
        return [{ kind: 'error', error: errorInOk(event) }];
      const raw = { kind: 'foreign', dialect: 'family', name: type, raw: {} } as const;
      const events: ChatEvent[] = [{ kind: 'whole', choice: 0, part: part++, value: raw }];
      const usage = familyUsage(event);
      if (usage !== undefined) events.push({ kind: 'usage', usage });
      events.push(...countPictures(type, event));
      isOver = last.test(type);
      return events;
    },
    end: () => (isOver ? [{ kind: 'end' }] : []),
  };
}

/**
 * Counts finished pictures: those that come with `image_generation.completed`, or with `partial_succeeded` one by one
 * before it. Sketches (`partial_image`) are none. A stream that ends without any and says no number does not tell.
 */
function pictureCounter(): (type: string, event: JsonObject) => readonly ChatEvent[] {
  let count = 0;
  return (type, event) => {
    const [, step] = /^image_\w+\.(\w+)$/.exec(type) ?? [];
    if (step === undefined) return [];
    if (step !== 'partial_image' && isPicture(event)) count += 1;
    const isUntold = step === 'completed' && count === 0 && asObject(event.usage)?.generated_images !== 0;
    return [{ kind: 'pictures', count: isUntold ? undefined : count }];
  };
}
