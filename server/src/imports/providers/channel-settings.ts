/** Members of `settings` that say how the upstream is called, with what means the way that is ours, too. */
export const usualWays: Readonly<Record<string, readonly unknown[]>> = {
  azure_responses_version: [undefined, null, ''],
  vertex_key_type: [undefined, null, '', 'json'],
  aws_key_type: [undefined, null, '', 'ak_sk'],
};
/** Members of it that change what is sent. */
export const switches = ['disable_store', 'claude_beta_query', 'openrouter_enterprise'] as const;
/** Columns of one-hub that do. */
export const hubSwitches = ['only_chat', 'compatible_response', 'pre_cost', 'disabled_stream', 'plugin'] as const;
/** Those of one-api by Laisky. */
export const laiskySwitches = ['hidden_models', 'ratelimit', 'inference_profile_arn_map'] as const;
/** Its columns of before `model_configs`. */
export const laiskyPrices = ['model_ratio', 'completion_ratio'] as const;
/** What members of `settings` begin with that let the models be read from the upstream again and again. */
export const modelUpdates = 'upstream_model_update_';
/** Columns of one-hub that change the paths of a custom channel. */
export const hubPaths = ['other', 'plugin'] as const;
