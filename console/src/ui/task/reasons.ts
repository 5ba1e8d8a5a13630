import { getLanguage } from '../../i18n/language.ts';

/** What the server itself says of a channel or a task, as patterns of the words that other programs read as they are. */
const ours: Readonly<Record<string, string>> = {
  '响应时间 (.+)s 超过阈值 (.+)s': 'it took $1 s, $2 s are allowed',
  余额不足: 'no balance is left',
  '渠道地址已更改.+': 'the address was changed: enter the key anew',
  '任务提交后没有.+': 'the upstream never confirmed it',
  '获取渠道信息失败.+：(\\d+)': 'its channel #$1 is gone, ask an administrator',
  '上游任务超时（超过(\\d+)小时）': 'the upstream took longer than $1 h',
  上游没有该任务: 'the upstream does not know it',
};

/** A reason in the reader's language as far as the words are ours; what an upstream said stays as it is. */
export function reasonText(reason: string): string {
  if (getLanguage() === 'zh') return reason;
  return Object.entries(ours).reduce((text, [said, told]) => text.replace(RegExp(`^${said}$`), told), reason);
}
