/** Converse and ConverseStream, by the public API reference of Bedrock Runtime. */
export const dialect = 'bedrock-converse';

/** What a model of the service takes beyond the common fields, told from its id. */
export interface ModelTraits {
  /** Where cache points may stand: behind everything, behind texts and media alone and for five minutes, or nowhere. */
  readonly caches: 'all' | 'plain' | 'none';
  /** How much to think is said in this way; undefined = not at all. */
  readonly effort: 'reasoningConfig' | 'reasoning_effort' | undefined;
  /** How its top_k is named among the model's own fields; undefined = it has none. */
  readonly topK: 'inferenceConfig' | 'top_k' | undefined;
}

export function traitsOf(model: string): ModelTraits {
  const isNova = /(^|\.)nova-/.test(model);
  const isClaude = model.includes('claude');
  return {
    caches: isNova ? 'plain' : isClaude ? 'all' : 'none',
    effort: /nova-2/.test(model) ? 'reasoningConfig' : /(^|\.)gpt-/.test(model) ? 'reasoning_effort' : undefined,
    topK: isNova ? 'inferenceConfig' : isClaude || /mistral|mixtral/.test(model) ? 'top_k' : undefined,
  };
}
