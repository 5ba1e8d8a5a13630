import type { Part } from '../src/chat/parts.ts';
import type { ChatRequest, Message } from '../src/chat/request.ts';
import type { ChatResponse, Finish } from '../src/chat/response.ts';
import type { TokenUsage } from '../src/usage.ts';

/** What of a request or an answer must be the same on the other side of a crossing. */

/** Texts that dialects put where they must not be empty. */
function isFiller(text: string): boolean {
  return text.trim() === '' || text === '...';
}

/** All that is said by one side, in order, without regard to how it is cut into messages and parts. */
export function saidBy(messages: readonly Message[], role: Message['role']): string {
  const texts = messages.filter((message) => message.role === role).flatMap(({ parts }) => parts.map(plainText));
  return texts
    .map(oneLine)
    .filter((text) => !isFiller(text))
    .join(' ');
}

function oneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ');
}

function plainText(part: Part): string {
  if (part.kind === 'text' || part.kind === 'refusal') return part.text;
  if (part.kind === 'audio') return part.transcript ?? '';
  return part.kind === 'foreign' ? (part.text ?? '') : '';
}

/** Instructions, whether in front or between the turns. */
export function instructions({ system, messages }: ChatRequest): string {
  return [...system.map(({ text }) => oneLine(text)), saidBy(messages, 'system')].filter((text) => !isFiller(text)).join(' ');
}

/** Calls and results in order; ids only as far as they pair them. */
export function toolTurns(messages: readonly Message[]) {
  const order = new Map<string, number>();
  const turns: { kind: string; call: number; name: string; text: unknown }[] = [];
  for (const part of messages.flatMap(({ parts }) => parts)) {
    if (part.kind === 'tool-call') {
      order.set(part.id, order.size);
      turns.push({ kind: 'call', call: order.size - 1, name: part.name, text: parsedOr(part.arguments) });
    } else if (part.kind === 'tool-result') {
      const text = part.content
        .map((piece) => (piece.kind === 'text' ? piece.text : ''))
        .join('\n')
        .trim();
      turns.push({ kind: 'result', call: order.get(part.id) ?? -1, name: '', text });
    }
  }
  return turns;
}

/** Arguments as JSON; an empty text means no arguments. */
export function parsedOr(text: string): unknown {
  try {
    return text.trim() === '' ? {} : JSON.parse(text);
  } catch {
    return text;
  }
}

/** How many parts of a kind there are, those of results included. */
export function countOf(messages: readonly Message[], kind: Part['kind']): number {
  const parts = messages.flatMap((message) => message.parts);
  const inner = parts.flatMap((part) => (part.kind === 'tool-result' ? part.content : []));
  return [...parts, ...inner].filter((part) => part.kind === kind).length;
}

/** The answers without calls, for dialects without tools. */
export function withoutCalls({ answers, ...rest }: ChatResponse): ChatResponse {
  return {
    ...rest,
    answers: answers.map((answer) => ({ ...answer, parts: answer.parts.filter(({ kind }) => kind !== 'tool-call') })),
  };
}

/** The answers without sound and what is said in it. */
export function withoutSound({ answers, ...rest }: ChatResponse): ChatResponse {
  return {
    ...rest,
    answers: answers.map((answer) => ({ ...answer, parts: answer.parts.filter(({ kind }) => kind !== 'audio') })),
  };
}

export function answersMeaning({ answers }: ChatResponse) {
  return answers.map(({ parts, finish }) => ({
    text: parts.map(plainText).join(''),
    calls: parts.flatMap((part) => (part.kind === 'tool-call' ? [{ name: part.name, arguments: parsedOr(part.arguments) }] : [])),
    finish: finishMeaning(finish, parts),
  }));
}

/** Ends that some dialect has only one word for. */
function finishMeaning(finish: Finish | undefined, parts: readonly Part[]): string {
  switch (finish?.reason) {
    case 'refusal':
    case 'content-filter':
      return 'blocked';
    case 'tool-calls':
      return parts.some(({ kind }) => kind === 'tool-call') ? finish.reason : 'ended';
    case 'length':
      return finish.reason;
    default:
      return 'ended';
  }
}

/** The figures that every dialect can tell. */
export function figures(usage: TokenUsage | undefined) {
  return usage === undefined ? undefined : { prompt: usage.prompt, completion: usage.completion };
}

interface Spoken {
  /** How a loss of it is called; any of them will do. */
  readonly words: readonly string[];
  readonly of: (request: ChatRequest) => unknown;
  /** Means the same as nothing. */
  readonly silent?: readonly unknown[];
}

const cached = ({ system, messages, tools }: ChatRequest) => {
  const parts: readonly (Part | ChatRequest['tools'][number])[] = [
    ...system,
    ...messages.flatMap((message) => message.parts),
    ...tools,
  ];
  return parts.filter((part) => 'cache' in part && part.cache !== undefined).length;
};

/** Every setting of a request, with the word under which a target that cannot say it declares that. */
export const settings: readonly Spoken[] = [
  { words: ['max_tokens'], of: ({ maxTokens }) => maxTokens },
  { words: ['temperature'], of: ({ temperature }) => temperature },
  { words: ['top_p'], of: ({ topP }) => topP, silent: [1] },
  { words: ['top_k'], of: ({ topK }) => topK },
  { words: ['stop'], of: ({ stop }) => stop, silent: [[]] },
  { words: ['seed'], of: ({ seed }) => seed },
  { words: ['frequency_penalty'], of: ({ frequencyPenalty }) => frequencyPenalty, silent: [0] },
  { words: ['presence_penalty'], of: ({ presencePenalty }) => presencePenalty, silent: [0] },
  { words: ['choices'], of: ({ choices }) => choices, silent: [1] },
  { words: ['logprobs'], of: ({ logprobs }) => logprobs },
  { words: ['reasoning'], of: ({ reasoning }) => isThinking(reasoning), silent: [false] },
  { words: ['json_schema', 'json', 'response_format'], of: ({ output }) => output?.kind },
  { words: ['json_schema'], of: ({ output }) => (output?.kind === 'schema' ? Object.keys(output.schema).length > 0 : undefined) },
  { words: ['modalities'], of: ({ modalities }) => modalities?.filter((modality) => modality !== 'text'), silent: [[]] },
  { words: ['audio'], of: ({ audioOut }) => audioOut?.voice },
  { words: ['user'], of: ({ user }) => user },
  { words: ['metadata'], of: ({ metadata }) => metadata },
  { words: ['service_tier'], of: ({ serviceTier }) => serviceTier, silent: ['auto', 'default', 'standard_only'] },
  { words: ['cache_key', 'prompt_cache_key'], of: ({ cacheKey }) => cacheKey },
  { words: ['tools'], of: functionNames, silent: [[]] },
  {
    words: ['tool_choice'],
    of: ({ tools, toolChoice }) => (tools.length === 0 ? undefined : toolChoice),
    silent: ['auto', 'none'],
  },
  {
    words: ['parallel_tools'],
    of: ({ tools, parallelTools }) => (tools.length === 0 ? undefined : parallelTools),
    silent: [true],
  },
  {
    words: ['strict'],
    of: ({ tools }) => tools.filter((tool) => tool.kind === 'function' && tool.strict === true).length,
    silent: [0],
  },
  { words: ['cache_control'], of: cached, silent: [0] },
  { words: ['image', 'file'], of: ({ messages }) => countOf(messages, 'image'), silent: [0] },
  { words: ['file'], of: ({ messages }) => countOf(messages, 'file'), silent: [0] },
  { words: ['audio'], of: ({ messages }) => countOf(messages, 'audio'), silent: [0] },
  { words: ['name'], of: ({ messages }) => messages.flatMap(({ name }) => name ?? []), silent: [[]] },
];

/** Functions that may be called: a dialect may leave out those that may not. */
function functionNames({ tools, toolChoice }: ChatRequest): string[] {
  return toolChoice === 'none' ? [] : tools.flatMap((tool) => (tool.kind === 'function' ? tool.name : []));
}

/** Thinking as the model sees fit is what happens anyway. */
function isThinking(reasoning: ChatRequest['reasoning']): boolean {
  const { effort = 'none', budgetTokens = 0 } = reasoning ?? {};
  return effort !== 'none' || budgetTokens > 0;
}
