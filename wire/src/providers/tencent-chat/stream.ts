import type { StreamDecoder } from '../../chat/dialect.ts';
import type { ChatEvent } from '../../chat/response.ts';
import { asCount, asObject, asObjects, asText, type JsonObject, parseObject } from '../../json.ts';
import { createAnswerWriter } from '../answer-writer.ts';
import { findError } from './error.ts';
import { createdOf, dialect, finishOf, usageOf } from './types.ts';

const lastChoice = 127;

/** One chunk per frame, not wrapped; every chunk repeats the usage so far. Some streams end with `[DONE]`, others just end. */
export function createDecoder(): StreamDecoder {
  const writer = createAnswerWriter(dialect);
  let isFinished = false;
  let isOver = false;

  const choice = (raw: JsonObject) => {
    const index = asCount(raw.Index, lastChoice) ?? 0;
    const delta = asObject(raw.Delta) ?? {};
    writer.reasoning(index, asText(delta.ReasoningContent));
    writer.text(index, asText(delta.Content));
    for (const call of asObjects(delta.ToolCalls)) {
      const { Name, Arguments } = asObject(call.Function) ?? {};
      const key = typeof call.Index === 'number' ? call.Index : asText(call.Id);
      writer.call(index, key, { id: asText(call.Id), name: asText(Name) }, asText(Arguments));
    }
    const finish = finishOf(raw);
    if (finish === undefined) return;
    writer.finish(index, finish);
    isFinished = true;
  };

  return {
    push({ data = '' }): readonly ChatEvent[] {
      if (data.trim() === '[DONE]') {
        isOver = true;
        return [{ kind: 'end' }];
      }
      const chunk = parseObject(data);
      if (chunk === undefined) return [{ kind: 'malformed' }];
      const error = findError(chunk);
      if (error !== undefined) return [{ kind: 'error', error }];
      writer.start(asText(chunk.Id), asText(chunk.Model), createdOf(chunk));
      for (const raw of asObjects(chunk.Choices)) choice(raw);
      const usage = usageOf(chunk);
      if (usage !== undefined) writer.emit({ kind: 'usage', usage });
      return writer.take();
    },
    end: () => (isFinished && !isOver ? [{ kind: 'end' }] : []),
  };
}
