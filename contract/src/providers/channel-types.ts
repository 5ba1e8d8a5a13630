/**
 * What the console shows of a channel type (contract 4.2). The server's provider records carry how it is spoken to.
 * `offered: false` = accepted for existing rows, not offered for new ones. Numbers above 1000 are ours.
 */
export interface ChannelType {
  type: number;
  label: string;
  color: string;
  baseUrl: string;
  offered: boolean;
}

const line = (type: number, label: string, color: string, baseUrl: string, offered = true): ChannelType => ({
  type,
  label,
  color,
  baseUrl,
  offered,
});

/** In the order of the console's select. */
export const channelTypes: readonly ChannelType[] = [
  line(1, 'OpenAI', 'green', 'https://api.openai.com'),
  line(43, 'DeepSeek', 'blue', 'https://api.deepseek.com'),
  line(46, '百度文心千帆V2', 'blue', 'https://qianfan.baidubce.com'),
  line(47, 'Xinference', 'blue', ''),
  line(25, 'Moonshot', 'green', 'https://api.moonshot.cn'),
  line(20, 'OpenRouter', 'green', 'https://openrouter.ai/api'),
  line(19, '360 智脑', 'blue', 'https://api.360.cn'),
  line(31, '零一万物', 'green', 'https://api.lingyiwanwu.com'),
  line(35, 'MiniMax', 'green', 'https://api.minimax.chat'),
  line(40, 'SiliconCloud', 'purple', 'https://api.siliconflow.cn'),
  line(42, 'Mistral AI', 'blue', 'https://api.mistral.ai'),
  line(8, '自定义渠道', 'pink', ''),
  line(22, '知识库：FastGPT', 'blue', 'https://fastgpt.run/api/openapi'),
  line(45, '字节火山方舟、豆包、DeepSeek通用', 'blue', 'https://ark.cn-beijing.volces.com'),
  line(48, 'xAI', 'blue', 'https://api.x.ai'),
  line(27, 'Perplexity', 'teal', 'https://api.perplexity.ai'),
  line(6, 'OpenAI Max', 'grey', 'https://api.openaimax.com', false),
  line(7, 'OhMyGPT', 'grey', 'https://api.ohmygpt.com', false),
  line(9, 'AILS', 'grey', 'https://api.caipacity.com', false),
  line(10, 'AI Proxy', 'grey', 'https://api.aiproxy.io', false),
  line(12, 'API2GPT', 'grey', 'https://api.api2gpt.com', false),
  line(13, 'AIGC2D', 'grey', 'https://api.aigc2d.com', false),
];
