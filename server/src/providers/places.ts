import type { Protocol } from './call.ts';
import type { Place, Provider } from './provider.ts';

/** Where the OpenAI API has what, below its root. */
const suffixes: Readonly<Partial<Record<Protocol, string>>> = {
  'openai-chat': '/chat/completions',
  'openai-completions': '/completions',
  'openai-responses': '/responses',
  'responses-compact': '/responses/compact',
  decisions: '/decisions',
  'anthropic-messages': '/messages',
  embeddings: '/embeddings',
  rerank: '/rerank',
  moderations: '/moderations',
  images: '/images/generations',
  'image-edits': '/images/edits',
  'image-variations': '/images/variations',
  speech: '/audio/speech',
  transcriptions: '/audio/transcriptions',
  translations: '/audio/translations',
};

export const texts: readonly Protocol[] = ['openai-chat', 'openai-completions'];
export const sounds: readonly Protocol[] = ['speech', 'transcriptions', 'translations'];
export const pictures: readonly Protocol[] = ['images', 'image-edits', 'image-variations'];

/** What relays in front of the OpenAI API forward. */
export const relayed: readonly Protocol[] = [...texts, 'embeddings', 'rerank', 'moderations', ...pictures, ...sounds, 'realtime'];

/** The AI gateway of Cloudflare has one address for each vendor, which stands for its host and root (contract 6.2). */
export const cloudflareGateway = 'https://gateway.ai.cloudflare.com/';

/** The whole address of a vendor's path below a channel's. `base` has no slash at its end. */
export function below(base: string, path: string, fronted: Provider['fronted']): string {
  const isShort = fronted !== undefined && base.startsWith(fronted.by) && path.startsWith(`${fronted.without}/`);
  return base + (isShort ? path.slice(fronted.without.length) : path);
}

/** The paths of an API that has these under its root, named as the OpenAI API names them. `home`: its address without one of the channel's own. */
export function under(root: string, protocols: readonly Protocol[], home = ''): Provider['paths'] {
  const place = (protocol: Protocol) => (protocol === 'realtime' ? sessions(root, home) : root + (suffixes[protocol] ?? ''));
  return Object.fromEntries(protocols.map((protocol) => [protocol, place(protocol)]));
}

/** A session is asked for that writes down what is said, and does not answer. */
export function onlyWrites(query: URLSearchParams | undefined): boolean {
  return query?.get('intent') === 'transcription';
}

const vendor = 'https://api.openai.com';

/**
 * Where a session is opened. One that only writes down is asked for by its intent: the vendor takes no model beside it, which
 * is told in the session; whoever stands in between finds its own way by the one in the address.
 */
function sessions(root: string, home: string): Place {
  return ({ channel: { baseUrl }, query }) => {
    if (!onlyWrites(query)) return `${root}/realtime?model={model}`;
    const base = baseUrl || home;
    const isVendors = base.startsWith(vendor) || base.startsWith(cloudflareGateway);
    return `${root}/realtime?intent=transcription${isVendors ? '' : '&model={model}'}`;
  };
}
