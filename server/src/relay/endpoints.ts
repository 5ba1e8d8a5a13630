/** Where API keys are looked for, in order (contract 5.1). */
export type KeyStyle = 'bearer';

/** What a relay path asks for. Every family that costs money goes through the one pipeline: there is no other way in. */
export type Endpoint =
  | { readonly family: 'chat'; readonly protocol: 'openai-chat'; readonly keyStyle: KeyStyle }
  | { readonly family: 'models'; readonly keyStyle: KeyStyle; readonly model: string | undefined }
  | { readonly family: 'not-implemented'; readonly keyStyle: KeyStyle };

const exact: Readonly<Record<string, Endpoint>> = {
  'POST /v1/chat/completions': { family: 'chat', protocol: 'openai-chat', keyStyle: 'bearer' },
  'GET /v1/models': { family: 'models', keyStyle: 'bearer', model: undefined },
};

/** Known to clients and answered 501 (contract 6.1), until their issue builds them. */
const notImplemented =
  /^(\w+) \/v1\/(completions|edits|embeddings|moderations|rerank|responses|messages|realtime|images\/\w+|audio\/\w+|files|files\/[^/]+(\/content)?|fine-tunes(\/.*)?|engines\/[^/]+\/embeddings)$/;
const oneModel = /^GET \/v1\/models\/(.+)$/;
const prefixes = ['/v1/', '/v1beta/'];

export function isRelayPath(path: string): boolean {
  return path === '/v1' || prefixes.some((prefix) => path.startsWith(prefix));
}

/** Matches the path as it came, without decoding or normalising: an unlisted spelling does not exist. */
export function findEndpoint(method: string, path: string): Endpoint | undefined {
  const trimmed = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  const route = `${method} ${trimmed}`;
  const found = Object.hasOwn(exact, route) ? exact[route] : undefined;
  if (found !== undefined) return found;
  const model = oneModel.exec(route)?.[1];
  if (model !== undefined) return { family: 'models', keyStyle: 'bearer', model: decoded(model) };
  return notImplemented.test(route) ? { family: 'not-implemented', keyStyle: 'bearer' } : undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
