import { getLanguage } from '../../i18n/language.ts';

/** What the server itself says of a channel or a task, in the words that other programs read as they are. */
const ours: readonly (readonly [RegExp, string])[] = [
  [/^响应时间 (\S+)s 超过阈值 (\S+)s$/, 'it answered after $1 s, $2 s are allowed'],
  [/^余额不足$/, 'no balance is left'],
  [/^渠道地址已更改，请重新填写密钥$/, 'the address was changed: enter the key anew'],
  [/^任务提交后没有得到上游的确认$/, 'the upstream never confirmed it'],
  [/^获取渠道信息失败，请联系管理员，渠道ID：(\d+)$/, 'its channel #$1 is gone, ask an administrator'],
  [/^上游任务超时（超过(\d+)小时）$/, 'the upstream took longer than $1 h'],
  [/^上游没有该任务$/, 'the upstream does not know it'],
];

/** A reason in the reader's language as far as the words are ours; what an upstream said stays as it is. */
export function reasonText(reason: string): string {
  const known = getLanguage() === 'zh' ? undefined : ours.find(([said]) => said.test(reason));
  return known === undefined ? reason : reason.replace(...known);
}
