import type { Row } from '../table.ts';
import { aiSdkRows } from './ai-sdk.ts';
import { anthropicRows } from './anthropic.ts';
import { anthropicOtherRows } from './anthropic-other.ts';
import { anthropicThinkingRows, anthropicToolRows } from './anthropic-tools.ts';
import { cornerRows } from './corners.ts';
import { otherCornerRows } from './corners-other.ts';
import { googleRows } from './google.ts';
import { googleOtherRows } from './google-other.ts';
import { openaiChatRows } from './openai-chat.ts';
import { openaiMediaRows } from './openai-chat-media.ts';
import { openaiOptionRows } from './openai-chat-options.ts';
import { openaiToolRows } from './openai-chat-tools.ts';
import { openaiResponsesRows } from './openai-responses.ts';

/** Everything that is asked over every chat upstream, in the order of the table. */
export const chatRows: readonly Row[] = [
  ...openaiChatRows,
  ...openaiToolRows,
  ...openaiMediaRows,
  ...openaiOptionRows,
  ...openaiResponsesRows,
  ...anthropicRows,
  ...anthropicToolRows,
  ...anthropicThinkingRows,
  ...anthropicOtherRows,
  ...googleRows,
  ...googleOtherRows,
  ...cornerRows,
  ...otherCornerRows,
  ...aiSdkRows,
];
