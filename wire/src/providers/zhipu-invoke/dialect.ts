import type { StreamDecoder, UpstreamDialect } from '../../chat/dialect.ts';
import type { ChatEvent, Finish } from '../../chat/response.ts';
import { asObject, asText, parseObject } from '../../json.ts';
import { createAnswerWriter } from '../answer-writer.ts';
import { namedUsage } from '../usage.ts';
import { dialect, encodeRequest } from './request.ts';
import { decodeResponse, errorOf, readError, readFailure } from './response.ts';

const finishes: ReadonlyMap<string, Finish['reason']> = new Map([
  ['finish', 'stop'],
  ['interrupted', 'content-filter'],
]);

/** Frames of `event`, `data` with plain text and, in the last one, `meta` with JSON. */
function createDecoder(): StreamDecoder {
  const writer = createAnswerWriter(dialect);
  return {
    push({ event, data = '', fields = {} }): readonly ChatEvent[] {
      const kind = event.replaceAll('"', '');
      if (kind === 'error') return [{ kind: 'error', error: errorOf(parseObject(data) ?? { msg: data }) }];
      const reason = finishes.get(kind);
      if (reason === undefined && kind !== 'add') return [{ kind: 'malformed' }];
      const meta = parseObject(fields.meta ?? '');
      writer.start(asText(meta?.task_id) || (fields.id ?? '').replaceAll('"', ''), '');
      writer.text(0, data);
      if (reason === undefined) return writer.take();
      const usage = namedUsage(asObject(meta?.usage));
      if (usage !== undefined) writer.emit({ kind: 'usage', usage });
      writer.finish(0, { reason, raw: kind });
      writer.emit({ kind: 'end' });
      return writer.take();
    },
    end: () => [],
  };
}

/** The third API of ChatGLM: a prompt of turns in, text lines out. */
export const zhipuInvoke: UpstreamDialect = {
  name: dialect,
  // Media have no place in it: fetching them would be in vain.
  mediaByUrl: ['image', 'file'],
  encodeRequest,
  decodeResponse,
  createDecoder,
  readError,
  readFailure,
};
