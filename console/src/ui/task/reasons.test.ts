import { expect, it } from 'vitest';
import { setLanguage } from '../../i18n/language.ts';
import { reasonText } from './reasons.ts';

it.each([
  ['响应时间 12.34s 超过阈值 10.00s', 'it took 12.34 s, 10.00 s are allowed'],
  ['余额不足', 'no balance is left'],
  ['渠道地址已更改，请重新填写密钥', 'the address was changed: enter the key anew'],
  ['任务提交后没有得到上游的确认', 'the upstream never confirmed it'],
  ['获取渠道信息失败，请联系管理员，渠道ID：7', 'its channel #7 is gone, ask an administrator'],
  ['上游任务超时（超过24小时）', 'the upstream took longer than 24 h'],
  ['上游没有该任务', 'the upstream does not know it'],
  ['您的账户余额不足，请充值', '您的账户余额不足，请充值'],
  ['', ''],
])('says in English why a channel is off or a task failed, and leaves the words of upstreams alone: %s', (reason, english) => {
  expect(reasonText(reason)).toBe(reason);
  setLanguage('en');
  expect(reasonText(reason)).toBe(english);
  setLanguage('zh');
});
