import type { Encoded, RequestContext, StreamDecoder, UpstreamDialect } from '../../chat/dialect.ts';
import type { ChatRequest } from '../../chat/request.ts';
import type { ChatResponse } from '../../chat/response.ts';
import type { WireError } from '../../error.ts';
import { asObject, asObjects, asText, defined, type JsonObject, parseObject } from '../../json.ts';
import { createAnswerWriter } from '../answer-writer.ts';
import { errorReader, strangeAnswer, vendorError } from '../errors.ts';
import { unspoken } from '../losses.ts';
import { alternating, systemText, textTurns } from '../turns.ts';

const dialect = 'palm-message';
const mostCandidates = 8;
const authors: Readonly<Record<string, string>> = { assistant: '1', user: '0', system: '0' };

/** The body of `:generateMessage`. */
function encodeRequest(request: ChatRequest, _context: RequestContext): Encoded {
  const losses = unspoken(request, ['temperature', 'top_p', 'top_k', 'choices']);
  const context = systemText(request);
  const messages = alternating(textTurns(request, losses)).map(({ role, text }) => ({ author: authors[role], content: text }));
  const { temperature, topP, topK, choices } = request;
  const settings = { temperature, topP, topK, candidateCount: choices > 1 ? Math.min(mostCandidates, choices) : undefined };
  if (choices > mostCandidates) losses.add('choices');
  const body: JsonObject = {
    prompt: { ...(context === '' ? {} : { context }), messages },
    ...defined(settings),
  };
  return { body, losses: [...losses] };
}

function textsOf(body: JsonObject): string[] {
  return asObjects(body.candidates).map(({ content }) => asText(content));
}

const finish = { reason: 'stop', raw: '' } as const;

function decodeResponse(body: JsonObject): ChatResponse {
  return { id: '', model: '', answers: textsOf(body).map((text) => ({ parts: [{ kind: 'text', text }], finish })) };
}

/** `{error: {code, message, status}}`, or no candidates but the filters that took them. */
function findError(body: JsonObject): WireError | undefined {
  const error = asObject(body.error);
  if (error !== undefined)
    return vendorError(asText(error.message), undefined, typeof error.code === 'number' ? error.code : null);
  const [filter] = asObjects(body.filters);
  if (filter === undefined || asObjects(body.candidates).length > 0) return undefined;
  return vendorError(`the prompt was refused: ${asText(filter.reason) || 'OTHER'}`, 'invalid_request_error', null);
}

function readFailure(body: JsonObject): WireError | undefined {
  return findError(body) ?? (Array.isArray(body.candidates) ? undefined : strangeAnswer(body));
}

/** There are no streams: the one event is the whole answer. */
function createDecoder(): StreamDecoder {
  const writer = createAnswerWriter(dialect);
  let isOver = false;
  return {
    push({ data }) {
      if (data === undefined || isOver) return [];
      const body = parseObject(data);
      if (body === undefined) return [{ kind: 'malformed' }];
      isOver = true;
      const error = readFailure(body);
      if (error !== undefined) return [{ kind: 'error', error }];
      writer.start('', '');
      for (const [choice, text] of textsOf(body).entries()) {
        writer.text(choice, text);
        writer.finish(choice, finish);
      }
      writer.emit({ kind: 'end' });
      return writer.take();
    },
    end: () => [],
  };
}

/** PaLM 2's chat, which is no longer developed. */
export const palmMessage: UpstreamDialect = {
  name: dialect,
  mediaByUrl: [],
  encodeRequest,
  decodeResponse,
  createDecoder,
  readError: errorReader(findError),
  readFailure,
};
