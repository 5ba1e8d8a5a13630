import type { JsonObject } from '@tollgate/wire';
import { isObject } from './bodies.ts';
import type { UpstreamCallFacts } from './call.ts';

const suffix = '-thinking';
const leastCap = 1280;
const leastBudget = 1024;
const usualCap = 8192;
const usualShare = 0.8;
/** Generations whose models decide themselves how much to think. */
const version = /claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/;
const firstAdaptive = 407;

/** The model without the suffix that asks for thinking. */
export function withoutThinking(model: string): string {
  return model.endsWith(suffix) ? model.slice(0, -suffix.length) : model;
}

/** Does `adaptThinking` change anything for this model? */
export function asksToThink({ model, option }: UpstreamCallFacts): boolean {
  return model.endsWith(suffix) && option?.('claude.thinking_adapter_enabled') !== false;
}

/** A model named `...-thinking` is the one without the suffix, thinking with a share of its cap (contract 6.11). */
export function adaptThinking(body: JsonObject, call: UpstreamCallFacts): JsonObject {
  if (!asksToThink(call) || call.protocol !== 'anthropic-messages') return body;
  const { temperature: _, top_p: __, top_k: ___, ...rest } = body;
  const model = withoutThinking(call.model);
  const named = { ...rest, ...('model' in body ? { model } : {}) };
  const isSaid = isObject(body.thinking);
  if (isSaid) return { ...body, ...('model' in body ? { model } : {}) };
  if (isAdaptive(model)) return { ...named, thinking: { type: 'adaptive' } };
  const cap = Math.max(leastCap, typeof body.max_tokens === 'number' ? body.max_tokens : usualCap);
  const share = Number(call.option?.('claude.thinking_adapter_budget_tokens_percentage') ?? usualShare);
  const budget = Math.max(leastBudget, Math.floor(cap * (share > 0 && share < 1 ? share : usualShare)));
  return { ...named, max_tokens: cap, temperature: 1, thinking: { type: 'enabled', budget_tokens: budget } };
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

/** The caller's betas as far as a cloud takes them. */
export function betasForClouds({ header }: UpstreamCallFacts): string[] {
  const betas = (header?.('anthropic-beta') ?? '').split(',').map((beta) => beta.trim());
  return betas.filter((beta) => cloudBetas.includes(beta.replace(betaDate, '')));
}
