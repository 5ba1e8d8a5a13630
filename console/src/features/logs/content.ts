import type { LogEntry } from '@tollgate/contract';
import { getLanguage } from '../../i18n/language.ts';
import { isCharge } from './model.ts';

/** The words in which the server writes how a call was charged, which other programs read as they are. */
const words: Readonly<Record<string, string>> = {
  突发备用号池倍率: 'backup pool ratio',
  音频补全倍率: 'audio completion ratio',
  模型固定价格: 'fixed price',
  模型每秒价格: 'price per second',
  补全倍率: 'completion ratio',
  模型倍率: 'model ratio',
  音频倍率: 'audio ratio',
  分组倍率: 'group ratio',
  模型: 'model',
  操作: 'action',
  时长: 'length',
  秒: 's',
  '，': ', ',
};
const pattern = new RegExp(Object.keys(words).join('|'), 'g');

/** What a row says of itself, in the reader's language as far as the words are ours. */
export function contentOf({ type, content }: Pick<LogEntry, 'type' | 'content'>): string {
  return getLanguage() === 'zh' || !isCharge(type) ? content : content.replace(pattern, (word) => words[word] ?? word);
}
