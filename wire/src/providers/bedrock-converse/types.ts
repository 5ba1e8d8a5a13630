/** Converse and ConverseStream, by the public API reference of Bedrock Runtime. */
export const dialect = 'bedrock-converse';

/** What a model of the service takes beyond the common fields, told from its id. */
export interface ModelTraits {
  /** Knows cache points. */
  readonly caches: boolean;
  /** How much to think is said in this way; undefined = not at all. */
  readonly effort: 'reasoningConfig' | 'reasoning_effort' | undefined;
  /** Where its top_k stands; undefined = it has none. */
  readonly topK: 'inferenceConfig' | 'top' | undefined;
}

export function traitsOf(model: string): ModelTraits {
  const isNova = /(^|\.)nova-/.test(model);
  const isClaude = model.includes('claude');
  return {
    caches: isNova || isClaude,
    effort: /nova-2/.test(model) ? 'reasoningConfig' : /(^|\.)gpt-/.test(model) ? 'reasoning_effort' : undefined,
    topK: isNova ? 'inferenceConfig' : isClaude || /mistral|mixtral/.test(model) ? 'top' : undefined,
  };
}
