import type { Protocol } from '../providers/index.ts';
import type { AccountView } from './account-views.ts';
import { decoded, findTaskEndpoint, isTaskPath, type TaskEndpoint } from './tasks/routes.ts';

/** Whose list of models a path shows. */
export type ModelList = 'plain' | 'gemini-generate' | 'anthropic-messages';

/** What a relay path asks for. Everything that costs money is of the kind `relay` or `task`: there is no other way in. */
export type Endpoint =
  | {
      readonly kind: 'relay';
      readonly protocol: Protocol;
      /** What the path says instead of the body. */
      readonly model?: string;
      readonly stream?: boolean;
      /** Of a ranking: of all documents unless the body says of how many, and without their texts. */
      readonly ranksAll?: boolean;
    }
  | { readonly kind: 'count-tokens'; readonly protocol: Protocol; readonly model?: string }
  | { readonly kind: 'models'; readonly list: ModelList; readonly model: string | undefined }
  | { readonly kind: 'account'; readonly view: AccountView; readonly requestId?: string }
  | TaskEndpoint
  /** A chat of somebody who is signed in. */
  | { readonly kind: 'playground' }
  | { readonly kind: 'not-implemented' };

const relay = (protocol: Protocol): Endpoint => ({ kind: 'relay', protocol });

const account = (view: AccountView): Endpoint => ({ kind: 'account', view });

export const exact: Readonly<Record<string, Endpoint>> = {
  'POST /v1/chat/completions': relay('openai-chat'),
  'POST /pg/chat/completions': { kind: 'playground' },
  'POST /v1/completions': relay('openai-completions'),
  'POST /v1/responses': relay('openai-responses'),
  'POST /v1/responses/compact': relay('responses-compact'),
  'POST /v1/decisions': relay('decisions'),
  'POST /v1/responses/input_tokens': { kind: 'count-tokens', protocol: 'openai-responses' },
  'POST /v1/messages': relay('anthropic-messages'),
  'POST /v1/messages/count_tokens': { kind: 'count-tokens', protocol: 'anthropic-messages' },
  'POST /v1/embeddings': relay('embeddings'),
  'POST /v1/moderations': relay('moderations'),
  'POST /v1/rerank': relay('rerank'),
  'POST /v2/rerank': { kind: 'relay', protocol: 'rerank', ranksAll: true },
  'POST /v1/images/generations': relay('images'),
  'POST /v1/images/edits': relay('image-edits'),
  'POST /v1/images/variations': relay('image-variations'),
  'POST /v1/audio/speech': relay('speech'),
  'POST /v1/audio/transcriptions': relay('transcriptions'),
  'POST /v1/audio/translations': relay('translations'),
  'GET /v1/realtime': relay('realtime'),
  'GET /dashboard/billing/subscription': account('subscription'),
  'GET /dashboard/billing/usage': account('billing-usage'),
  'GET /v1/dashboard/billing/subscription': account('subscription'),
  'GET /v1/dashboard/billing/usage': account('billing-usage'),
  'GET /v1/credits': account('credits'),
  'GET /v1/balance': account('balance'),
  'GET /v1/usage': account('usage'),
  'GET /v1/limits': account('limits'),
  'GET /v1/models': { kind: 'models', list: 'plain', model: undefined },
  'GET /v1beta/models': { kind: 'models', list: 'gemini-generate', model: undefined },
};

/** By method and path, so that a call need not join the two. */
const exactPaths = new Map<string, Map<string, Endpoint>>();
for (const [route, endpoint] of Object.entries(exact)) {
  const [method = '', path = ''] = route.split(' ');
  exactPaths.set(method, (exactPaths.get(method) ?? new Map<string, Endpoint>()).set(path, endpoint));
}

/** What `{}` stands for: a model's name, which may hold slashes, or the id of a request. */
export const named: Readonly<Record<string, (name: string) => Endpoint>> = {
  'GET /v1/models/{}': (model) => ({ kind: 'models', list: 'plain', model }),
  'GET /v1beta/models/{}': (model) => ({ kind: 'models', list: 'gemini-generate', model }),
  'GET /v1/cost/{}': (requestId) => ({ kind: 'account', view: 'cost', requestId }),
  'POST /v1/engines/{}/embeddings': (model) => ({ kind: 'relay', protocol: 'embeddings', model }),
  // The vendor's own client asks below /v1 since its third version.
  ...modelActions('/v1beta'),
  ...modelActions('/v1'),
};

function modelActions(root: string): Record<string, (model: string) => Endpoint> {
  const at = (action: string) => `POST ${root}/models/{}:${action}`;
  return {
    [at('generateContent')]: (model) => ({ kind: 'relay', protocol: 'gemini-generate', model, stream: false }),
    [at('streamGenerateContent')]: (model) => ({ kind: 'relay', protocol: 'gemini-generate', model, stream: true }),
    [at('embedContent')]: (model) => ({ kind: 'relay', protocol: 'gemini-embed', model }),
    [at('batchEmbedContents')]: (model) => ({ kind: 'relay', protocol: 'gemini-batch-embed', model }),
    [at('countTokens')]: (model) => ({ kind: 'count-tokens', protocol: 'gemini-generate', model }),
  };
}

/** Split at the name, so that matching needs no pattern. */
const patterns = Object.entries(named).map(([route, endpoint]) => {
  const [before = '', after = ''] = route.split('{}');
  return { before, after, endpoint };
});

/** Known to clients and answered 501 (contract 6.1); what upstreams keep is not fetched where nobody meters it. */
const notOffered: readonly RegExp[] = [
  /^POST \/v1\/edits$/,
  /^(GET|POST) \/v1\/files$/,
  /^(GET|DELETE) \/v1\/files\/[^/]+$/,
  /^GET \/v1\/files\/[^/]+\/content$/,
  /^(GET|POST) \/v1\/fine-tunes(\/.*)?$/,
  /^DELETE \/v1\/models\/.+$/,
  /^(GET|DELETE) \/v1\/responses\/[^/]+$/,
  /^POST \/v1\/responses\/[^/]+(\/cancel)?$/,
  /^GET \/v1\/responses\/[^/]+\/input_items$/,
  /^(GET|POST|DELETE) \/v1\/conversations(\/.*)?$/,
  /^POST \/v1\/realtime\/.+$/,
];
const prefixes = ['/v1/', '/v2/', '/pg/', '/v1beta/', '/dashboard/billing/'];

export function isRelayPath(path: string): boolean {
  return path === '/v1' || prefixes.some((prefix) => path.startsWith(prefix)) || isTaskPath(path);
}

/** What the console's own pages alone may ask: they come with a session, so that no other page may read the answer. */
export function isConsolePath(path: string): boolean {
  return path.startsWith('/pg/');
}

/** Where a connection may become a WebSocket. */
export function isSocketPath(path: string): boolean {
  const endpoint = findEndpoint('GET', path);
  return (endpoint?.kind === 'relay' && endpoint.protocol === 'realtime') || isConversationPath(path);
}

/** Where the messages of a WebSocket are calls. */
export function isConversationPath(path: string): boolean {
  const endpoint = findEndpoint('POST', path);
  return endpoint?.kind === 'relay' && endpoint.protocol === 'openai-responses';
}

/** Matches the path as it came, without decoding or normalising: an unlisted spelling does not exist. */
export function findEndpoint(method: string, path: string): Endpoint | undefined {
  if (method === 'HEAD') return lookedAt(findEndpoint('GET', path));
  const trimmed = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  const known = exactPaths.get(method)?.get(trimmed);
  if (known !== undefined) return known;
  const route = `${method} ${trimmed}`;
  for (const { before, after, endpoint } of patterns) {
    const end = route.length - after.length;
    if (end > before.length && route.startsWith(before) && route.endsWith(after))
      return endpoint(decoded(route.slice(before.length, end)));
  }
  return findTaskEndpoint(method, trimmed) ?? notOfferedAt(route);
}

/** Monitors ask without a body for what is only shown; nothing is fetched or begun for them. */
function lookedAt(endpoint: Endpoint | undefined): Endpoint | undefined {
  return endpoint?.kind === 'models' || endpoint?.kind === 'account' ? endpoint : undefined;
}

function notOfferedAt(route: string): Endpoint | undefined {
  return notOffered.some((shape) => shape.test(route)) ? { kind: 'not-implemented' } : undefined;
}

/** The dialect that errors on a path are told in. */
export function dialectOfPath(path: string, endpoint: Endpoint | undefined): string {
  if (path.startsWith('/v1beta/')) return 'gemini-generate';
  if (endpoint?.kind === 'task') return endpoint.surface;
  return endpoint !== undefined && 'protocol' in endpoint ? endpoint.protocol : 'openai-chat';
}
