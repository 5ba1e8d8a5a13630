import type { Extra, Part } from '../chat/parts.ts';
import type { ChatRequest, Tool } from '../chat/request.ts';

/** Everything of a request beside its conversation that a target may be unable to say. */
const settings: readonly (readonly [word: string, isSet: (request: ChatRequest) => boolean])[] = [
  ['max_tokens', ({ maxTokens }) => maxTokens !== undefined],
  ['temperature', ({ temperature }) => temperature !== undefined],
  ['top_p', ({ topP }) => topP !== undefined],
  ['top_k', ({ topK }) => topK !== undefined],
  ['stop', ({ stop }) => stop.length > 0],
  ['seed', ({ seed }) => seed !== undefined],
  ['frequency_penalty', ({ frequencyPenalty = 0 }) => frequencyPenalty !== 0],
  ['presence_penalty', ({ presencePenalty = 0 }) => presencePenalty !== 0],
  ['choices', ({ choices }) => choices > 1],
  ['logprobs', ({ logprobs }) => logprobs !== undefined],
  ['reasoning', ({ reasoning }) => reasoning !== undefined && reasoning.effort !== 'none'],
  ['json', ({ output }) => output?.kind === 'json'],
  ['json_schema', ({ output }) => output?.kind === 'schema'],
  ['modalities', ({ modalities = [] }) => modalities.some((modality) => modality !== 'text')],
  ['audio', ({ audioOut }) => audioOut !== undefined],
  ['user', ({ user }) => user !== undefined],
  ['metadata', ({ metadata }) => metadata !== undefined && Object.keys(metadata).length > 0],
  ['service_tier', ({ serviceTier = 'auto' }) => serviceTier !== 'auto' && serviceTier !== 'default'],
  ['cache_key', ({ cacheKey }) => cacheKey !== undefined],
  ['tools', ({ tools }) => tools.some(({ kind }) => kind === 'function')],
  ['tool_choice', ({ tools, toolChoice = 'auto' }) => tools.length > 0 && toolChoice !== 'auto' && toolChoice !== 'none'],
  ['parallel_tools', ({ tools, parallelTools = true }) => tools.length > 0 && !parallelTools],
];

/**
 * The words of what is set in a request and not among `spoken`: its settings, hosted tools, cache marks, the names of
 * participants and what the caller's dialect calls by names of its own. The set is the caller's to add to.
 */
export function unspoken(request: ChatRequest, spoken: readonly string[]): Set<string> {
  const losses = new Set<string>();
  for (const [word, isSet] of settings) if (!spoken.includes(word) && isSet(request)) losses.add(word);
  for (const tool of request.tools) noteTool(tool, losses, spoken);
  for (const { parts, name } of request.messages) {
    if (name !== undefined && !spoken.includes('name')) losses.add('name');
    for (const part of parts) notePart(part, losses, spoken);
  }
  for (const part of request.system) notePart(part, losses, spoken);
  noteExtra(request.extra, losses);
  return losses;
}

function noteTool(tool: Tool, losses: Set<string>, spoken: readonly string[]): void {
  if (tool.kind === 'hosted') losses.add(`hosted_tool:${tool.name}`);
  else {
    if (tool.cache !== undefined && !spoken.includes('cache_control')) losses.add('cache_control');
    if (tool.strict === true && spoken.includes('tools') && !spoken.includes('strict')) losses.add('strict');
    noteExtra(tool.extra, losses);
  }
}

function notePart(part: Part, losses: Set<string>, spoken: readonly string[]): void {
  if ('cache' in part && part.cache !== undefined && !spoken.includes('cache_control')) losses.add('cache_control');
  if ('citations' in part && part.citations !== undefined && !spoken.includes('citations')) losses.add('citations');
  if ('extra' in part) noteExtra(part.extra, losses);
  if (part.kind === 'tool-call' && part.signature !== undefined) losses.add('reasoning_signature');
  if (part.kind === 'tool-result') for (const inner of part.content) notePart(inner, losses, spoken);
}

/** No caller speaks the dialects here: none of them has fields of its own. */
function noteExtra(extra: Extra | undefined, losses: Set<string>): void {
  for (const field of Object.keys(extra?.fields ?? {})) losses.add(field);
}

/** What a part that cannot be said is called. */
export function lostWord(part: Part): string {
  if (part.kind === 'foreign') return part.name;
  return part.kind.replace('-', '_');
}
