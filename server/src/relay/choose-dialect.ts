import { findMember, memberText, upstreamDialect } from '@tollgate/wire';
import type { ChatProtocol, Protocol, Provider, Wants } from '../providers/index.ts';
import type { Inquiry } from './inquiry.ts';

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

/** May it be asked for on behalf of another protocol? Families have no dialect, and some dialects hold no conversation. */
function converses(protocol: Protocol): boolean {
  const dialect = upstreamDialect(protocol);
  return dialect !== undefined && dialect.promptOnly !== true;
}

/** The protocol a provider is asked in; undefined = it cannot serve the caller's. */
export function chooseProtocol(asked: Protocol, provider: Provider, model: string, wants?: Wants): Protocol | undefined {
  const { paths } = provider;
  const order = preferences[asked];
  if (order === undefined) return paths[asked] === undefined ? undefined : asked;
  const spoken = provider.dialectsOf?.(model, wants) ?? Object.keys(paths);
  const speaks = (protocol: Protocol) => paths[protocol] !== undefined && spoken.includes(protocol);
  if (speaks(asked)) return asked;
  return order.find(speaks) ?? spoken.find((protocol) => converses(protocol) && speaks(protocol));
}

const longestEffort = 16;

/**
 * What a request wants, told from its bytes without reading them. `effort` is what the channel or the model's name say
 * instead. Where a caller of another dialect speaks of thoughts is not looked for: it may want them.
 */
export function wantsOf({ protocol, bytes, peek: { scan } }: Inquiry, effort: unknown): Wants {
  const has = (key: string) => {
    const list = findMember(scan, key);
    return list?.kind === 'array' && list.valueEnd - list.valueStart > '[]'.length;
  };
  const own = protocol === 'openai-chat' ? memberText(bytes, findMember(scan, 'reasoning_effort'), longestEffort) : 'unread';
  const said = effort ?? own;
  return { tools: has('tools') || has('functions'), thoughts: said === undefined ? undefined : said !== 'none' };
}
