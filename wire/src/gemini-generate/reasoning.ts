import type { Effort, Reasoning } from '../chat/request.ts';
import { asObject, asText, type JsonObject } from '../json.ts';
import { camelKeys, numberOf } from './fields.ts';
import { dialectName, isThirdGeneration } from './types.ts';

const budgets: readonly (readonly [Effort, number])[] = [
  ['none', 0],
  ['minimal', 1024],
  ['low', 2048],
  ['medium', 8192],
  ['high', 24_576],
  ['xhigh', 32_768],
];
const levels: readonly Effort[] = ['minimal', 'low', 'medium', 'high'];

/** The budget in tokens that an effort stands for. */
export function budgetOf(effort: Effort): number {
  return budgets.find(([word]) => word === effort)?.[1] ?? 0;
}

/** The least effort that has such a budget. */
export function effortOf(budgetTokens: number): Effort {
  return budgets.find(([, budget]) => budgetTokens <= budget)?.[0] ?? 'xhigh';
}

/** What a model that may choose for itself is taken to do, for dialects that know no such choice. */
const ownChoice: Effort = 'medium';

/**
 * Reads `thinkingConfig`; undefined when it neither asks for thoughts nor says how much. A budget of -1, or none where
 * thoughts are to be shown, leaves the choice to the model.
 */
export function readThinking(raw: unknown): Reasoning | undefined {
  const config = camelKeys(asObject(raw) ?? {});
  const level = levels.find((word) => word === asText(config.thinkingLevel).toLowerCase());
  const budget = numberOf(config.thinkingBudget);
  const budgetTokens = level === undefined ? budget : (budget ?? budgetOf(level));
  if (budgetTokens === undefined && config.includeThoughts !== true) return undefined;
  const isOpen = budgetTokens === undefined || budgetTokens < 0;
  return {
    ...(isOpen ? { effort: ownChoice } : { effort: level ?? effortOf(budgetTokens), budgetTokens }),
    ...(typeof config.includeThoughts === 'boolean' ? { show: config.includeThoughts } : {}),
    spelled: { dialect: dialectName, fields: config },
  };
}

/**
 * Spells it for a model: levels where the generation has them, else a budget. Undefined when there is nothing to say.
 * `losses` gets `reasoning` when the model knows no such effort.
 */
export function thinkingConfig(reasoning: Reasoning, model: string, losses: Set<string>): JsonObject | undefined {
  const { effort, budgetTokens, spelled } = reasoning;
  if (spelled?.dialect === dialectName) return { ...spelled.fields };
  // Elsewhere who asks for thinking is shown the thoughts unless they say otherwise; here they must be asked for.
  const thinks = effort === undefined ? budgetTokens !== undefined && budgetTokens > 0 : effort !== 'none';
  const show = reasoning.show ?? (thinks ? true : undefined);
  const config: JsonObject = {
    ...(show === undefined ? {} : { includeThoughts: show }),
    ...(effort !== undefined && isThirdGeneration(model) ? levelOf(effort, losses) : budgetField(effort, budgetTokens)),
  };
  return Object.keys(config).length === 0 ? undefined : config;
}

function budgetField(effort: Effort | undefined, budgetTokens: number | undefined): JsonObject {
  const budget = budgetTokens ?? (effort === undefined ? undefined : budgetOf(effort));
  return budget === undefined ? {} : { thinkingBudget: budget };
}

function levelOf(effort: Effort, losses: Set<string>): JsonObject {
  if (effort !== 'none' && effort !== 'xhigh') return { thinkingLevel: effort };
  losses.add('reasoning');
  return { thinkingLevel: effort === 'none' ? 'minimal' : 'high' };
}
