import type { StreamDecoder } from '../../chat/dialect.ts';
import type { ChatEvent } from '../../chat/response.ts';
import { asObject, asText, parseObject } from '../../json.ts';
import { createAnswerWriter } from '../answer-writer.ts';
import { namedUsage } from '../usage.ts';
import { findError } from './error.ts';
import { callId, createdOf, dialect, finishOf } from './types.ts';

/** Each frame has a piece of the answer and the usage so far; `is_end` marks the last one. */
export function createDecoder(): StreamDecoder {
  const writer = createAnswerWriter(dialect);
  let hasCall = false;
  return {
    push({ data = '' }): readonly ChatEvent[] {
      const frame = parseObject(data);
      if (frame === undefined) return [{ kind: 'malformed' }];
      const error = findError(frame);
      if (error !== undefined) return [{ kind: 'error', error }];
      writer.start(asText(frame.id), '', createdOf(frame));
      writer.text(0, asText(frame.result));
      const call = asObject(frame.function_call);
      if (call !== undefined && (hasCall || asText(call.name) !== '')) {
        writer.call(0, 0, { id: callId(frame), name: asText(call.name) }, asText(call.arguments));
        hasCall = true;
      }
      const usage = namedUsage(asObject(frame.usage));
      if (usage !== undefined) writer.emit({ kind: 'usage', usage });
      if (frame.is_end === true) {
        writer.finish(0, finishOf(frame, hasCall));
        writer.emit({ kind: 'end' });
      }
      return writer.take();
    },
    end: () => [],
  };
}
