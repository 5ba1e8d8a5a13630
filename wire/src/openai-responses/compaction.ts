import type { ClientDialect } from '../chat/dialect.ts';
import { openaiResponses } from './dialect.ts';
import { editRequest, peekRequest } from './request.ts';

/** POST /v1/responses/compact: a conversation comes back as a shorter one, in one piece and without a cap. */
export const compactionSurface: ClientDialect = {
  ...openaiResponses,
  name: 'responses-compact',
  uncapped: true,
  peekRequest(body) {
    const result = peekRequest(body);
    return result.ok ? { ok: true, peek: { ...result.peek, stream: false, cap: undefined } } : result;
  },
  editRequest: (body, peek, edits) => editRequest(body, peek, { ...edits, cap: undefined }),
  encodeResponse(response, context) {
    const { body, losses } = openaiResponses.encodeResponse(response, context);
    const { id, created_at, output, usage } = body;
    return { body: { id, object: 'response.compaction', created_at, output, usage }, losses };
  },
};
