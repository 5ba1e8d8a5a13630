/**
 * What the console shows of a channel type (contract 4.2), and what its special fields must look like (contract 4.3).
 * The server's provider records carry how it is spoken to.
 */
export interface ChannelType {
  type: number;
  label: string;
  /** Its name in English, where that is another one. */
  english?: string;
  color: string;
  /** Used when the channel has no address of its own. */
  baseUrl: string;
  /** `false` = accepted for existing rows, not offered for new ones. Numbers above 1000 are ours. */
  offered: boolean;
  /** A channel of this type must have an address of its own. */
  needsAddress?: true;
  /** The address is complete, may hold `{model}`, and no path is appended. */
  completeUrl?: true;
  /** What the field `other` holds; absent = nothing that is checked. */
  other?: OtherField;
  /** How the credential is written when it is more than one word. */
  key?: KeyFormat;
}

/** The field `other` of a type. `region` is a name or a JSON map from model to region with a `default`. */
export interface OtherField {
  kind: 'version' | 'id' | 'plugin' | 'region';
  required?: true;
  /** Stored when the operator leaves it empty. */
  fallback?: string;
}

/** `parts`: joined by `|`, at least `min` of them. `json`: one JSON object, never split by line. */
export type KeyFormat = { kind: 'parts'; min: number; text: string } | { kind: 'json'; text: string };

type More = Partial<Omit<ChannelType, 'type' | 'label' | 'color' | 'baseUrl'>>;

type Name = string | readonly [chinese: string, english: string];

const line = (type: number, name: Name, color: string, baseUrl: string, more: More = {}): ChannelType => ({
  type,
  ...(typeof name === 'string' ? { label: name } : { label: name[0], english: name[1] }),
  color,
  baseUrl,
  offered: true,
  ...more,
});
const parts = (text: string): KeyFormat => ({ kind: 'parts', min: text.split('|').length, text });
const former = { offered: false };

/** In the order of the console's select. */
export const channelTypes: readonly ChannelType[] = [
  line(1, 'OpenAI', 'green', 'https://api.openai.com'),
  line(2, 'Midjourney Proxy', 'light-blue', 'https://oa.api2d.net'),
  line(5, 'Midjourney Proxy Plus', 'blue', 'https://api.openai-sb.com'),
  line(36, 'Suno API', 'purple', '', { needsAddress: true }),
  line(4, 'Ollama', 'grey', 'http://localhost:11434'),
  line(14, 'Anthropic Claude', 'indigo', 'https://api.anthropic.com'),
  line(33, 'AWS Claude', 'indigo', '', { key: { kind: 'parts', min: 2, text: 'AccessKey|SecretKey[|SessionToken]|Region' } }),
  line(41, 'Vertex AI', 'blue', '', {
    other: { kind: 'region', required: true },
    key: { kind: 'json', text: 'service-account.json' },
  }),
  line(3, 'Azure OpenAI', 'teal', '', { needsAddress: true, other: { kind: 'version' } }),
  line(34, 'Cohere', 'purple', 'https://api.cohere.ai'),
  line(39, 'Cloudflare', 'grey', 'https://api.cloudflare.com', { other: { kind: 'id' } }),
  line(43, 'DeepSeek', 'blue', 'https://api.deepseek.com'),
  line(15, ['百度文心千帆', 'Baidu Qianfan'], 'blue', 'https://aip.baidubce.com', { key: parts('APIKey|SecretKey') }),
  line(46, ['百度文心千帆V2', 'Baidu Qianfan V2'], 'blue', 'https://qianfan.baidubce.com'),
  line(17, ['阿里通义千问', 'Alibaba Qwen'], 'orange', 'https://dashscope.aliyuncs.com', {
    other: { kind: 'plugin' },
  }),
  line(18, ['讯飞星火认知', 'iFlytek Spark'], 'blue', '', {
    other: { kind: 'version', fallback: 'v2.1' },
    key: parts('APPID|APISecret|APIKey'),
  }),
  line(16, ['智谱 ChatGLM', 'Zhipu ChatGLM'], 'violet', 'https://open.bigmodel.cn'),
  line(26, ['智谱 GLM-4V', 'Zhipu GLM-4V'], 'purple', 'https://open.bigmodel.cn'),
  line(24, 'Google Gemini', 'orange', 'https://generativelanguage.googleapis.com', { other: { kind: 'version' } }),
  line(11, 'Google PaLM2', 'orange', 'https://generativelanguage.googleapis.com'),
  line(47, 'Xinference', 'blue', '', { needsAddress: true }),
  line(25, 'Moonshot', 'green', 'https://api.moonshot.cn'),
  line(20, 'OpenRouter', 'green', 'https://openrouter.ai/api'),
  line(19, ['360 智脑', '360 Zhinao'], 'blue', 'https://api.360.cn'),
  line(23, ['腾讯混元', 'Tencent Hunyuan'], 'teal', 'https://hunyuan.tencentcloudapi.com', {
    key: parts('AppId|SecretId|SecretKey'),
  }),
  line(31, ['零一万物', '01.AI'], 'green', 'https://api.lingyiwanwu.com'),
  line(35, 'MiniMax', 'green', 'https://api.minimax.chat'),
  line(37, 'Dify', 'teal', 'https://api.dify.ai'),
  line(38, 'Jina', 'blue', 'https://api.jina.ai'),
  line(40, 'SiliconCloud', 'purple', 'https://api.siliconflow.cn'),
  line(42, 'Mistral AI', 'blue', 'https://api.mistral.ai'),
  line(8, ['自定义渠道', 'Custom channel'], 'pink', '', { needsAddress: true, completeUrl: true }),
  line(22, ['知识库：FastGPT', 'Knowledge base: FastGPT'], 'blue', 'https://fastgpt.run/api/openapi'),
  line(21, ['知识库：AI Proxy', 'Knowledge base: AI Proxy'], 'purple', 'https://api.aiproxy.io', { other: { kind: 'id' } }),
  line(44, ['嵌入模型：MokaAI M3E', 'Embeddings: MokaAI M3E'], 'purple', 'https://api.moka.ai'),
  line(45, ['字节火山方舟、豆包、DeepSeek通用', 'Volcengine Ark (Doubao)'], 'blue', 'https://ark.cn-beijing.volces.com'),
  line(48, 'xAI', 'blue', 'https://api.x.ai'),
  line(27, 'Perplexity', 'teal', 'https://api.perplexity.ai'),
  line(1001, 'Groq', 'orange', 'https://api.groq.com'),
  line(1002, 'Together AI', 'blue', 'https://api.together.xyz'),
  line(1003, 'Fireworks AI', 'purple', 'https://api.fireworks.ai/inference'),
  line(1004, 'Cerebras', 'orange', 'https://api.cerebras.ai'),
  line(1005, 'NVIDIA NIM', 'green', 'https://integrate.api.nvidia.com'),
  line(1006, 'GitHub Models', 'grey', 'https://models.github.ai'),
  line(1007, 'Nebius', 'violet', 'https://api.tokenfactory.nebius.com'),
  line(1008, 'Novita AI', 'green', 'https://api.novita.ai'),
  line(1009, 'SambaNova', 'orange', 'https://api.sambanova.ai'),
  line(1010, 'Hyperbolic', 'purple', 'https://api.hyperbolic.xyz'),
  line(1011, 'DeepInfra', 'blue', 'https://api.deepinfra.com'),
  line(1012, 'Hugging Face', 'orange', 'https://router.huggingface.co'),
  line(1013, 'LM Studio', 'indigo', 'http://localhost:1234'),
  line(1014, 'vLLM', 'blue', '', { needsAddress: true }),
  line(1015, 'llama.cpp', 'grey', 'http://localhost:8080'),
  line(1016, 'AI21', 'pink', 'https://api.ai21.com'),
  line(1017, 'Scaleway', 'violet', 'https://api.scaleway.ai'),
  line(1018, 'OVHcloud', 'blue', 'https://oai.endpoints.kepler.ai.cloud.ovh.net'),
  line(1019, 'Vercel AI Gateway', 'grey', 'https://ai-gateway.vercel.sh'),
  line(1020, 'Inception', 'teal', 'https://api.inceptionlabs.ai'),
  line(1021, 'Upstage', 'purple', 'https://api.upstage.ai'),
  line(1022, 'Featherless', 'orange', 'https://api.featherless.ai'),
  line(1023, 'Chutes', 'teal', 'https://llm.chutes.ai'),
  line(1024, 'Baseten', 'green', 'https://inference.baseten.co'),
  line(1025, 'Friendli', 'blue', 'https://api.friendli.ai'),
  line(1026, 'Voyage AI', 'teal', 'https://api.voyageai.com'),
  line(1101, ['阶跃星辰', 'StepFun'], 'blue', 'https://api.stepfun.com'),
  line(1102, ['百川智能', 'Baichuan'], 'orange', 'https://api.baichuan-ai.com'),
  line(1103, ['魔搭 ModelScope', 'ModelScope'], 'violet', 'https://api-inference.modelscope.cn'),
  line(1104, ['PPIO 派欧云', 'PPIO'], 'green', 'https://api.ppio.com'),
  line(1105, ['无问芯穹', 'Infinigence'], 'indigo', 'https://cloud.infini-ai.com/maas'),
  line(1106, ['腾讯混元（OpenAI 兼容）', 'Tencent Hunyuan (OpenAI)'], 'teal', 'https://api.hunyuan.cloud.tencent.com'),
  line(1107, ['小米 MiMo', 'Xiaomi MiMo'], 'orange', 'https://api.xiaomimimo.com'),
  line(1108, ['讯飞星火（HTTP）', 'iFlytek Spark (HTTP)'], 'blue', 'https://spark-api-open.xf-yun.com'),
  line(1109, ['腾讯云 TokenHub', 'Tencent Cloud TokenHub'], 'teal', 'https://tokenhub.tencentmaas.com'),
  line(1110, ['七牛云', 'Qiniu'], 'blue', 'https://api.qnaigc.com'),
  line(1111, ['华为云 MaaS', 'Huawei Cloud MaaS'], 'pink', 'https://api.modelarts-maas.com'),
  line(1112, ['商汤日日新', 'SenseTime SenseNova'], 'purple', 'https://api.sensenova.cn'),
  line(1113, 'Z.ai', 'violet', 'https://api.z.ai'),
  line(1114, ['美团 LongCat', 'Meituan LongCat'], 'green', 'https://api.longcat.chat'),
  line(1115, ['模力方舟 Gitee AI', 'Gitee AI'], 'pink', 'https://ai.gitee.com'),
  line(6, 'OpenAI Max', 'grey', 'https://api.openaimax.com', former),
  line(7, 'OhMyGPT', 'grey', 'https://api.ohmygpt.com', former),
  line(9, 'AILS', 'grey', 'https://api.caipacity.com', former),
  line(10, 'AI Proxy', 'grey', 'https://api.aiproxy.io', former),
  line(12, 'API2GPT', 'grey', 'https://api.api2gpt.com', former),
  line(13, 'AIGC2D', 'grey', 'https://api.aigc2d.com', former),
];
