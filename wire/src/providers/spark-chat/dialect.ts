import type { StreamDecoder, UpstreamDialect } from '../../chat/dialect.ts';
import type { ChatEvent } from '../../chat/response.ts';
import { parseObject } from '../../json.ts';
import { createAnswerWriter } from '../answer-writer.ts';
import { dialect, encodeRequest } from './request.ts';
import { decodeResponse, findError, finishOf, readError, readFailure, readMessage } from './response.ts';

/** One frame per message of the socket. */
function createDecoder(): StreamDecoder {
  const writer = createAnswerWriter(dialect);
  let hasCall = false;
  return {
    push({ data = '' }): readonly ChatEvent[] {
      const body = parseObject(data);
      if (body === undefined) return [{ kind: 'malformed' }];
      const error = findError(body);
      if (error !== undefined) return [{ kind: 'error', error }];
      const message = readMessage(body);
      writer.start(message.id, '');
      writer.reasoning(0, message.reasoning);
      writer.text(0, message.text);
      const { call } = message;
      if (call !== undefined && (hasCall || call.name !== '')) {
        writer.call(0, 0, call, call.arguments);
        hasCall = true;
      }
      if (message.usage !== undefined) writer.emit({ kind: 'usage', usage: message.usage });
      if (message.isLast) {
        writer.finish(0, finishOf(hasCall));
        writer.emit({ kind: 'end' });
      }
      return writer.take();
    },
    end: () => [],
  };
}

/** Spark over a WebSocket. */
export const sparkChat: UpstreamDialect = {
  name: dialect,
  // Media have no place in it: fetching them would be in vain.
  mediaByUrl: ['image', 'file'],
  encodeRequest,
  decodeResponse,
  createDecoder,
  readError,
  readFailure,
};
