import { type LogEntry, logType } from '@tollgate/contract';
import { getLanguage } from '../../i18n/language.ts';

/** The words in which the server writes how a call was charged, which other programs read as they are. */
const chargeWords: Readonly<Record<string, string>> = {
  突发备用号池: 'backup pool ',
  模型固定价格: 'fixed price',
  模型每秒价格: 'price per second',
  模型测试: 'model test',
  模型价格: 'price',
  模型倍率: 'model ratio',
  模型: 'model',
  音频: 'audio ',
  补全: 'completion ',
  分组: 'group ',
  请求图片: 'images asked for',
  交付图片: 'images delivered',
  大小倍率: 'size ratio',
  大小: 'size',
  品质: 'quality',
  操作: 'action',
  时长: 'length',
  秒: 's',
  服务档位: 'service tier',
  倍率: 'ratio',
  工具: 'tool',
  '次（每千次': 'uses (1,000 cost',
  '（可能是上游超时）': ' (the upstream may have timed out)',
  // Of rows from elsewhere (contract 7.7).
  ', （可能是请求出错）': ' (the call may have failed)',
  '（可能是上游出错）': '(the upstream may have failed)',
  '）': ')',
  '，': ', ',
};

/** How it begins to say what else moved a balance. */
const openings: Readonly<Record<string, string>> = {
  '好友充值已退款，扣回邀请返利': 'friend refunded, rebate taken back:',
  '在线充值退款，扣回': 'payment refunded, taken back:',
  '使用在线充值成功，充值金额:': 'topped up online:',
  管理员退还调用费用: 'charge given back by an administrator:',
  管理员将用户额度从: 'balance set by an administrator:',
  通过兑换码充值: 'redeemed:',
  新用户注册赠送: 'new account:',
  使用邀请码赠送: 'invite code:',
  邀请用户赠送: 'invite reward:',
  邀请返利: 'invite rebate:',
  邀请额度划转: 'moved from invite earnings:',
  代理分红兑换额度: 'turned from dividends:',
  自用模式自动补充额度: 'self-use mode, filled up:',
  异步任务执行失败: 'task failed:',
  构图失败: 'drawing failed:',
};
const noteWords: Readonly<Record<string, string>> = {
  将从以后的邀请收益中扣除: 'off later earnings',
  '（管理员入账）': ', by an administrator',
  '，支付金额：': ', paid ',
  '，兑换码ID': ', code ID',
  '，请求ID': ', call',
  '，补偿': ', given back:',
  '，其余': ', the other',
  修改为: ' →',
  点额度: 'units',
  ' 额度': '',
  '＄': '$',
};
/** What follows is somebody's own. */
const reason = '，原因：';

/** The one row of an error that is ours: what others say stays as it is. */
const unlisted = /^另有 (\d+) 个错误未逐条记录$/;

const anyOf = (words: object, start = ''): RegExp => new RegExp(`${start}(?:${Object.keys(words).join('|')})`, 'g');
const chargePattern = anyOf(chargeWords);
const openingPattern = anyOf(openings, '^');
const notePattern = anyOf(noteWords);

/** What a row says of itself, in the reader's language as far as the words are ours. */
export function contentOf({ type, content }: Pick<LogEntry, 'type' | 'content'>): string {
  if (getLanguage() === 'zh') return content;
  if (type === logType.error) return content.replace(unlisted, '$1 more errors, not listed one by one');
  if (type === logType.consume) return content.replace(chargePattern, (word) => chargeWords[word] ?? word);
  const [said = '', ...reasons] = content.split(reason);
  const begun = said.replace(openingPattern, (word) => openings[word] ?? word);
  if (begun === said) return content;
  const rest = reasons.length > 0 ? `, reason: ${reasons.join(reason)}` : '';
  return begun.replace(notePattern, (word) => noteWords[word] ?? word) + rest;
}
