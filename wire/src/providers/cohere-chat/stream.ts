import type { StreamDecoder } from '../../chat/dialect.ts';
import type { ChatEvent } from '../../chat/response.ts';
import { asObject, asText, type JsonObject, parseObject } from '../../json.ts';
import { createAnswerWriter } from '../answer-writer.ts';
import { vendorError } from '../errors.ts';
import { finishOf, readUsage } from './response.ts';
import { dialect } from './types.ts';

/** Events name themselves in `type`; `message-end` is the last. A text stays open for the citations behind it. */
export function createDecoder(): StreamDecoder {
  const writer = createAnswerWriter(dialect);
  let calls = 0;
  /** The number that the upstream gives to the call that was begun last: no other goes on. */
  let called: unknown = null;
  let isOver = false;

  const call = (index: unknown, piece: JsonObject) => {
    const inner = asObject(piece.function);
    if (index === called) writer.call(0, calls, { id: asText(piece.id), name: asText(inner?.name) }, asText(inner?.arguments));
  };

  const fail = (body: JsonObject) => {
    const message = asText(asObject(body.error)?.message) || asText(body.error) || asText(body.message);
    isOver = message !== '';
    writer.emit(isOver ? { kind: 'error', error: vendorError(message, undefined, null) } : { kind: 'malformed' });
  };

  const finish = ({ finish_reason, error, usage: raw }: JsonObject) => {
    const reason = asText(finish_reason);
    if (asText(error) !== '' && (reason === '' || reason === 'ERROR')) return fail({ error });
    writer.finish(0, finishOf(reason));
    const usage = readUsage(raw);
    if (usage !== undefined) writer.emit({ kind: 'usage', usage });
    isOver = true;
    writer.emit({ kind: 'end' });
  };

  const read = (body: JsonObject) => {
    const delta = asObject(body.delta) ?? {};
    const message = asObject(delta.message) ?? {};
    const content = asObject(message.content);
    switch (body.type) {
      case 'message-start':
        return writer.start(asText(body.id), '');
      case 'content-start':
      case 'content-delta':
        if (body.type === 'content-start') writer.close(0);
        if (asText(content?.thinking) === '') writer.text(0, asText(content?.text));
        else writer.reasoning(0, asText(content?.thinking));
        return;
      case 'tool-plan-delta':
        return writer.reasoning(0, asText(message.tool_plan));
      case 'tool-call-start':
        calls += 1;
        called = body.index;
        return call(called, asObject(message.tool_calls) ?? {});
      case 'tool-call-delta':
        return call(body.index, asObject(message.tool_calls) ?? {});
      case 'citation-start': {
        const citation = asObject(message.citations);
        return citation === undefined ? undefined : writer.cite(0, citation);
      }
      case 'message-end':
        return finish(delta);
      default:
        return typeof body.type === 'string' ? undefined : fail(body);
    }
  };

  return {
    push({ data }): readonly ChatEvent[] {
      if (data === undefined || isOver) return [];
      const body = parseObject(data);
      if (body === undefined) return [{ kind: 'malformed' }];
      read(body);
      return writer.take();
    },
    end() {
      if (isOver) return [];
      writer.cut();
      return writer.take();
    },
  };
}
