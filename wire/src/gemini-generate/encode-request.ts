import type { Encoded, RequestContext } from '../chat/dialect.ts';
import { withShownByUser } from '../chat/instructions.ts';
import type { TextPart } from '../chat/parts.ts';
import type { ChatRequest, Message } from '../chat/request.ts';
import type { JsonObject } from '../json.ts';
import { writeConfig } from './config.ts';
import { type PartSpeller, writeParts } from './encode-parts.ts';
import { restored } from './extra.ts';
import { createIdSpeller } from './ids.ts';
import { writeToolChoice, writeTools } from './tools.ts';
import { joinAnswers, joinResults, resultsFirst } from './turns.ts';
import { isThirdGeneration } from './types.ts';

/** Spells a request for an upstream of this dialect; model and streaming go into its path. */
export function encodeRequest(request: ChatRequest, { model }: RequestContext): Encoded {
  const losses = new Set<string>();
  const own = restored(request.extra, losses);
  const speller: PartSpeller = { ids: createIdSpeller(), losses, model, ...(own === undefined ? {} : { isOwn: true }) };
  const messages = own === undefined ? withShownByUser(request.messages) : request.messages;
  const contents = writeContents(messages, speller);
  const system = writeSystem(request.system, messages, speller);
  const tools = writeTools(request, own, losses);
  const toolConfig = writeToolChoice(request, tools, own);
  const isFree = own === undefined && tools.length > 0 && !isThirdGeneration(model);
  const config = writeConfig(isFree ? withoutForm(request, losses) : request, model, own, losses);
  noteUnsaid(request, losses);
  const body: JsonObject = {
    ...(system.length === 0 ? {} : { systemInstruction: { parts: system } }),
    contents,
    ...(tools.length === 0 ? {} : { tools }),
    ...(toolConfig === undefined ? {} : { toolConfig }),
    ...(Object.keys(config).length === 0 ? {} : { generationConfig: config }),
    ...topLevel(own),
  };
  return { body, losses: [...losses] };
}

/** Models before the third generation refuse tools and a form of the answer together: what the tools do matters more. */
function withoutForm({ output, ...request }: ChatRequest, losses: Set<string>): ChatRequest {
  if (output !== undefined) losses.add(output.kind === 'json' ? 'json' : 'json_schema');
  return request;
}

/** Instructions between turns have no place of their own: they join those before the conversation. */
function writeSystem(system: readonly TextPart[], messages: readonly Message[], speller: PartSpeller): JsonObject[] {
  const later = messages.filter(({ role }) => role === 'system').flatMap(({ parts }) => parts);
  if (speller.isOwn === true) return writeParts([...system, ...later], speller);
  const { losses } = speller;
  const texts = [...system, ...later].flatMap((part): TextPart[] => {
    if (part.kind === 'text') return [part];
    if (part.kind === 'foreign' && part.text !== undefined) return [{ kind: 'text', text: part.text }];
    losses.add(part.kind === 'foreign' ? `hosted_tool:${part.name}` : part.kind.replace('-', '_'));
    return [];
  });
  if (texts.some(({ cache }) => cache !== undefined)) losses.add('cache_control');
  return texts.filter(({ text }) => text !== '').map(({ text }) => ({ text }));
}

function writeContents(messages: readonly Message[], speller: PartSpeller): JsonObject[] {
  const turns = messages.filter(({ role }) => role !== 'system');
  const ordered = joinAnswers(joinResults(speller.isOwn === true ? turns : resultsFirst(turns)));
  const contents = ordered.map((message) => writeContent(message, writeParts(message.parts, speller)));
  // A turn of the user's of which nothing can be said still parts those of the model.
  if (speller.isOwn !== true)
    for (const { role, parts } of contents) if (role === 'user' && parts.length === 0) parts.push(unsaid);
  const said = contents.filter(({ parts }) => parts.length > 0);
  const isOpened = speller.isOwn === true ? said.length > 0 : said[0]?.role === 'user';
  return isOpened ? said : [{ role: 'user', parts: [unsaid] }, ...said];
}

const unsaid: JsonObject = { text: '...' };

function writeContent({ role }: Message, parts: JsonObject[]) {
  return { role: role === 'assistant' ? 'model' : 'user', parts };
}

function noteUnsaid(request: ChatRequest, losses: Set<string>): void {
  const { serviceTier = 'auto', metadata } = request;
  if (request.tools.length > 0 && request.parallelTools === false) losses.add('parallel_tools');
  if (request.user !== undefined) losses.add('user');
  if (metadata !== undefined && Object.keys(metadata).length > 0) losses.add('metadata');
  if (serviceTier !== 'auto' && serviceTier !== 'default') losses.add('service_tier');
  if (request.cacheKey !== undefined) losses.add('cache_key');
  if (request.messages.some(({ name }) => name !== undefined)) losses.add('name');
}

/** What a request of this dialect brought along beside its settings, which have found their places. */
function topLevel(own: JsonObject | undefined): JsonObject {
  const placed = /^generationConfig\.|^toolConfig$/;
  return Object.fromEntries(Object.entries(own ?? {}).filter(([key]) => !placed.test(key)));
}
