import { anthropicMessages, chat, clientDialect, type JsonObject, openaiResponses, upstreamDialect } from '@tollgate/wire';
import { adapted } from './adapted.ts';
import { type AnswerTransform, crossingPlan } from './answer-plan.ts';
import type { Asked, Unsent } from './asked.ts';
import { type Building, defaultCap, otherName } from './builder.ts';
import { type Called, callerNames, inSeries } from './called-names.ts';
import { localFault, notServed } from './faults.ts';
import { bodyOf, decodedRequest, echoed, type Inquiry } from './inquiry.ts';
import { inlined, keptMedia, refuseTooManyImages } from './media.ts';
import { overriddenFields, upstreamUrl } from './prepare-channel.ts';
import { summaryPlan } from './summaries.ts';
import { systemPromptOf, withSystemPrompt } from './system-prompt.ts';
import { answerChange } from './thoughts.ts';

/** By dialect: the members that name words which only its own upstream keeps. */
const keptWords: Readonly<Record<string, readonly string[]>> = {
  'openai-responses': ['prompt'],
  'anthropic-messages': ['thread'],
  'gemini-generate': ['cachedContent', 'continuationToken'],
};

/** The request in the upstream's dialect, which is not the caller's. Throws or rejects with RelayFault. */
export function crossing(building: Building): Unsent | Promise<Unsent> {
  const { asked, channel, provider, call } = building;
  const from = upstreamDialect(call.protocol);
  const to = callerDialect(asked.inquiry);
  if (from === undefined || to === undefined) throw notServed(channel.type);
  const { continues } = asked.inquiry;
  // Another channel may speak what the caller speaks.
  if (continues !== undefined) throw localFault('state_not_kept', { field: continues.field }, { retryable: true });
  const own = { ...requestFor(asked, to), stream: call.stream, wantsUsage: provider.streamUsage };
  const item = openaiResponses.keptItem(own.messages);
  if (item !== undefined) throw localFault('state_not_kept', { field: item }, { param: 'input', retryable: true });
  const field = keptWords[own.extra?.dialect ?? '']?.find((name) => own.extra?.fields[name] !== undefined);
  if (field !== undefined) throw localFault('state_not_kept', { field }, { param: field, retryable: true });
  refuseTooManyImages(own, provider.maxImages?.(call.protocol));
  const shortens = to === openaiResponses.compactionSurface || openaiResponses.asksToShorten(own.messages);
  const listed = withListedTools(own, from);
  const wanted = shortens ? openaiResponses.summaryRequest(listed) : listed;
  const request = inlined(withSystemPrompt(wanted, systemPromptOf(channel.setting)), keptMedia(provider, from), asked.media);
  // The caller is not told what the operator says to the model: an echo is of its own request.
  const context = { ...asked.answerContext, request: echoed(own) };
  const said = shortens ? keptBeside(asked.inquiry) : undefined;
  const spell = (sent: chat.ChatRequest) => spelled(building, { from, to, context, said }, sent);
  return request instanceof Promise ? request.then(spell) : spell(request);
}

/** The caller's own, or that of a conversation which is to become shorter. */
function callerDialect({ protocol }: Inquiry): chat.ClientDialect | undefined {
  const { compactionSurface } = openaiResponses;
  return protocol === compactionSurface.name ? compactionSurface : clientDialect(protocol);
}

/** What its user said, where the answer is the whole conversation. */
function keptBeside({ protocol, bytes }: Inquiry): readonly chat.Part[] {
  return protocol === openaiResponses.compactionSurface.name ? openaiResponses.saidByUser(bodyOf(bytes).input) : [];
}

type Sides = Pick<Parameters<typeof crossingPlan>[0], 'from' | 'to' | 'context'> & {
  /** What stands in front of the answer where that is a summary of the conversation. */
  readonly said: readonly chat.Part[] | undefined;
};

function spelled(building: Building, sides: Sides, request: chat.ChatRequest): Unsent {
  const { asked, channel, provider, call, variant } = building;
  const { functionNames, namesAllowed } = sides.from;
  const isOwn = sides.from === sides.to;
  const offered = namesAllowed === true || isOwn ? request : chat.onlyAllowed(request);
  const chosen = isOwn ? offered : chat.withoutHostedChoice(offered);
  const spaces = isOwn ? undefined : openaiResponses.withoutNamespaces(chosen);
  const spaced = spaces?.request ?? chosen;
  const functions = isOwn || takesTexts(sides.from, provider) ? undefined : openaiResponses.withoutTextTools(spaced);
  const plain = functions?.request ?? spaced;
  const names = functionNames && chat.renameFunctions(plain, functionNames);
  const called = (name: string): Called => {
    const original = names?.original(name) ?? name;
    return { ...(spaces?.called(original) ?? { name: original }), takesText: functions?.takesText(original) };
  };
  const { body, losses } = sides.from.encodeRequest(names?.request ?? plain, {
    model: call.model,
    defaultMaxTokens: defaultCap(asked, call.model),
    extensions: provider.extensions,
  });
  const wanted: JsonObject = variant === undefined ? body : variant.ask(body, call);
  const vendor = adapted(wanted, provider, call);
  const overridden = overriddenFields(channel);
  const fields = { ...vendor.body, ...overridden };
  const { said } = sides;
  const planWith = (transform: AnswerTransform | undefined) =>
    crossingPlan({ ...sides, framing: provider.framing ?? 'sse', transform });
  const change = inSeries((names ?? spaces ?? functions) && callerNames(called), answerChange(channel.setting));
  return {
    call,
    url: upstreamUrl(channel, provider, call),
    body: Buffer.from(JSON.stringify(fields)),
    upstreamModel: otherName(building),
    swallowUsage: false,
    answer: said === undefined ? planWith(change) : summaryPlan(planWith, sides.context.id, said),
    protocol: call.protocol,
    losses: [
      ...(said === undefined ? [] : ['compaction']),
      ...(chosen === offered ? [] : ['tool_choice']),
      ...(spaces === undefined ? [] : ['namespace']),
      ...(functions?.losses ?? []),
      ...losses,
      ...vendor.losses.filter((name) => !(name in overridden)),
    ],
    transport: provider.transport,
  };
}

/** The request with the tools that its conversation offers, where the upstream cannot be told so. */
function withListedTools(own: chat.ChatRequest, { name }: chat.UpstreamDialect): chat.ChatRequest {
  const listed = name === openaiResponses.dialect.name ? own : openaiResponses.withAdditionalTools(own);
  return name === anthropicMessages.dialect.name ? listed : anthropicMessages.withAddedTools(listed);
}

/** Does the upstream know tools that take a text? */
function takesTexts({ name }: chat.UpstreamDialect, { extensions }: Building['provider']): boolean {
  return name === openaiResponses.dialect.name || extensions?.includes('custom_tools') === true;
}

/** The caller's request without its dialect, within the cap. */
function requestFor({ inquiry, loweredCap }: Asked, to: chat.ClientDialect): chat.ChatRequest {
  const decoded = decodedRequest(inquiry, to);
  if (!decoded.ok) throw localFault('invalid_text_request', { reason: decoded.reason });
  const { request } = decoded;
  const maxTokens = loweredCap === undefined ? request.maxTokens : Math.min(request.maxTokens ?? loweredCap, loweredCap);
  return { ...request, maxTokens };
}
