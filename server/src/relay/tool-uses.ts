import {
  asObject,
  asObjects,
  findMember,
  type JsonObject,
  letterEscapes,
  type Member,
  parseJson,
  type ToolUses,
} from '@tollgate/wire';
import { pricedTools, type ToolPrices, type Usage, withToolPrices } from '../billing/index.ts';
import type { AskedTools, Call } from './call.ts';
import type { Inquiry } from './inquiry.ts';

/** Held for where the caller sets no limit: few answers search more often. */
const assumedUses = 5;
/** Once an answer, however much it found. */
const countedOnce: ReadonlySet<string> = new Set(['google_search', 'google_maps']);
/** An upstream is believed so many uses of a tool where the caller sets no limit (decision 0025). */
const mostUses = 1_000;
/** Of the model that draws pictures: a use is a token, an upstream is believed so many. */
const drawnToken = /^image_gen_\w+_tokens$/;
const mostTokens = 1_000_000;
/** The picture of the most tokens that the vendor lists; few answers draw a second one. */
const heldDrawn: Readonly<Record<string, number>> = { image_gen_output_image_tokens: 6_240 };

/** Members of a request that let its upstream use tools of its own. */
const asking = ['tools', 'web_search_options', 'enable_search', 'plugins'];

/**
 * The tools with a price that a request asks for; undefined = none. Nothing is read where the model has none with a price,
 * and no list of tools that names none: those of agents are long.
 */
export function toolsAsked({ bytes, peek, protocol }: Inquiry, prices: ToolPrices): AskedTools | undefined {
  if (prices.size === 0) return undefined;
  const priced = pricedTools(prices, peek.model);
  if (priced.length === 0) return undefined;
  const read = (member: string) => {
    const found = findMember(peek.scan, member);
    if (found === undefined || found.kind === 'null') return undefined;
    return parseJson(bytes.toString('utf8', found.valueStart, found.valueEnd));
  };
  const named = isNamed(bytes, findMember(peek.scan, 'tools'), priced) ? namesIn(read('tools')) : [];
  const searches = read('web_search_options') !== undefined || read('enable_search') === true || isWebPlugin(read('plugins'));
  if (searches) named.push({ name: 'web_search', most: undefined });
  const calls = protocol === 'openai-responses' ? countIn(read('max_tool_calls')) : undefined;
  const isLimited = protocol === 'anthropic-messages';
  const asked = new Map<string, { held: number; limit: number | undefined }>();
  for (const tool of priced) {
    const entries = named.filter(({ name }) => name === tool || name === nameOf(tool));
    if (entries.length === 0) continue;
    if (drawnToken.test(tool)) {
      asked.set(tool, { held: calls === 0 ? 0 : (heldDrawn[tool] ?? 0), limit: undefined });
      continue;
    }
    const limit = isLimited ? sumOf(entries.map(({ most }) => most)) : calls;
    const usual = countedOnce.has(tool) ? 1 : assumedUses;
    asked.set(tool, { held: Math.min(limit ?? usual, mostUses), limit });
  }
  return asked.size === 0 ? undefined : asked;
}

/** By which a request asks for it. */
function nameOf(tool: string): string {
  return drawnToken.test(tool) ? 'image_generation' : tool.replace(/_query$/, '');
}

/** The bytes of a member hold the name of a tool, in either spelling, or may hold it behind an escape. */
function isNamed(bytes: Buffer, member: Member | undefined, tools: readonly string[]): boolean {
  return member !== undefined && finderOf(tools).test(bytes.toString('latin1', member.valueStart, member.valueEnd));
}

/** How the type of an environment begins in which the upstream runs a shell, at the price of a container. */
const container = 'container_';

const finders = new WeakMap<readonly string[], RegExp>();

/** Looks for all of them at once among bytes that are taken for characters: one by one each takes a pass of its own. */
function finderOf(tools: readonly string[]): RegExp {
  const known = finders.get(tools);
  if (known !== undefined) return known;
  const spellings = tools.flatMap((tool) => {
    const name = nameOf(tool);
    const others = tool === 'code_interpreter' ? [container] : [];
    return [...others, name, name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())];
  });
  const text = Buffer.from([...spellings, ...letterEscapes].join('\n')).toString('latin1');
  const finder = new RegExp(text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&').replaceAll('\n', '|'));
  finders.set(tools, finder);
  return finder;
}

interface Named {
  readonly name: string;
  readonly most: number | undefined;
}

/** By their types, or, of Gemini's, by the members that they are; functions are the caller's own, but for Gemini's search. */
function namesIn(tools: unknown): Named[] {
  return listOf(tools).flatMap((tool) => {
    const { type, max_uses } = tool;
    const own = asObject(tool.function)?.name ?? tool.name;
    if (type === 'function' || typeof type !== 'string') {
      const names = own === undefined ? Object.keys(tool) : own === 'googleSearch' ? [own] : [];
      return names.map((name) => ({ name: plainName(name), most: undefined }));
    }
    if (type === 'shell' && isContainer(tool.environment)) return [{ name: 'code_interpreter', most: undefined }];
    return [{ name: plainName(type), most: countIn(max_uses) }];
  });
}

function isContainer(environment: unknown): boolean {
  const where = asObject(environment)?.type;
  return typeof where === 'string' && where.startsWith(container);
}

/** `web_search_preview_2025_03_11`, `web_search_20250305` and `vendor:web_search` are one tool, as two spellings of Gemini's are. */
function plainName(name: string): string {
  return name
    .replace(/^\w+:/, '')
    .replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    .replace(/_(?:preview|retrieval|\d{4,}).*$/, '');
}

/** One alone need not stand in a list, for some. */
function listOf(value: unknown): JsonObject[] {
  return asObjects(Array.isArray(value) ? value : [value]);
}

function isWebPlugin(plugins: unknown): boolean {
  return listOf(plugins).some(({ id }) => id === 'web');
}

function countIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

function sumOf(counts: readonly (number | undefined)[]): number | undefined {
  return counts.reduce((sum, count) => (sum === undefined || count === undefined ? undefined : sum + count), 0);
}

/** What is held for, in the shape of a usage. */
export function usesHeld(asked: AskedTools | undefined): Usage['tools'] {
  return asked && Object.fromEntries([...asked].map(([tool, { held }]) => [tool, held]));
}

interface Answering {
  /** `protocol`: absent = the caller's own. */
  readonly outgoing: { readonly protocol?: string };
  readonly target: { readonly channel: { readonly paramOverride: Readonly<Record<string, unknown>> } };
}

/** The call at the prices of the tools that were used, and how often they were; `isClamped`: more than there can have been was told. */
interface Used {
  readonly call: Call;
  readonly tools: Usage['tools'];
  readonly isClamped: boolean;
}

/**
 * What an answer tells of hosted tools, as it is charged: within what the caller allows, where its upstream was told so. What the operator's `param_override`
 * asks for is the operator's choice, and so is its price.
 */
export function asUsed(call: Call, by: Answering | undefined, told: ToolUses | undefined): Used {
  if (told === undefined && call.tools === undefined) return { call, tools: undefined, isClamped: false };
  const overridden = by?.target.channel.paramOverride ?? {};
  const isChosen = !asking.some((member) => Object.hasOwn(overridden, member));
  const isTold = by?.outgoing.protocol === undefined;
  let isClamped = false;
  const uses = Object.entries(isChosen ? (told ?? {}) : {}).flatMap(([tool, count]): [string, number][] => {
    const believed = drawnToken.test(tool) ? mostTokens : mostUses;
    const most = Math.min((isTold ? call.tools?.get(tool)?.limit : undefined) ?? believed, believed);
    isClamped ||= count > most;
    const within = Math.min(count, most);
    return within > 0 ? [[tool, within]] : [];
  });
  const tools = uses.length === 0 ? undefined : Object.fromEntries(uses);
  const price = withToolPrices(call.price, call.snapshot.options.ToolPrice, tools);
  return { call: price === call.price ? call : { ...call, price }, tools, isClamped };
}
