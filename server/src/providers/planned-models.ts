/** Suggested models of the planned types (contract 4.4): data, not protocol. Separated by blanks. */
const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');

const claude = words(`claude-opus-4-1-20250805 claude-sonnet-4-5-20250929 claude-sonnet-4-20250514 claude-haiku-4-5-20251001
  claude-3-7-sonnet-20250219 claude-3-7-sonnet-20250219-thinking claude-3-5-sonnet-20241022 claude-3-5-sonnet-20240620
  claude-3-5-haiku-20241022 claude-3-opus-20240229 claude-3-sonnet-20240229 claude-3-haiku-20240307 claude-2.1 claude-2.0
  claude-2 claude-instant-1.2`);
const gemini = words(`gemini-2.5-pro gemini-2.5-flash gemini-2.5-flash-lite gemini-2.5-pro-exp-03-25 gemini-2.5-pro-preview-03-25
  gemini-2.0-flash gemini-2.0-flash-exp gemini-2.0-flash-lite-preview gemini-2.0-pro-exp gemini-2.0-flash-thinking-exp
  gemini-1.5-pro gemini-1.5-flash gemini-1.5-flash-8b gemini-1.5-pro-latest gemini-1.5-flash-latest gemini-exp-1206
  imagen-3.0-generate-002 gemini-embedding-exp-03-07 text-embedding-004 embedding-001`);
const drawing = words('mj_imagine mj_variation mj_reroll mj_blend mj_upscale mj_describe');

export const plannedModels: Readonly<Record<number, readonly string[]>> = {
  2: [...drawing, 'mj_uploads'],
  3: words(`gpt-4o gpt-4o-mini gpt-4.1 gpt-4.1-mini gpt-4.1-nano gpt-5 gpt-5-mini gpt-5-nano o3 o3-mini o4-mini gpt-4-turbo gpt-4
    gpt-3.5-turbo text-embedding-3-small text-embedding-3-large text-embedding-ada-002 dall-e-3 whisper-1 tts-1 tts-1-hd`),
  4: ['llama3-7b'],
  5: [
    ...drawing,
    ...words(
      `mj_upload swap_face mj_zoom mj_shorten mj_modal mj_inpaint mj_custom_zoom mj_high_variation mj_low_variation mj_pan`,
    ),
  ],
  11: ['PaLM-2'],
  14: claude,
  24: gemini,
  33: claude.filter((model) => !model.endsWith('-thinking')),
  34: words(`command-a-03-2025 command-r command-r-plus command-r-08-2024 command-r-plus-08-2024 c4ai-aya-23-35b c4ai-aya-23-8b
    command-light command-light-nightly command command-nightly rerank-english-v3.0 rerank-multilingual-v3.0
    rerank-english-v2.0 rerank-multilingual-v2.0`),
  36: words('suno_music suno_lyrics'),
  38: words('jina-clip-v1 jina-reranker-v2-base-multilingual'),
  39: words(`@cf/meta/llama-3.1-8b-instruct @cf/meta/llama-3-8b-instruct @cf/meta/llama-2-7b-chat-fp16 @cf/meta/llama-2-7b-chat-int8
    @cf/mistral/mistral-7b-instruct-v0.1 @hf/mistral/mistral-7b-instruct-v0.2 @hf/thebloke/deepseek-coder-6.7b-base-awq
    @hf/thebloke/deepseek-coder-6.7b-instruct-awq @cf/deepseek-ai/deepseek-math-7b-base @cf/deepseek-ai/deepseek-math-7b-instruct
    @cf/google/gemma-2b-it-lora @cf/google/gemma-7b-it-lora @hf/google/gemma-7b-it @hf/nousresearch/hermes-2-pro-mistral-7b
    @hf/thebloke/neural-chat-7b-v3-1-awq @cf/openchat/openchat-3.5-0106 @hf/thebloke/openhermes-2.5-mistral-7b-awq
    @cf/microsoft/phi-2 @cf/qwen/qwen1.5-0.5b-chat @cf/qwen/qwen1.5-1.8b-chat @cf/qwen/qwen1.5-7b-chat-awq
    @cf/qwen/qwen1.5-14b-chat-awq @cf/defog/sqlcoder-7b-2 @hf/nexusflow/starling-lm-7b-beta
    @cf/tinyllama/tinyllama-1.1b-chat-v1.0 @hf/thebloke/zephyr-7b-beta-awq @cf/thebloke/discolm-german-7b-v1-awq
    @cf/tiiuae/falcon-7b-instruct @hf/thebloke/llamaguard-7b-awq`),
  41: ['meta/llama3-405b-instruct-maas', ...claude, ...gemini],
};
