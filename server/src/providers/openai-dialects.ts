import type { ChatProtocol, Wants } from './call.ts';
import { thinksUnasked } from './openai-efforts.ts';

/** Models that the vendor serves by responses alone. */
const onlyResponses = /^(o1-pro|o3-pro|gpt-[5-9][\d.]*-(pro|codex)|codex-|computer-use|o\d[\w-]*-deep-research)/;
/** Models, from 5.4 on, that think or call functions in chat, but not both: for that the vendor has responses. */
const eitherInChat = /^gpt-(?:5\.(?:[4-9]|\d\d)|[6-9])(?!.*-chat)/;
/** Models that call none in chat at all. */
const neverInChat = /^gpt-(?:6-astra|6\.\d|[7-9])(?!.*-chat)/;

/** In which of its dialects the OpenAI API speaks to a model. */
export function openaiDialects(model: string, wants?: Wants): readonly ChatProtocol[] {
  if (onlyResponses.test(model) || callsOnlyThere(model, wants)) return ['openai-responses'];
  return ['openai-chat', 'openai-responses', 'openai-completions'];
}

function callsOnlyThere(model: string, wants: Wants | undefined): boolean {
  if (wants?.tools !== true || !eitherInChat.test(model)) return false;
  return neverInChat.test(model) || (wants.thoughts ?? thinksUnasked(model));
}
