import type { Encoded, StreamDecoder, UpstreamDialect } from '../../chat/dialect.ts';
import type { ChatRequest } from '../../chat/request.ts';
import type { ChatEvent, ChatResponse, Finish } from '../../chat/response.ts';
import type { WireError } from '../../error.ts';
import { asObjects, asText, type JsonObject, parseObject } from '../../json.ts';
import { createAnswerWriter } from '../answer-writer.ts';
import { errorReader, strangeAnswer, vendorError } from '../errors.ts';
import { unspoken } from '../losses.ts';
import { flattened } from '../turns.ts';

const dialect = 'library-ask';
const maxDocuments = 50;
const whole: Finish = { reason: 'stop', raw: 'finish' };

/** Which library is asked is the record's to add. */
function encodeRequest(request: ChatRequest, { model }: { readonly model: string }): Encoded {
  const losses = unspoken(request, []);
  const body: JsonObject = { model, query: flattened(request, losses), stream: request.stream };
  return { body, losses: [...losses] };
}

/** What was found, as a list below the answer. */
function documentsText(body: JsonObject): string {
  const lines = asObjects(body.documents)
    .slice(0, maxDocuments)
    .map(({ title, url }, index) => {
      const name = asText(title) || asText(url);
      return `${index + 1}. ${asText(url) === '' ? name : `[${name.replaceAll(/[[\]]/g, ' ')}](${asText(url)})`}`;
    });
  return lines.length === 0 ? '' : `\n\n${lines.join('\n')}`;
}

function decodeResponse(body: JsonObject): ChatResponse {
  const text = asText(body.answer) + documentsText(body);
  return { id: '', model: asText(body.model), answers: [{ parts: text === '' ? [] : [{ kind: 'text', text }], finish: whole }] };
}

/** Frames of `{content, finish, model, documents}`. */
function createDecoder(): StreamDecoder {
  const writer = createAnswerWriter(dialect);
  return {
    push({ data = '' }): readonly ChatEvent[] {
      if (data.trim() === '[DONE]') return [{ kind: 'end' }];
      const frame = parseObject(data);
      if (frame === undefined) return [{ kind: 'malformed' }];
      const error = findError(frame);
      if (error !== undefined) return [{ kind: 'error', error }];
      writer.start('', asText(frame.model));
      writer.text(0, asText(frame.content));
      if (frame.finish === true) {
        writer.text(0, documentsText(frame));
        writer.finish(0, whole);
        writer.emit({ kind: 'end' });
      }
      return writer.take();
    },
    end: () => [],
  };
}

/** Errors come with status 200: `{success: false, errCode, message}`. */
function findError(body: JsonObject): WireError | undefined {
  if (body.success !== false && typeof body.errCode !== 'number') return undefined;
  if (body.success !== false && body.errCode === 0) return undefined;
  const code = typeof body.errCode === 'number' ? body.errCode : null;
  return vendorError(asText(body.message), code === 403 ? 'permission_error' : undefined, code);
}

/** A knowledge base that answers one question. */
export const libraryAsk: UpstreamDialect = {
  name: dialect,
  // Media have no place in it: fetching them would be in vain.
  mediaByUrl: ['image', 'file'],
  encodeRequest,
  decodeResponse,
  createDecoder,
  readError: errorReader(findError),
  readFailure: (body) => findError(body) ?? (typeof body.answer === 'string' ? undefined : strangeAnswer(body)),
};
