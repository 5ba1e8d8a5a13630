/** Where vendors say the id of a call: most of them; Anthropic, AWS, Azure, gateways of this kind, Cohere, DeepSeek, SiliconFlow, Moonshot, MiniMax. */
export const requestIdHeaders: readonly string[] = [
  'x-request-id',
  'request-id',
  'x-amzn-requestid',
  'apim-request-id',
  'x-oneapi-request-id',
  'x-debug-trace-id',
  'x-ds-trace-id',
  'x-siliconcloud-trace-id',
  'msh-request-id',
  'trace-id',
];
