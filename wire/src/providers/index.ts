import type { UpstreamDialect } from '../chat/dialect.ts';
import { baiduChat } from './baidu-chat/dialect.ts';
import { bedrockConverse } from './bedrock-converse/dialect.ts';
import { cohereChat } from './cohere-chat/dialect.ts';
import { difyChat } from './dify-chat/dialect.ts';
import { libraryAsk } from './library-ask/dialect.ts';
import { palmMessage } from './palm-message/dialect.ts';
import { sparkChat } from './spark-chat/dialect.ts';
import { tencentChat } from './tencent-chat/dialect.ts';
import { zhipuInvoke } from './zhipu-invoke/dialect.ts';

/** Dialects that one vendor's upstream speaks and nobody else. */
export const providerDialects: readonly UpstreamDialect[] = [
  baiduChat,
  bedrockConverse,
  cohereChat,
  difyChat,
  libraryAsk,
  palmMessage,
  sparkChat,
  tencentChat,
  zhipuInvoke,
];
