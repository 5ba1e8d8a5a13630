import type { ChatProtocol, Protocol, Provider } from '../providers/index.ts';

/**
 * In which dialect an upstream is asked, the best first. Many who speak openai-chat say that they speak openai-responses,
 * and do not: a caller of another dialect gets the older one. Dialects of one vendor alone come last.
 */
const preferences: Readonly<Record<string, readonly ChatProtocol[]>> = {
  'openai-chat': ['anthropic-messages', 'gemini-generate', 'openai-responses'],
  'openai-completions': ['openai-chat', 'anthropic-messages', 'gemini-generate', 'openai-responses'],
  'openai-responses': ['openai-chat', 'anthropic-messages', 'gemini-generate'],
  'anthropic-messages': ['openai-chat', 'gemini-generate', 'openai-responses'],
  'gemini-generate': ['openai-chat', 'anthropic-messages', 'openai-responses'],
};

/** What is never asked for on behalf of another protocol: it cannot hold a conversation. */
const nativeOnly: ReadonlySet<string> = new Set(['openai-completions']);

/** The protocol a provider is asked in; undefined = it cannot serve the caller's. */
export function chooseProtocol(asked: Protocol, provider: Provider, model: string): Protocol | undefined {
  const { paths } = provider;
  const order = preferences[asked];
  if (order === undefined) return paths[asked] === undefined ? undefined : asked;
  const spoken = provider.dialectsOf?.(model) ?? Object.keys(paths);
  const speaks = (protocol: Protocol) => paths[protocol] !== undefined && spoken.includes(protocol);
  if (speaks(asked)) return asked;
  return order.find(speaks) ?? spoken.find((protocol) => !nativeOnly.has(protocol) && speaks(protocol) && isChat(protocol));
}

/** Families are names without a vendor's or a dialect's prefix; the record's type keeps them apart. */
const families: ReadonlySet<string> = new Set([
  ...['embeddings', 'rerank', 'moderations', 'images', 'image-edits', 'image-variations'],
  ...['speech', 'transcriptions', 'translations', 'realtime', 'gemini-embed', 'gemini-batch-embed'],
]);

function isChat(protocol: Protocol): boolean {
  return !families.has(protocol);
}
