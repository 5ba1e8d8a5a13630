import type { chat } from '@tollgate/wire';

const samples: readonly chat.Extension[] = ['top_k'];
const thinks: readonly chat.Extension[] = ['reasoning_content'];
const both: readonly chat.Extension[] = ['top_k', 'reasoning_content'];
/** Forwarded to the OpenAI API. */
const forwarded: readonly chat.Extension[] = ['custom_tools'];

/** What vendors of the OpenAI API take beyond it, by channel type, as their references say. */
export const extensionsByType: Readonly<Record<number, readonly chat.Extension[]>> = {
  6: forwarded,
  7: forwarded,
  9: forwarded,
  10: forwarded,
  12: forwarded,
  13: forwarded,
  20: ['top_k', 'cache_control', 'reasoning_content', 'reasoning_details', 'images'],
  25: thinks,
  40: both,
  43: thinks,
  45: thinks,
  47: samples,
  1002: samples,
  1003: both,
  1007: samples,
  1008: samples,
  1010: samples,
  1011: samples,
  1013: samples,
  1014: both,
  1015: both,
  1022: samples,
  1023: samples,
  1025: samples,
  1103: samples,
  1104: samples,
  1107: thinks,
  1113: thinks,
  1115: samples,
};
