import type { StreamDecoder } from '../chat/dialect.ts';
import type { ChatEvent } from '../chat/response.ts';
import { errorInOk, isErrorAnswer } from '../error.ts';
import { asObject, asText, type JsonObject, parseObject } from '../json.ts';
import { decodeFinish } from '../openai-chat/finish.ts';
import { usageOf } from '../openai-chat/usage.ts';
import type { SseFrame } from '../sse.ts';
import { decodeLogprobs } from './logprobs.ts';
import { plainText } from './response.ts';

const maxChoices = 1024;

/** Reads one stream of `text_completion` frames that `[DONE]` ends. */
export function createDecoder(): StreamDecoder {
  const choices = new Map<number, 'open' | 'finished'>();
  let isOver = false;
  let isStarted = false;

  const close = (choice: number, events: ChatEvent[]) => {
    if (choices.get(choice) === 'open') events.push({ kind: 'part-end', choice, part: 0 });
  };
  const takeChoice = (raw: JsonObject, events: ChatEvent[]) => {
    const choice = raw.index ?? 0;
    if (typeof choice !== 'number' || !Number.isInteger(choice) || choice < 0 || choice >= maxChoices) return false;
    const text = asText(raw.text);
    if (choices.get(choice) === 'finished') return text === '';
    if (text !== '') {
      if (!choices.has(choice)) events.push({ kind: 'part-start', choice, part: 0, head: { kind: 'text' } });
      choices.set(choice, 'open');
      events.push({ kind: 'delta', choice, part: 0, text });
    }
    const entries = decodeLogprobs(raw.logprobs);
    if (entries.length > 0) events.push({ kind: 'logprobs', choice, entries });
    const finish = decodeFinish(raw.finish_reason, plainText);
    if (finish === undefined) return true;
    close(choice, events);
    choices.set(choice, 'finished');
    events.push({ kind: 'finish', choice, finish });
    return true;
  };
  const takeChunk = (chunk: JsonObject, events: ChatEvent[]) => {
    const list = Array.isArray(chunk.choices) ? chunk.choices : [];
    const usage = usageOf(chunk);
    if (!isStarted && (list.length > 0 || usage !== undefined)) {
      isStarted = true;
      const created = typeof chunk.created === 'number' ? { created: chunk.created } : {};
      events.push({ kind: 'start', id: asText(chunk.id), model: asText(chunk.model), ...created });
    }
    for (const raw of list) if (!takeChoice(asObject(raw) ?? { index: -1 }, events)) events.push({ kind: 'malformed' });
    if (usage !== undefined) events.push({ kind: 'usage', usage });
  };
  const take = ({ event, data = '' }: SseFrame, events: ChatEvent[]) => {
    const chunk = parseObject(data);
    if (data.trim() === '[DONE]') {
      isOver = true;
      for (const choice of choices.keys()) close(choice, events);
      events.push({ kind: 'end' });
    } else if (chunk === undefined) events.push({ kind: 'malformed' });
    else if (isErrorAnswer(chunk) || event === 'error') {
      isOver = true;
      events.push({ kind: 'error', error: errorInOk(chunk) });
    } else takeChunk(chunk, events);
  };

  return {
    push(frame) {
      const events: ChatEvent[] = [];
      if (!isOver) take(frame, events);
      return events;
    },
    end: () => [],
  };
}
