import { words } from './words.ts';

/** Suggested models of vendors in China by channel type: data as of November 2026, not protocol. */
export const chinaModels = {
  15: words(`ERNIE-4.0-8K ERNIE-4.0-Turbo-8K ERNIE-4.0-Turbo-128K ERNIE-3.5-8K ERNIE-3.5-128K ERNIE-3.5-8K-0205 ERNIE-3.5-8K-1222
    ERNIE-Bot-8K ERNIE-3.5-4K-0205 ERNIE-Speed-8K ERNIE-Speed-128K ERNIE-Speed-Pro-128K ERNIE-Lite-8K-0922 ERNIE-Lite-8K-0308
    ERNIE-Lite-Pro-128K ERNIE-Tiny-8K ERNIE-Novel-8K BLOOMZ-7B Embedding-V1 bge-large-zh bge-large-en tao-8k`),
  16: words('chatglm_turbo chatglm_pro chatglm_std chatglm_lite'),
  17: words(`qwen3.7-max qwen3.7-plus qwen3.6-plus qwen3.6-flash qwen3.5-plus qwen3.5-flash qwen-max qwen-plus qwen-flash qwen-long
    qwen3-coder-flash qwen3-vl-plus qwen-vl-ocr qwen-mt-plus qwen-mt-flash qwq-plus deepseek-v4-pro deepseek-v4-flash kimi-k3 kimi-k2.6
    glm-5.2 glm-5.1 MiniMax-M2.7 text-embedding-v4 text-embedding-v3 qwen3-rerank gte-rerank-v2 qwen-image-plus qwen-image wan2.6-t2i
    wan2.5-t2i-preview wan2.2-t2i-plus wan2.2-t2i-flash z-image-turbo`),
  18: words(`SparkDesk SparkDesk-v1.1 SparkDesk-v3.1 SparkDesk-v3.5 SparkDesk-v4.0 lite generalv3 generalv3.5 4.0Ultra pro-128k max-32k
    spark-x1.5 spark-x2 spark-x`),
  19: words('360gpt2-pro 360gpt2-o1 360gpt-pro 360gpt-turbo 360gpt-turbo-responsibility-8k 360zhinao2-o1 embedding-bert-512-v1'),
  21: words('gpt-4o-mini gpt-4o gpt-4.1-mini'),
  23: words(`hunyuan-lite hunyuan-standard hunyuan-standard-256K hunyuan-large hunyuan-pro hunyuan-turbo-latest hunyuan-turbos-latest
    hunyuan-t1-latest hunyuan-2.0-thinking-20251109 hunyuan-2.0-instruct-20251111 hunyuan-role hunyuan-functioncall hunyuan-vision
    hunyuan-turbos-vision`),
  25: words(`kimi-k3 kimi-k2.7-code kimi-k2.7-code-highspeed kimi-k2.6 kimi-k2.5 moonshot-v1-auto moonshot-v1-8k moonshot-v1-32k
    moonshot-v1-128k moonshot-v1-8k-vision-preview moonshot-v1-32k-vision-preview moonshot-v1-128k-vision-preview`),
  26: words(`glm-5.3 glm-5.3-flash glm-5.2 glm-5.1 glm-5-turbo glm-5 glm-5v-turbo glm-4.7 glm-4.7-flashx glm-4.7-flash glm-4.6 glm-4.6v
    glm-4.6v-flash glm-4.5 glm-4.5-air glm-4.5-airx glm-4.5-flash glm-4.5v glm-4-plus glm-4-air-250414 glm-4-airx glm-4-long
    glm-4-flashx-250414 glm-4-flash-250414 glm-4v-plus-0111 glm-z1-air glm-z1-flash charglm-4 embedding-3 embedding-2 rerank
    glm-image cogview-4-250304 cogview-4 cogview-3-flash glm-tts glm-asr-2512`),
  35: words(`MiniMax-M3 MiniMax-M2.7 MiniMax-M2.7-highspeed MiniMax-M2.5 MiniMax-M2.5-highspeed MiniMax-M2.1 MiniMax-M2.1-highspeed MiniMax-M2
    MiniMax-M1 MiniMax-Text-01 abab6.5s-chat embo-01 image-01`),
  44: words('m3e-large m3e-base m3e-small'),
  45: words(`doubao-seed-2-1-pro-260628 doubao-seed-2-1-turbo-260628 doubao-seed-evolving doubao-seed-2-0-pro doubao-seed-2-0-lite
    doubao-seed-2-0-mini doubao-seed-2-0-code doubao-seed-1-8 doubao-seed-code doubao-seed-1-6 doubao-seed-1-6-flash
    doubao-seed-1-6-vision deepseek-v4-pro deepseek-v4-flash deepseek-v3-2 kimi-k2-thinking glm-4-7 doubao-embedding-vision
    doubao-embedding-large doubao-seedream-5-0 doubao-seedream-4-5 doubao-seedream-4-0`),
  46: words(`ernie-5.1 ernie-5.0 ernie-x1.1 ernie-x1-turbo-32k ernie-4.5-turbo-128k ernie-4.5-turbo-32k ernie-4.5-turbo-vl
    ernie-4.5-21b-a3b ernie-4.0-turbo-8k ernie-4.0-turbo-128k ernie-3.5-8k ernie-3.5-128k ernie-speed-pro-128k ernie-lite-pro-128k
    ernie-char-8k ernie-char-fiction-8k ernie-novel-8k deepseek-v4-pro deepseek-v4-flash deepseek-v3.2 deepseek-r1 kimi-k2.6 glm-5.1
    bge-large-zh bge-large-en tao-8k qwen3-embedding-8b bce-reranker-base qwen3-reranker-8b`),
  1101: words(
    'step-3.7-flash step-3.5-flash step-3 step-2-16k step-2-mini step-r1-v-mini step-1-8k step-1-32k step-1-256k step-1o-turbo-vision step-tts-2',
  ),
  1102: words(`Baichuan-M3 Baichuan-M2 Baichuan4-Turbo Baichuan4-Air Baichuan4 Baichuan3-Turbo Baichuan3-Turbo-128k
    Baichuan-Text-Embedding`),
  1103: words(`deepseek-ai/DeepSeek-V4-Pro deepseek-ai/DeepSeek-V4-Flash deepseek-ai/DeepSeek-V3.2 Qwen/Qwen3.5-397B-A17B
    Qwen/Qwen3-235B-A22B-Instruct-2507 Qwen/Qwen3-Coder-480B-A35B-Instruct ZhipuAI/GLM-5.1 ZhipuAI/GLM-5 moonshotai/Kimi-K2.5
    MiniMax/MiniMax-M2.5 Qwen/Qwen3-Embedding-8B Qwen/Qwen-Image`),
  1104: words(`deepseek/deepseek-v4-pro deepseek/deepseek-v4-flash deepseek/deepseek-v3.2 zai-org/glm-5.1 zai-org/glm-5 moonshotai/kimi-k2.6
    moonshotai/kimi-k2.5 minimax/minimax-m2.7 qwen/qwen3-235b-a22b-instruct-2507 qwen/qwen3-coder-480b-a35b-instruct baai/bge-m3`),
  1105: words(`deepseek-v4-pro deepseek-v4-flash deepseek-v3.2 glm-5.1 glm-5 kimi-k2.6 kimi-k2.5 minimax-m2.7 qwen3-235b-a22b-instruct-2507 bge-m3
    bge-reranker-v2-m3`),
  1106: words(`hunyuan-2.0-thinking-20251109 hunyuan-2.0-instruct-20251111 hunyuan-t1-latest hunyuan-turbos-latest hunyuan-large hunyuan-lite
    hunyuan-role-latest hunyuan-turbos-vision hunyuan-vision hunyuan-functioncall hunyuan-embedding`),
  1107: words('mimo-v2.5-pro mimo-v2.5 mimo-v2-pro mimo-v2-omni mimo-v2-flash'),
  1108: words('4.0Ultra generalv3.5 max-32k generalv3 pro-128k lite'),
  1109: words(
    'hy3 hy3-preview hy-mt2-pro hunyuan-role-latest deepseek-v4-pro deepseek-v4-flash glm-5.2 glm-5.1 kimi-k3 kimi-k2.6 minimax-m2.7',
  ),
  1110: words(`deepseek-v4-pro deepseek-v4-flash deepseek-v3.2 glm-5.1 glm-5 kimi-k2.6 kimi-k2.5 minimax-m2.7 qwen3-max
    qwen3-coder-480b-a35b-instruct gpt-oss-120b`),
  1111: words('deepseek-v4-pro deepseek-v4-flash deepseek-v3.2 glm-5.2 glm-5.1 kimi-k2.6 qwen3-235b-a22b'),
  1112: words('SenseNova-V6-5-Pro SenseNova-V6-5-Turbo SenseNova-V6-Reasoner SenseChat-5 SenseChat-Turbo SenseChat-Vision'),
  1113: words(`glm-5.3 glm-5.3-flash glm-5.2 glm-5.1 glm-5-turbo glm-5 glm-5v-turbo glm-4.7 glm-4.7-flashx glm-4.7-flash glm-4.6 glm-4.6v
    glm-4.5 glm-4.5-air glm-4.5-flash cogview-4-250304`),
  1114: words('LongCat-2.0-Preview LongCat-Flash-Chat LongCat-Flash-Thinking LongCat-Flash-Thinking-2601 LongCat-Flash-Lite'),
  1115: words(
    'DeepSeek-V3.2 DeepSeek-R1 GLM-5 Kimi-K2.5 Qwen3-235B-A22B-Instruct-2507 MiniMax-M2.5 Qwen3-Embedding-8B bge-m3 bge-reranker-v2-m3',
  ),
} satisfies Readonly<Record<number, readonly string[]>>;
