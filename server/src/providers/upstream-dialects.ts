type Json = Readonly<Record<string, unknown>>;

/** One dialect, its cheapest harmless request, and what tells that an upstream speaks it (contract 4.14). */
interface UpstreamDialect {
  readonly name: string;
  readonly path: string;
  /** Absent = a GET. */
  readonly body?: (model: string) => Json;
  readonly headers: (key: string) => Record<string, string>;
  /** Is this body a success of the dialect? */
  readonly answers: (body: Json) => boolean;
  /** Is this body a refusal of the dialect? Absent: only a success counts. */
  readonly refuses?: (body: Json) => boolean;
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const errorOf = (body: Json): Json => (typeof body.error === 'object' && body.error !== null ? (body.error as Json) : {});
const plainError = (body: Json) =>
  body.type !== 'error' && typeof errorOf(body).message === 'string' && !('status' in errorOf(body));
const empty = () => ({});

/** In the order of the console's dialog. */
export const upstreamDialects: readonly UpstreamDialect[] = [
  {
    name: 'openai-models',
    path: '/v1/models',
    headers: bearer,
    answers: (body) => Array.isArray(body.data),
    refuses: plainError,
  },
  {
    name: 'openai-chat',
    path: '/v1/chat/completions',
    body: (model) => ({ model, messages: [{ role: 'user', content: 'hi' }], max_tokens: 1 }),
    headers: bearer,
    answers: (body) => Array.isArray(body.choices),
    refuses: plainError,
  },
  {
    name: 'openai-responses',
    path: '/v1/responses',
    body: empty,
    headers: bearer,
    answers: (body) => body.object === 'response',
    refuses: plainError,
  },
  {
    name: 'openai-embeddings',
    path: '/v1/embeddings',
    body: empty,
    headers: bearer,
    answers: (body) => Array.isArray(body.data),
    refuses: plainError,
  },
  {
    name: 'claude',
    path: '/v1/messages',
    body: empty,
    headers: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
    answers: (body) => body.type === 'message',
    refuses: (body) => body.type === 'error' && typeof errorOf(body).message === 'string',
  },
  {
    name: 'gemini',
    path: '/v1beta/models',
    headers: (key) => ({ 'x-goog-api-key': key }),
    answers: (body) => Array.isArray(body.models),
    refuses: (body) => typeof errorOf(body).status === 'string' && typeof errorOf(body).code === 'number',
  },
  {
    name: 'one-api',
    path: '/api/status',
    headers: empty,
    answers: (body) => body.success === true && typeof body.data === 'object' && body.data !== null,
  },
];
