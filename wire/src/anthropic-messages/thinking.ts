import type { Effort, Reasoning } from '../chat/request.ts';
import { asText, defined, type JsonObject } from '../json.ts';

import type { ModelTraits } from './models.ts';
import { dialectName } from './types.ts';

const minBudget = 1024;
/** A budget made from an effort leaves this share of the cap to the answer (contract 6.11). */
const shareOfCap = 0.8;

const budgets: readonly (readonly [Effort, number])[] = [
  ['minimal', minBudget],
  ['low', 2048],
  ['medium', 8192],
  ['high', 16_384],
  ['xhigh', 32_768],
  ['max', 32_768],
];
const ownEfforts: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max'];

/** Is it one that other dialects have a word for, too? */
export function isEffort(value: unknown): boolean {
  return ownEfforts.some((word) => word === value);
}

/** The least effort that has such a budget. */
function effortOf(budgetTokens: number): Effort {
  return budgets.find(([, budget]) => budgetTokens <= budget)?.[0] ?? 'xhigh';
}

function budgetOf(effort: Effort | undefined): number | undefined {
  return budgets.find(([word]) => word === effort)?.[1];
}

/** Reads `thinking` and `output_config.effort`; both are kept as they are beside their meaning. */
export function decodeReasoning(thinking: JsonObject | undefined, rawEffort: unknown): Reasoning | undefined {
  const effort = asText(rawEffort);
  if (thinking === undefined && effort === '') return undefined;
  const { type, budget_tokens: budget, display } = thinking ?? {};
  const isOff = type === 'disabled';
  return defined({
    // An effort that is not told is high, as far as the model itself decides how much to think.
    effort: isOff ? 'none' : (ownEfforts.find((word) => word === effort) ?? (type === 'adaptive' ? 'high' : undefined)),
    budgetTokens: type === 'enabled' && typeof budget === 'number' && budget > 0 ? budget : undefined,
    show: display === 'omitted' ? false : display === 'summarized' ? true : undefined,
    spelled: { dialect: dialectName, fields: defined({ thinking, effort: effort || undefined }) },
  });
}

export interface ThinkingContext {
  readonly maxTokens: number;
  readonly traits: ModelTraits;
  /** A tool must be called: the dialect does not think then. */
  readonly isForced: boolean;
  /** The last turn called tools without signed thoughts, so a budget would be refused. */
  readonly isUnsigned: boolean;
  lose(word: string): void;
}

export interface SpelledThinking {
  readonly thinking?: JsonObject;
  /** `output_config.effort`. */
  readonly effort?: string;
}

/** Spells reasoning for a model: as the caller did when it spoke this dialect, else by what the model takes. */
export function encodeReasoning(reasoning: Reasoning | undefined, context: ThinkingContext): SpelledThinking {
  if (reasoning === undefined) return {};
  const { effort, budgetTokens, spelled } = reasoning;
  if (spelled?.dialect === dialectName) return withinCap(spelled.fields, context);
  if (effort === 'none' || (budgetTokens !== undefined && budgetTokens <= 0)) return switchedOff(context);
  return context.traits.thinking === 'adaptive' ? adaptive(reasoning, context) : budgeted(reasoning, context);
}

/** A model that cannot stop thinking is asked to think as little as it can. */
function switchedOff({ traits, lose }: ThinkingContext): SpelledThinking {
  if (traits.rests) return { thinking: { type: 'disabled' } };
  lose('reasoning');
  return { effort: 'low' };
}

function withinCap(fields: SpelledThinking, { maxTokens, isUnsigned, lose }: ThinkingContext): SpelledThinking {
  const { thinking } = fields;
  if (thinking?.type === 'enabled' && isUnsigned) {
    lose('reasoning');
    return { ...fields, thinking: undefined };
  }
  if (thinking?.type !== 'enabled' || typeof thinking.budget_tokens !== 'number' || thinking.budget_tokens < maxTokens)
    return fields;
  if (maxTokens > minBudget)
    return { ...fields, thinking: { ...thinking, budget_tokens: Math.max(minBudget, fitting(maxTokens)) } };
  lose('reasoning');
  return { ...fields, thinking: undefined };
}

function fitting(maxTokens: number): number {
  return Math.floor(maxTokens * shareOfCap);
}

function adaptive({ effort, budgetTokens, show }: Reasoning, { isForced }: ThinkingContext): SpelledThinking {
  const wanted = effort ?? (budgetTokens === undefined ? undefined : effortOf(budgetTokens));
  return defined({
    thinking: isForced ? undefined : { type: 'adaptive', ...displayOf(show) },
    effort: wanted === 'minimal' ? 'low' : wanted,
  });
}

function budgeted({ effort, budgetTokens, show }: Reasoning, context: ThinkingContext): SpelledThinking {
  const { maxTokens, traits, lose } = context;
  const wanted = budgetTokens ?? budgetOf(effort);
  const shown = traits.thinking === 'budget' ? {} : displayOf(show);
  if (context.isForced || (context.isUnsigned && (wanted !== undefined || traits.thinking === 'budget'))) {
    lose('reasoning');
    return {};
  }
  if (wanted === undefined && traits.thinking === 'either') return { thinking: { type: 'adaptive', ...shown } };
  const asked = Math.max(minBudget, wanted ?? budgetOf('medium') ?? minBudget);
  const budget = budgetTokens !== undefined && asked < maxTokens ? asked : Math.min(asked, fitting(maxTokens));
  if (budget >= minBudget) return { thinking: { type: 'enabled', budget_tokens: budget, ...shown } };
  lose('reasoning');
  return {};
}

function displayOf(show: boolean | undefined): JsonObject {
  return show === undefined ? {} : { display: show ? 'summarized' : 'omitted' };
}
