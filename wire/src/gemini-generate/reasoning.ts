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
  ['max', 32_768],
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

/** Do not think, and refuse to be told to. */
const thoughtless = /gemini-(?:1|2\.0)|gemini-2\.5-flash-image|-tts|gemma/;

interface Range {
  readonly least: number;
  readonly most: number;
  /** It can be told not to think. */
  readonly off: boolean;
}

/** Budgets that a model takes, as its page says; the first that fits. */
const ranges: readonly (readonly [RegExp, Range])[] = [
  [/gemini-2\.5-pro/, { least: 128, most: 32_768, off: false }],
  [/gemini-2\.5-flash-lite/, { least: 512, most: 24_576, off: true }],
  [/gemini-2\.5-flash/, { least: 0, most: 24_576, off: true }],
];

/** What a model that may choose for itself is taken to do, for dialects that know no such choice. */
const ownChoice: Effort = 'medium';

function levelIn({ thinkingLevel }: JsonObject): Effort | undefined {
  return levels.find((word) => word === asText(thinkingLevel).toLowerCase());
}

/** The vendor's word for a level that is left to the model, which its SDKs write out. */
const ownLevels: readonly string[] = ['', 'THINKING_LEVEL_UNSPECIFIED'];

/** Does a `thinkingConfig` name a level that has no word elsewhere? It is kept beside its meaning, to be lost by name there. */
export function saysUnknownLevel(raw: unknown): boolean {
  const config = camelKeys(asObject(raw) ?? {});
  return !ownLevels.includes(asText(config.thinkingLevel)) && levelIn(config) === undefined;
}

/**
 * Reads `thinkingConfig`; undefined when it neither asks for thoughts nor says how much. A budget of -1, or none where
 * thoughts are to be shown, leaves the choice to the model.
 */
export function readThinking(raw: unknown): Reasoning | undefined {
  const config = camelKeys(asObject(raw) ?? {});
  const level = levelIn(config);
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
 * Spells it for a model: levels where the generation has them, else a budget, within what the model takes. Undefined when
 * there is nothing to say.
 * `losses` gets `reasoning` when the model knows no such effort.
 */
export function thinkingConfig(reasoning: Reasoning, model: string, losses: Set<string>): JsonObject | undefined {
  const { effort, budgetTokens, spelled } = reasoning;
  if (spelled?.dialect === dialectName) return { ...spelled.fields };
  // Elsewhere who asks for thinking is shown the thoughts unless they say otherwise; here they must be asked for.
  const thinks = effort === undefined ? budgetTokens !== undefined && budgetTokens > 0 : effort !== 'none';
  if (thoughtless.test(model)) {
    if (thinks) losses.add('reasoning');
    return undefined;
  }
  const show = reasoning.show ?? (thinks ? true : undefined);
  const config: JsonObject = {
    ...(show === undefined ? {} : { includeThoughts: show }),
    ...(effort !== undefined && isThirdGeneration(model)
      ? levelOf(effort, model, losses)
      : budgetField(reasoning, model, losses)),
  };
  return Object.keys(config).length === 0 ? undefined : config;
}

function budgetField({ effort, budgetTokens }: Reasoning, model: string, losses: Set<string>): JsonObject {
  const budget = budgetTokens ?? (effort === undefined ? undefined : budgetOf(effort));
  if (budget === undefined) return {};
  const [, range] = ranges.find(([names]) => names.test(model)) ?? [];
  // Below 0 the model chooses.
  if (range === undefined || budget < 0 || (budget === 0 && range.off)) return { thinkingBudget: budget };
  if (budget === 0) losses.add('reasoning');
  return { thinkingBudget: Math.min(Math.max(budget, range.least), range.most) };
}

/** Models that do not go below `low`: the pro ones, and those of flash from 3.7 on but for the light ones. */
const noMinimal = /-pro(?:-|$)|gemini-flash-latest|gemini-(?:3\.(?:[7-9]|\d\d)|[4-9][\d.]*)-flash(?!-lite)/;

/** The first of the pro models does not know medium either. */
function levelOf(effort: Effort, model: string, losses: Set<string>): JsonObject {
  const isBeyond = effort === 'xhigh' || effort === 'max';
  if (effort === 'none' || isBeyond) losses.add('reasoning');
  if (isBeyond) return { thinkingLevel: 'high' };
  if (effort === 'medium') return { thinkingLevel: /gemini-3-pro/.test(model) ? 'high' : 'medium' };
  if (effort !== 'none' && effort !== 'minimal') return { thinkingLevel: effort };
  return { thinkingLevel: noMinimal.test(model) ? 'low' : 'minimal' };
}
