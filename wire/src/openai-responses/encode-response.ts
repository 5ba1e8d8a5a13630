import type { AnswerContext, Encoded } from '../chat/dialect.ts';
import { createLosses } from '../chat/losses.ts';
import type { ChatResponse } from '../chat/response.ts';
import type { JsonObject } from '../json.ts';
import { echoOf, endingOf, spellAnswer } from './answer.ts';
import { ownFields } from './extra.ts';
import { createItemIds, idPrefix, spellPart } from './spell-items.ts';

/** Spells a whole answer: the first one, when there are several. */
export function encodeResponse(response: ChatResponse, context: AnswerContext): Encoded {
  const losses = createLosses();
  const [answer, ...others] = response.answers;
  if (others.length > 0) losses.lose('choices');
  const newId = createItemIds(context.id);
  let logprobs = answer?.logprobs ?? [];
  const output: JsonObject[] = [];
  for (const part of answer?.parts ?? []) {
    output.push(...spellPart(part, newId(idPrefix(part.kind)), losses, logprobs));
    if (part.kind === 'text') logprobs = [];
  }
  if (logprobs.length > 0) losses.lose('logprobs');
  const ending = endingOf(answer?.finish, answer?.parts.some(({ kind }) => kind === 'refusal') === true, losses);
  const { usage, serviceTier, extra } = response;
  const own = ownFields(extra, losses);
  const body = spellAnswer(context, echoOf(context.request), { ending, output, usage, serviceTier }, losses);
  return { body: { ...body, ...own }, losses: losses.list() };
}
