import { type ErrorCode, errors, errorText, logType } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { toldIn } from './told.ts';

const values = {
  model: 'qwen-max',
  group: 'vip',
  key: 'sk-***',
  remain: 5,
  reason: 'a.b',
  minutes: 3,
  count: 7,
  field: 'x',
  detail: 'd',
};
const row = (code: string, content: string, type: number = logType.error) => ({
  ...{ type, content },
  other: JSON.stringify({ error_code: code, status: 403, admin_info: {} }),
});
const read = (one: ReturnType<typeof row>, language: 'zh' | 'en' = 'en') => toldIn(language, [one])[0]?.content;

test('an error of our own is read in the language of the reader, with what it named', () => {
  for (const code of ['group_gone', 'model_price_error_root', 'do_request_failed', 'model_requests_exceeded'] as const) {
    const { code: told = code } = errors[code] as { code?: string };
    expect(read(row(told, errorText(code, values)))).toBe(errorText(code, values, 'en'));
    expect(read(row(told, errorText(code, values)), 'zh')).toBe(errorText(code, values));
  }
});

test('an error without a code is known by its status', () => {
  const code: ErrorCode = 'token_group_refused';
  expect(read(row('', errorText(code, values)))).toBe('The group vip is disabled for this token');
});

test('what an upstream said stays as it is, and so does every other row', () => {
  expect(read(row('do_request_failed', '余额不足'))).toBe('余额不足');
  expect(read(row('of_an_upstream', '请求上游地址失败'))).toBe('请求上游地址失败');
  expect(read(row('do_request_failed', '请求上游地址失败', logType.system))).toBe('请求上游地址失败');
  expect(toldIn('en', [{ type: logType.error, content: '请求上游地址失败', other: '' }])[0]?.content).toBe('请求上游地址失败');
});
