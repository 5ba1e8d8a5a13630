import { anthropicMessages } from './anthropic-messages/dialect.ts';
import type { ClientDialect, UpstreamDialect } from './chat/dialect.ts';
import { geminiGenerate } from './gemini-generate/dialect.ts';
import { openaiChat } from './openai-chat/dialect.ts';
import { openaiCompletions } from './openai-completions/dialect.ts';
import { openaiResponses } from './openai-responses/dialect.ts';
import { providerDialects } from './providers/index.ts';

/** Dialects that callers speak. A new one is a folder, its fixtures and a line here. */
export const clientDialects: readonly ClientDialect[] = [
  openaiChat,
  anthropicMessages,
  openaiResponses,
  geminiGenerate,
  openaiCompletions,
];

const byName = new Map<string, UpstreamDialect>(
  [...clientDialects, ...providerDialects].map((dialect) => [dialect.name, dialect]),
);
const clientsByName = new Map(clientDialects.map((dialect) => [dialect.name, dialect]));

/** The dialect of that name, as far as upstreams are concerned. */
export function upstreamDialect(name: string): UpstreamDialect | undefined {
  return byName.get(name);
}

/** The dialect of that name, when callers may speak it. */
export function clientDialect(name: string): ClientDialect | undefined {
  return clientsByName.get(name);
}
