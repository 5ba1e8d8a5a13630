import type { StreamDecoder, UpstreamDialect } from '../../chat/dialect.ts';
import type { ChatEvent, Finish } from '../../chat/response.ts';
import { asObject, asText, type JsonObject, parseObject } from '../../json.ts';
import { createAnswerWriter } from '../answer-writer.ts';
import { vendorError } from '../errors.ts';
import { dialect, encodeRequest } from './request.ts';
import { decodeResponse, findError, give, readError, readFailure, start, usageOf, whole } from './response.ts';
import { createThinkTags } from './think-tags.ts';

/** Chatflows and agents speak in `message` and `agent_message`; steps of a workflow and pings say nothing to a caller. */
function createDecoder(): StreamDecoder {
  const writer = createAnswerWriter(dialect);
  const tags = createThinkTags();
  let finish: Finish = whole;
  const say = (frame: JsonObject) => give(writer, tags.push(asText(frame.answer)));
  const end = (frame: JsonObject) => {
    give(writer, tags.end());
    const usage = usageOf(frame);
    if (usage !== undefined) writer.emit({ kind: 'usage', usage });
    writer.finish(0, finish);
    writer.emit({ kind: 'end' });
  };
  // The application's moderation has the last word.
  const takeBack = () => {
    finish = { reason: 'content-filter', raw: 'message_replace' };
  };
  const on = new Map<string, (frame: JsonObject) => void>([
    ['message', say],
    ['agent_message', say],
    ['message_replace', takeBack],
    ['message_end', end],
  ]);
  return {
    push({ data = '' }): readonly ChatEvent[] {
      const frame = parseObject(data);
      if (frame === undefined) return [{ kind: 'malformed' }];
      const error = findError(frame) ?? failedRun(frame);
      if (error !== undefined) return [{ kind: 'error', error }];
      const handle = on.get(asText(frame.event));
      if (handle === undefined) return [];
      start(writer, frame);
      handle(frame);
      return writer.take();
    },
    end: () => [],
  };
}

/** A workflow that breaks says so in its last step, and no error follows. */
function failedRun(frame: JsonObject) {
  if (frame.event !== 'error' && frame.event !== 'workflow_finished') return undefined;
  const data = asObject(frame.data);
  if (frame.event === 'error') return vendorError(asText(frame.message), undefined, null);
  return data?.status === 'failed' ? vendorError(asText(data.error), undefined, null) : undefined;
}

/** An application of Dify: chatflow or agent. */
export const difyChat: UpstreamDialect = {
  name: dialect,
  // Files have no place in it: fetching them would be in vain.
  mediaByUrl: ['image', 'file'],
  encodeRequest,
  decodeResponse,
  createDecoder,
  readError,
  readFailure,
};
