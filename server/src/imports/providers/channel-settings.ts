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
/** Columns of one-hub that change the paths of a custom channel. */
export const hubPaths = ['other', 'plugin'] as const;
