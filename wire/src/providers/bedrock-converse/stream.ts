import type { StreamDecoder } from '../../chat/dialect.ts';
import type { ChatEvent } from '../../chat/response.ts';
import { asObject, asText, type JsonObject, parseObject } from '../../json.ts';
import { createAnswerWriter } from '../answer-writer.ts';
import { readStreamError } from './error.ts';
import { finishOf } from './response.ts';
import { dialect } from './types.ts';
import { readServed, readUsage } from './usage.ts';

/** Events carry their name beside the payload: `messageStart`, `contentBlockDelta` ... `metadata`, which is the last. */
export function createDecoder(): StreamDecoder {
  const writer = createAnswerWriter(dialect);
  let calls = 0;
  let isFinished = false;
  /** Nothing follows: the end or an error was told. */
  let isOver = false;

  const call = (piece: JsonObject) =>
    writer.call(0, calls, { id: asText(piece.toolUseId), name: asText(piece.name) }, asText(piece.input));

  /** Blocks without a start of their own open with their first piece. */
  const delta = (piece: JsonObject) => {
    writer.text(0, asText(piece.text));
    const use = asObject(piece.toolUse);
    if (use !== undefined) call(use);
    const thought = asObject(piece.reasoningContent);
    const redacted = asText(thought?.redactedContent);
    if (redacted !== '') writer.whole(0, { kind: 'reasoning', text: '', redacted, dialect });
    else writer.reasoning(0, asText(thought?.text), asText(thought?.signature));
  };

  const end = () => {
    isOver = true;
    writer.emit({ kind: 'end' });
  };

  const read = (event: string, body: JsonObject) => {
    writer.start('', '');
    if (event === 'contentBlockStart') {
      const use = asObject(asObject(body.start)?.toolUse);
      if (use === undefined) return;
      calls += 1;
      call(use);
    } else if (event === 'contentBlockDelta') delta(asObject(body.delta) ?? {});
    else if (event === 'contentBlockStop') writer.close(0);
    else if (event === 'messageStop') {
      writer.finish(0, finishOf(asText(body.stopReason)));
      isFinished = true;
    } else if (event === 'metadata') {
      const usage = readUsage(body.usage);
      if (usage !== undefined) writer.emit({ kind: 'usage', usage });
      const served = readServed(body);
      if (served.serviceTier !== undefined) writer.emit({ kind: 'extra', extra: { dialect, fields: {} }, ...served });
      if (isFinished) end();
    }
  };

  return {
    push({ event, data }): readonly ChatEvent[] {
      if (data === undefined || isOver) return [];
      const body = parseObject(data);
      if (body === undefined) return [{ kind: 'malformed' }];
      const error = event === 'error' || asObject(body.error) !== undefined ? readStreamError(body) : undefined;
      if (error === undefined) read(event, body);
      else {
        isOver = true;
        writer.emit({ kind: 'error', error });
      }
      return writer.take();
    },
    end() {
      if (isOver) return [];
      writer.cut();
      if (isFinished) end();
      return writer.take();
    },
  };
}
