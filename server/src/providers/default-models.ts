import { chinaModels } from './china-models.ts';
import { words } from './words.ts';

/** Suggested models by channel type (contract 4.4): data as of November 2026, not protocol. None that its vendor has shut down. */

export const openaiModels =
  words(`gpt-6.2-sol gpt-6.2-astra gpt-6.1-sol gpt-6.1-terra gpt-6-sol gpt-6-luna gpt-6-astra gpt-5.6-sol gpt-5.6-terra
  gpt-5.6-luna gpt-5.5 gpt-5.5-pro gpt-5.4 gpt-5.4-mini gpt-5.4-nano gpt-5.4-pro gpt-5.3-codex gpt-5.2 gpt-5.2-pro gpt-5.1
  gpt-5.1-codex-mini gpt-5 gpt-5-mini gpt-5-nano gpt-5-pro gpt-chat-latest gpt-4.1 gpt-4.1-mini gpt-4o gpt-4o-mini o3 o3-pro
  gpt-3.5-turbo-instruct gpt-audio gpt-audio-mini gpt-realtime-2.1 gpt-realtime-2.1-mini gpt-realtime-2 gpt-realtime
  gpt-realtime-mini gpt-transcribe gpt-4o-transcribe gpt-4o-mini-transcribe gpt-4o-mini-tts whisper-1 tts-1 tts-1-hd
  gpt-image-2.6-sunburst gpt-image-2.6-flare gpt-image-2.5-sunburst gpt-image-2.5-flare gpt-image-2 gpt-image-1.5
  gpt-image-1-mini text-embedding-3-large text-embedding-3-small text-embedding-ada-002 omni-moderation-latest`);

const claudeEverywhere = words(`claude-opus-5-5 claude-sonnet-5-5 claude-haiku-5-5 claude-fable-5-1 claude-fable-5 claude-opus-5
  claude-sonnet-5 claude-opus-4-8 claude-opus-4-7 claude-opus-4-6 claude-sonnet-4-6 claude-opus-4-5-20251101 claude-haiku-4-5-20251001`);

export const claudeModels = ['claude-fable-5-2', ...claudeEverywhere];

/** Two more, which their vendor has shut down: clouds do so at dates of their own. */
const claudeInClouds = [...claudeEverywhere, ...words('claude-sonnet-4-5-20250929 claude-opus-4-1-20250805')];

export const geminiModels =
  words(`gemini-4-argon gemini-4-carbon gemini-4-hydrogen gemini-3.8-flash gemini-3.7-flash gemini-3.6-flash gemini-3.5-flash
  gemini-3.5-flash-lite gemini-3.1-pro-preview gemini-3.1-flash-lite gemini-3-flash-preview gemini-2.5-pro gemini-2.5-flash
  gemini-2.5-flash-lite gemini-3-pro-image gemini-3.1-flash-image gemini-3.1-flash-lite-image gemini-2.5-flash-image
  gemini-embedding-2 gemini-embedding-001 gemma-4-31b-it gemma-4-26b-a4b-it`);

const openWeights = words(`openai/gpt-oss-120b openai/gpt-oss-20b meta-llama/Llama-3.3-70B-Instruct Qwen/Qwen3.5-397B-A17B
  Qwen/Qwen3-235B-A22B-Instruct-2507 Qwen/Qwen3-Coder-480B-A35B-Instruct moonshotai/Kimi-K2.5 zai-org/GLM-5 deepseek-ai/DeepSeek-V3.2
  deepseek-ai/DeepSeek-R1-0528`);

export const defaultModels: Readonly<Record<number, readonly string[]>> = {
  ...chinaModels,
  1: openaiModels,
  3: openaiModels,
  4: words(
    'gpt-oss:120b gpt-oss:20b qwen3.5:27b qwen3-coder:30b gemma3:27b deepseek-r1:8b llama3.3:70b llama3.2:3b nomic-embed-text',
  ),
  11: ['PaLM-2'],
  14: claudeModels,
  20: words(`openai/gpt-6-sol openai/gpt-5.6-luna anthropic/claude-opus-5.5 anthropic/claude-sonnet-5 anthropic/claude-haiku-4.5
    google/gemini-3.5-flash google/gemini-3.1-pro-preview x-ai/grok-4.3 deepseek/deepseek-v4-pro deepseek/deepseek-v4-flash
    moonshotai/kimi-k3 z-ai/glm-5.3 mistralai/mistral-medium-3-5 meta-llama/llama-4-maverick openai/gpt-oss-120b`),
  24: geminiModels,
  27: words('sonar sonar-pro sonar-reasoning-pro sonar-deep-research'),
  31: words('yi-lightning yi-large yi-medium yi-vision-v2'),
  33: [
    ...claudeInClouds,
    ...words(`amazon.nova-premier-v1:0 amazon.nova-pro-v1:0 amazon.nova-2-lite-v1:0 amazon.nova-lite-v1:0 amazon.nova-micro-v1:0
      openai.gpt-oss-120b-1:0 openai.gpt-oss-20b-1:0 meta.llama4-maverick-17b-instruct-v1:0 meta.llama3-3-70b-instruct-v1:0
      mistral.mistral-large-3-675b-instruct deepseek.r1-v1:0 qwen.qwen3-235b-a22b-2507-v1:0 qwen.qwen3-coder-480b-a35b-v1:0
      amazon.titan-embed-text-v2:0 cohere.embed-multilingual-v3 cohere.rerank-v3-5:0`),
  ],
  34: words(`command-a-03-2025 command-a-reasoning-08-2025 command-a-vision-07-2025 command-a-translate-08-2025 command-r7b-12-2024
    command-r-plus-08-2024 command-r-08-2024 c4ai-aya-expanse-32b embed-v4.0 embed-multilingual-v3.0 embed-english-v3.0 rerank-v4.0-pro
    rerank-v4.0-fast rerank-v3.5 rerank-multilingual-v3.0 rerank-english-v3.0`),
  38: words(`jina-embeddings-v5-text-small jina-embeddings-v5-text-nano jina-embeddings-v4 jina-embeddings-v3 jina-clip-v2 jina-code-embeddings-1.5b
    jina-reranker-v3 jina-reranker-m0 jina-reranker-v2-base-multilingual`),
  39: words(`@cf/openai/gpt-oss-120b @cf/openai/gpt-oss-20b @cf/meta/llama-4-scout-17b-16e-instruct @cf/meta/llama-3.3-70b-instruct-fp8-fast
    @cf/meta/llama-3.1-8b-instruct @cf/qwen/qwen3-30b-a3b-fp8 @cf/qwen/qwq-32b @cf/google/gemma-3-12b-it
    @cf/mistralai/mistral-small-3.1-24b-instruct @cf/deepseek-ai/deepseek-r1-distill-qwen-32b @cf/ibm-granite/granite-4.0-h-micro
    @cf/black-forest-labs/flux-1-schnell @cf/openai/whisper-large-v3-turbo @cf/openai/whisper @cf/baai/bge-m3 @cf/baai/bge-large-en-v1.5
    @cf/google/embeddinggemma-300m @cf/baai/bge-reranker-base`),
  40: words(`deepseek-ai/DeepSeek-V3.2 deepseek-ai/DeepSeek-R1 Qwen/Qwen3-235B-A22B-Instruct-2507 Qwen/Qwen3-Coder-480B-A35B-Instruct Qwen/Qwen3-32B
    Qwen/Qwen3-8B moonshotai/Kimi-K2-Instruct-0905 zai-org/GLM-4.6 THUDM/GLM-4-9B-0414 MiniMaxAI/MiniMax-M2 Qwen/Qwen-Image Kwai-Kolors/Kolors
    BAAI/bge-m3 BAAI/bge-reranker-v2-m3 Qwen/Qwen3-Embedding-8B Qwen/Qwen3-Reranker-8B FunAudioLLM/SenseVoiceSmall FunAudioLLM/CosyVoice2-0.5B`),
  41: [
    ...geminiModels.filter((model) => !model.startsWith('gemma')),
    ...claudeInClouds,
    ...words(`meta/llama-4-maverick-17b-128e-instruct-maas meta/llama-4-scout-17b-16e-instruct-maas meta/llama-3.3-70b-instruct-maas
      text-embedding-005 text-multilingual-embedding-002`),
  ],
  42: words(`mistral-large-latest mistral-large-2512 mistral-medium-latest mistral-medium-3-5 mistral-small-latest mistral-small-2603
    magistral-medium-latest magistral-small-latest devstral-2512 codestral-latest codestral-2508 ministral-14b-2512 ministral-8b-2512
    ministral-3b-2512 voxtral-small-latest voxtral-mini-2602 mistral-embed codestral-embed mistral-moderation-latest`),
  43: words('deepseek-v4-pro deepseek-v4-flash'),
  47: words('qwen3 qwen3-coder deepseek-r1 bge-m3 bge-reranker-v2-m3 jina-reranker-v2'),
  48: words('grok-4.6 grok-4.5 grok-4.3 grok-4.20 grok-build-0.1 grok-3-mini grok-imagine-image grok-2-image-1212'),
  1001: words(`openai/gpt-oss-120b openai/gpt-oss-20b llama-3.3-70b-versatile llama-3.1-8b-instant moonshotai/kimi-k2-instruct qwen/qwen3-32b
    meta-llama/llama-4-maverick-17b-128e-instruct meta-llama/llama-4-scout-17b-16e-instruct meta-llama/llama-guard-4-12b whisper-large-v3
    whisper-large-v3-turbo`),
  1002: words(`openai/gpt-oss-120b openai/gpt-oss-20b moonshotai/Kimi-K2.5 zai-org/GLM-5 Qwen/Qwen3.5-397B-A17B Qwen/Qwen3.5-9B
    Qwen/Qwen3-Coder-Next-FP8 Qwen/Qwen3-235B-A22B-Instruct-2507-tput deepseek-ai/DeepSeek-V3.1 deepseek-ai/DeepSeek-R1
    meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8 meta-llama/Llama-3.3-70B-Instruct-Turbo black-forest-labs/FLUX.1-schnell`),
  1003: words(`kimi-k3 kimi-k2p7-code kimi-k2p6 deepseek-v4-pro deepseek-v4-flash deepseek-v3p2 glm-5p2 glm-5p1 minimax-m3 qwen3p7-plus gpt-oss-120b
    gpt-oss-20b nemotron-3-ultra-nvfp4`).map((name) => `accounts/fireworks/models/${name}`),
  1004: words('gpt-oss-120b zai-glm-4.7 gemma-4-31b'),
  1005: words(`nvidia/nemotron-3-ultra-550b-a55b nvidia/nemotron-3-super-120b-a12b nvidia/nemotron-3-nano-30b-a3b openai/gpt-oss-120b openai/gpt-oss-20b
    nvidia/llama-3.3-nemotron-super-49b-v1.5 meta/llama-3.3-70b-instruct moonshotai/kimi-k2.5 deepseek-ai/deepseek-v3.2`),
  1006: words(`openai/gpt-5 openai/gpt-5-mini openai/gpt-4.1 openai/gpt-4.1-mini openai/gpt-4o openai/gpt-4o-mini openai/o3 openai/o4-mini
    meta/llama-4-maverick-17b-128e-instruct-fp8 meta/llama-3.3-70b-instruct mistral-ai/mistral-medium-2505 deepseek/deepseek-v3-0324
    microsoft/phi-4 openai/text-embedding-3-large openai/text-embedding-3-small`),
  1007: openWeights,
  1008: words(`deepseek/deepseek-v3.2 deepseek/deepseek-r1-0528 moonshotai/kimi-k2.5 zai-org/glm-5 minimax/minimax-m2 qwen/qwen3.5-397b-a17b
    qwen/qwen3-coder-next openai/gpt-oss-120b openai/gpt-oss-20b meta-llama/llama-3.3-70b-instruct`),
  1009: words(
    'gpt-oss-120b DeepSeek-V3.1 DeepSeek-R1-0528 Meta-Llama-3.3-70B-Instruct Llama-4-Maverick-17B-128E-Instruct Qwen3-32B',
  ),
  1010: words(`openai/gpt-oss-120b openai/gpt-oss-20b Qwen/Qwen3-235B-A22B-Instruct-2507 Qwen/Qwen3-Coder-480B-A35B-Instruct
    Qwen/Qwen3-Next-80B-A3B-Instruct deepseek-ai/DeepSeek-R1-0528 deepseek-ai/DeepSeek-V3-0324 meta-llama/Llama-3.3-70B-Instruct`),
  1011: openWeights,
  1012: openWeights,
  1016: words('jamba-large jamba-mini'),
  1017: words(`gpt-oss-120b llama-3.3-70b-instruct qwen3-235b-a22b-instruct-2507 mistral-small-3.2-24b-instruct-2506 bge-multilingual-gemma2
    whisper-large-v3`),
  1018: words(`gpt-oss-120b gpt-oss-20b Meta-Llama-3_3-70B-Instruct Llama-3.1-8B-Instruct Qwen3-32B Qwen3-Coder-30B-A3B-Instruct
    Qwen2.5-VL-72B-Instruct Mistral-Small-3.2-24B-Instruct-2506 bge-m3 bge-base-en-v1.5 bge-multilingual-gemma2`),
  1019: words(`openai/gpt-6-sol openai/gpt-5.6-luna anthropic/claude-opus-5.5 anthropic/claude-sonnet-5 google/gemini-3.5-flash xai/grok-4.3
    deepseek/deepseek-v4-pro moonshotai/kimi-k3 zai/glm-5.3 openai/text-embedding-3-small`),
  1020: words('mercury-2 mercury mercury-coder'),
  1021: words('solar-pro3 solar-pro2 solar-mini embedding-query embedding-passage'),
  1022: openWeights,
  1023: openWeights,
  1024: openWeights,
  1025: words('meta-llama/Llama-3.3-70B-Instruct Qwen/Qwen3-235B-A22B-Instruct-2507 zai-org/GLM-5 deepseek-ai/DeepSeek-V3.2'),
  1026: words(`voyage-4-large voyage-4 voyage-4-lite voyage-context-3 voyage-code-3 voyage-3.5 voyage-3.5-lite voyage-finance-2 voyage-law-2 rerank-2.5
    rerank-2.5-lite`),
};
