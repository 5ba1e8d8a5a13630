import { entryOf, type JsonObject } from '@tollgate/wire';
import { isObject, without } from './bodies.ts';
import type { UpstreamCallFacts } from './call.ts';
import type { VariantOf } from './variant.ts';

const suffix = '-thinking';
const leastCap = 1280;
const leastBudget = 1024;
const usualCap = 8192;
const usualShare = 0.8;
/** Generations whose models decide themselves how much to think. */
const version = /claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/;
const firstAdaptive = 407;

/** What the vendor's own API takes, and those that host its models refuse. */
const onlyAtHome: readonly string[] = ['service_tier', 'inference_geo'];

/** A body as clouds take it: a schema of the answer stands where it has its place since it is no beta any more. */
export function bodyForClouds(body: JsonObject): JsonObject {
  const { output_format: format, ...rest } = without(body, onlyAtHome);
  if (!isObject(format)) return rest;
  return { ...rest, output_config: { format, ...(isObject(rest.output_config) ? rest.output_config : {}) } };
}

/** A model named `...-thinking` is the one without the suffix, thinking with a share of its cap (contract 6.11). */
export const thinkingVariant: VariantOf = (name, option) => {
  if (!name.endsWith(suffix) || !name.includes('claude')) return undefined;
  if (option('claude.thinking_adapter_enabled') === false) return undefined;
  const model = name.slice(0, -suffix.length);
  if (isAdaptive(model)) return { model, ask: (body, call) => thinking(body, call, () => ({ thinking: { type: 'adaptive' } })) };
  return { model, leastCap, ask: (body, call) => thinking(body, call, budgeted) };
};

/** What the caller says itself holds; so does a limit of what may be paid, under which there is no room for thoughts. */
function thinking(body: JsonObject, call: UpstreamCallFacts, ask: typeof budgeted): JsonObject {
  const isTight = call.capLimit !== undefined && call.capLimit < leastCap;
  if (call.protocol !== 'anthropic-messages' || isObject(body.thinking) || isTight) return body;
  const { temperature: _, top_p: __, top_k: ___, ...rest } = body;
  return { ...rest, ...ask(body, call) };
}

function budgeted(body: JsonObject, { option }: UpstreamCallFacts): JsonObject {
  const cap = Math.max(leastCap, typeof body.max_tokens === 'number' ? body.max_tokens : usualCap);
  const share = Number(option?.('claude.thinking_adapter_budget_tokens_percentage') ?? usualShare);
  const budget = Math.max(leastBudget, Math.floor(cap * (share > 0 && share < 1 ? share : usualShare)));
  return { max_tokens: cap, temperature: 1, thinking: { type: 'enabled', budget_tokens: budget } };
}

function isAdaptive(model: string): boolean {
  const found = version.exec(model);
  return found !== null && Number(found[1]) * 100 + Number(found[2] ?? 0) >= firstAdaptive;
}

/** Betas, without their dates, that clouds know; a request with any other is refused there. */
const cloudBetas = [
  ...['computer-use', 'token-efficient-tools', 'interleaved-thinking', 'output-128k', 'dev-full-thinking', 'context-1m'],
  ...['context-management', 'effort', 'tool-search-tool', 'tool-examples', 'fine-grained-tool-streaming', 'compact'],
];
const betaDate = /-\d{4}-\d{2}-\d{2}$/;
/** What clouds call otherwise than the vendor's own API; without it they refuse tools that are loaded later. */
const namedAtClouds: Readonly<Record<string, string>> = { 'advanced-tool-use-2025-11-20': 'tool-search-tool-2025-10-19' };

/** The caller's betas as far as a cloud takes them, by its names. */
export function betasForClouds({ header }: UpstreamCallFacts): string[] {
  const betas = (header?.('anthropic-beta') ?? '').split(',').map((beta) => beta.trim());
  const named = new Set(betas.map((beta) => entryOf(namedAtClouds, beta) ?? beta));
  return [...named].filter((beta) => cloudBetas.includes(beta.replace(betaDate, '')));
}
