import type { Part } from './parts.ts';
import type { ChatRequest } from './request.ts';

/** Whose callers know that the word must be there, and are told so by the upstream. */
const knowing = /^openai-/;

const texts = (part: Part): readonly string[] => {
  if (part.kind === 'text') return [part.text];
  return part.kind === 'tool-result' ? part.content.flatMap(texts) : [];
};

/**
 * OpenAI's dialects refuse an answer in JSON unless the conversation names it; callers of other dialects have only to ask for it.
 * Returns the same request where nothing is missing.
 */
export function nameJson(request: ChatRequest): ChatRequest {
  const { output, extra, system, messages } = request;
  if (output?.kind !== 'json' || extra === undefined || knowing.test(extra.dialect)) return request;
  const said = [...system, ...messages.flatMap(({ parts }) => parts)].flatMap(texts);
  if (said.some((text) => /json/i.test(text))) return request;
  return { ...request, system: [...system, { kind: 'text', text: 'Answer in JSON.' }] };
}
