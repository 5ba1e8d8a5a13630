import type { ChatProtocol } from './call.ts';

/** Models that the vendor serves by responses alone. */
const onlyResponses = /^(o1-pro|o3-pro|gpt-5[\d.]*-(pro|codex)|codex-|computer-use|o\d[\w-]*-deep-research)/;

/** In which of its dialects the OpenAI API speaks to a model. */
export function openaiDialects(model: string): readonly ChatProtocol[] {
  return onlyResponses.test(model) ? ['openai-responses'] : ['openai-chat', 'openai-responses', 'openai-completions'];
}
