/**
 * Prices that the bundled catalogue does not know (contract 7.9, 7.5): [model, ratio, completion ratio].
 * Ratio 1 = 2 dollars per million prompt tokens. Data, not rules: the operator's table and the catalogue win.
 */
export const defaultRatios: readonly (readonly [model: string, ratio: string, completion: string])[] = [
  ['gpt-3.5-turbo-0613', '0.75', '1.333333333'],
  ['gpt-3.5-turbo-16k', '1.5', '1.333333333'],
  ['gpt-4-32k', '30', '2'],
  ['gpt-4-all', '15', '2'],
  ['gpt-4-gizmo-*', '15', '2'],
  ['gpt-4o-gizmo-*', '2.5', '3'],
  ['chatgpt-4o-latest', '2.5', '3'],
  ['gpt-4o-audio-preview', '1.25', '4'],
  ['gpt-4o-realtime-preview', '2.5', '4'],
  ['gpt-4o-mini-realtime-preview', '0.3', '4'],
  ['gpt-4.5-preview', '37.5', '2'],
  ['o3-mini-high', '0.55', '4'],
  ['text-embedding-3-small', '0.01', '1'],
  ['text-embedding-3-large', '0.065', '1'],
  ['text-embedding-ada-002', '0.05', '1'],
  ['text-moderation-latest', '0.1', '1'],
  ['whisper-1', '15', '1'],
  ['tts-1', '7.5', '1'],
  ['tts-1-hd', '15', '1'],
  ['davinci-002', '1', '1'],
  ['claude-instant-1', '0.4', '3'],
  ['ERNIE-4.0-8K', '8.2192', '1'],
  ['ERNIE-Speed-8K', '0.274', '2'],
  ['glm-4', '7.143', '1'],
  ['glm-4-flash', '0', '1'],
  ['glm-4-plus', '3.4247', '1'],
  ['chatglm_turbo', '0.3572', '1'],
  ['qwen-turbo', '0.8572', '1'],
  ['qwen-plus', '10', '1'],
  ['SparkDesk-v3.5', '1.2858', '1'],
  ['360gpt-pro', '0.8572', '1'],
  ['hunyuan', '7.143', '1'],
  ['yi-large', '1.3699', '1'],
  ['command-r', '0.25', '3'],
  ['command-r-plus', '1.5', '5'],
  ['PaLM-2', '1', '1'],
  ['llama-3-sonar-small-32k-chat', '0.1', '1'],
  ['llama-3-sonar-large-32k-chat', '0.5', '1'],
];

/** Dollars per call (contract 7.9). */
export const defaultCallPrices: readonly (readonly [model: string, dollars: string])[] = [
  ['suno_music', '0.1'],
  ['suno_lyrics', '0.01'],
  ['dall-e-3', '0.04'],
  ['imagen-3.0-generate-002', '0.03'],
  ['gpt-4-gizmo-*', '0.1'],
  ['mj_imagine', '0.1'],
  ['mj_variation', '0.1'],
  ['mj_reroll', '0.1'],
  ['mj_blend', '0.1'],
  ['mj_modal', '0.1'],
  ['mj_zoom', '0.1'],
  ['mj_shorten', '0.1'],
  ['mj_high_variation', '0.1'],
  ['mj_low_variation', '0.1'],
  ['mj_pan', '0.1'],
  ['mj_inpaint', '0'],
  ['mj_custom_zoom', '0'],
  ['mj_describe', '0.05'],
  ['mj_upscale', '0.05'],
  ['swap_face', '0.05'],
  ['mj_upload', '0.05'],
];

/** Dollars per second of video. */
export const defaultSecondPrices: readonly (readonly [model: string, dollars: string])[] = [
  ['sora-2', '0.1'],
  ['sora-2-pro', '0.3'],
];

/** Completion ratio by family (contract 7.3), first match wins; anything else is 1. */
export const completionFamilies: readonly (readonly [pattern: RegExp, ratio: string])[] = [
  [/^gpt-4o-2024-05-13$/, '3'],
  [/^gpt-4o(?!.*(-all|gizmo))/, '4'],
  [/^gpt-4\.5-preview/, '2'],
  [/^gpt-4-turbo|gpt-4-110[56]$/, '3'],
  [/^gpt-4(?!.*(-all|gizmo))/, '2'],
  [/^o[13]/, '4'],
  [/^chatgpt-4o-latest$/, '3'],
  [/claude-instant-1|claude-2/, '3'],
  [/claude-3/, '5'],
  [/^gpt-3\.5-turbo$|^gpt-3\.5.*0125/, '3'],
  [/^gpt-3\.5.*1106/, '2'],
  [/^gpt-3\.5/, '1.333333333'],
  [/^mistral-/, '3'],
  [/^gemini-2\.5-pro-preview/, '8'],
  [/^gemini-/, '4'],
  [/^command-r-plus$/, '5'],
  [/^command-r$/, '3'],
  [/^command/, '4'],
  [/^deepseek-(chat|reasoner)$/i, '4'],
  [/^ERNIE-(Speed|Lite|Character|Functions)/, '2'],
  [/^llama2-70b-4096$/, '1.25'],
  [/^llama3-8b-8192$/, '2'],
  [/^llama3-70b-8192$/, '1.338983051'],
];

/** Price of a cached prompt token relative to a plain one (contract 7.5); anything else is 1. */
export const cacheFamilies: readonly (readonly [pattern: RegExp, ratio: string])[] = [
  [/^gpt-4$/, '0.5'],
  // Plain, of a date, or with an effort: what else is called so, such as o1-pro or gpt-4o-audio-preview, has no such price.
  [
    /^(gpt-4o(-mini)?(-realtime-preview)?|gpt-4\.5-preview|o1(-preview|-mini)?|o3-mini)(-\d{4}-\d\d-\d\d)?(-(low|medium|high))?$/,
    '0.5',
  ],
  [/^deepseek-(chat|reasoner|coder)$/, '0.25'],
  [/claude-3/, '0.1'],
];

/** Price of a spoken prompt token relative to a written one (contract 7.5); anything else has none of its own. */
export const audioFamilies: readonly (readonly [pattern: RegExp, ratio: string])[] = [
  [/^gpt-4o-realtime-preview-2024-12-17$/, '8'],
  [/mini-realtime/, '16.666666667'],
  [/-realtime/, '20'],
  [/^gpt-4o-audio-preview-2024-12-17$/, '16'],
  [/mini-audio/, '66.666666667'],
  [/-audio/, '40'],
];
/** A spoken answer's token relative to a spoken prompt token. */
export const spokenAnswer = '2';
