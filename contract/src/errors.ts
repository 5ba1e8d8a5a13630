import { accountErrors } from './account-errors.ts';
import { agentErrors } from './agent-errors.ts';
import { importErrors } from './import-errors.ts';
import { logErrors } from './log-errors.ts';
import { optionErrors } from './option-errors.ts';
import { type ErrorEntry, relayErrors } from './relay-errors.ts';
import { taskErrors } from './task-errors.ts';

/**
 * The one registry of public errors: stable code, HTTP status, text in both languages. `{name}` is filled in.
 * Chinese texts are part of the wire contract (sections 1, 2, 5, 6) and must not change.
 */
const table = {
  // Console API: transport and identity (contract 2.2). Business failures carry HTTP 200.
  not_logged_in: {
    status: 401,
    zh: '无权进行此操作，未登录且未提供 access token',
    en: 'Not signed in and no access token given',
  },
  user_header_missing: { status: 401, zh: '无权进行此操作，未提供 New-Api-User', en: 'Header New-Api-User is missing' },
  user_header_malformed: { status: 401, zh: '无权进行此操作，New-Api-User 格式错误', en: 'Header New-Api-User is not a number' },
  user_header_mismatch: {
    status: 401,
    zh: '无权进行此操作，New-Api-User 与登录用户不匹配',
    en: 'Header New-Api-User is not the signed-in user',
  },
  access_token_invalid: { status: 401, zh: '无权进行此操作，access token 无效', en: 'The access token is not valid' },
  session_needed: {
    status: 401,
    zh: '无权进行此操作，请登录后操作：此接口不接受 access token',
    en: 'Sign in to do this: it is not done by access token',
  },
  user_invalid: { status: 200, zh: '无权进行此操作，用户信息无效', en: 'The user record is not valid' },
  user_banned: { status: 200, zh: '用户已被封禁', en: 'This user is banned' },
  permission_denied: { status: 200, zh: '无权进行此操作，权限不足', en: 'You may not do this' },
  demo_site: { status: 405, zh: '本站仅作演示之用，无服务端！', en: 'This site is a demo: nothing can be changed here' },
  cross_site_refused: { status: 403, zh: '拒绝跨站请求', en: 'Cross-site requests are refused' },
  must_change_password: { status: 200, zh: '请立刻修改默认密码！', en: 'Change the default password now!' },
  already_set_up: { status: 400, zh: '系统已经初始化完成', en: 'The site is set up already' },
  database_unreachable: { status: 503, zh: '数据库连接失败', en: 'The database does not answer' },
  invalid_parameters: { status: 200, zh: '无效的参数', en: 'Invalid parameters' },
  parameter_error: { status: 200, zh: '参数错误', en: 'Invalid parameter' },
  invalid_input: { status: 200, zh: '输入不合法 {detail}', en: 'Invalid input: {detail}' },
  body_not_json: { status: 400, zh: '无效的参数', en: 'The body is not valid JSON' },
  body_too_large: { status: 413, zh: '请求体过大', en: 'The request body is too large' },
  not_found: { status: 404, zh: '资源不存在', en: 'Not found' },
  too_many_requests: { status: 429, zh: '请求次数过多，请稍后再试！', en: 'Too many requests: try again later' },
  internal_error: { status: 500, zh: '服务器内部错误，请联系管理员！', en: 'Internal error: contact the administrator' },
  outcome_unknown: {
    status: 503,
    zh: '保存时与数据库的连接中断，可能已保存：请刷新查看后再决定是否重试',
    en: 'The connection to the database was lost while this was saved, and it may be there: reload and look before you try again',
  },
  // Channels
  channel_region_missing: { status: 200, zh: '部署地区不能为空', en: 'The region is missing' },
  channel_region_default_missing: { status: 200, zh: '部署地区必须包含default字段', en: 'The region map needs a default entry' },
  channel_region_invalid: {
    status: 200,
    zh: '部署地区不合法，应为地区名称或模型到地区的 JSON 对象',
    en: 'The region must be a name or a JSON object from model to region',
  },
  channel_other_invalid: { status: 200, zh: '渠道附加字段的格式不正确', en: 'The extra field of this type has the wrong form' },
  channel_key_format: { status: 200, zh: '密钥格式应为 {format}', en: 'The key must have the form {format}' },
  channel_header_credential: {
    status: 200,
    zh: '请求头 {header} 的密钥请填写在密钥栏，此处用 {api_key} 代替',
    en: 'The credential of the header {header} belongs in the key field: write {api_key} here',
  },
  channel_tag_missing: { status: 200, zh: 'tag不能为空', en: 'The tag must not be empty' },
  channel_tag_query_missing: { status: 400, zh: 'tag不能为空', en: 'The tag must not be empty' },
  channel_test_running: { status: 200, zh: '测试已在运行中', en: 'A test is running already' },
  channel_balance_running: { status: 200, zh: '余额更新已在运行中', en: 'Balances are being updated already' },
  channel_balance_unknown: { status: 200, zh: '尚未实现', en: 'Not available for this type' },
  channel_upstream_failed: { status: 200, zh: '{detail}', en: '{detail}' },
  channel_address_private: {
    status: 200,
    zh: '{address} 是内网地址，默认拒绝访问：请在环境变量 ALLOW_PRIVATE_UPSTREAMS 中列出，然后重启网关',
    en: '{address} is a private address: list it in the environment variable ALLOW_PRIVATE_UPSTREAMS and restart the gateway',
  },
  channel_unreadable: {
    status: 200,
    zh: '无法读取该渠道保存的密钥或设置：主密钥可能已更换。请换回原来的主密钥，或重新填写渠道密钥',
    en: 'The stored key or settings of this channel cannot be read: the master key may be another one. Bring back the former one, or enter the key of the channel again',
  },
  channel_fetch_unreadable: { status: 200, zh: '解析响应失败: {detail}', en: 'The answer could not be read: {detail}' },
  channel_fetch_invalid: { status: 400, zh: 'Invalid request', en: 'Invalid request' },
  channel_fetch_failed: { status: 500, zh: '解析响应失败: {detail}', en: 'The answer could not be read: {detail}' },
  channel_fetch_transport: { status: 500, zh: '{detail}', en: '{detail}' },
  channel_type_planned: {
    status: 503,
    zh: 'invalid api type: {type}, adaptor is nil',
    en: 'invalid api type: {type}, adaptor is nil',
  },
  convert_request_failed: { status: 500, zh: 'not implemented', en: 'not implemented' },
  channel_misconfigured: {
    status: 503,
    zh: '渠道配置有误：{reason}',
    en: 'The channel is not set up correctly: {reason}',
  },
  model_name_too_long: { status: 200, zh: '模型名称过长: {model}', en: 'Model name too long: {model}' },
  model_name_invalid: { status: 200, zh: '模型名称不合法: {model}', en: 'Invalid model name: {model}' },
  channel_not_found: { status: 404, zh: '渠道不存在', en: 'The channel does not exist' },
  channel_type_unknown: { status: 200, zh: '未知的渠道类型', en: 'Unknown channel type' },
  channel_key_missing: { status: 200, zh: '请填写渠道名称和渠道密钥！', en: 'Enter a name and a key' },
  channel_models_missing: { status: 200, zh: '请至少选择一个模型！', en: 'Choose at least one model' },
  channel_groups_missing: { status: 200, zh: '请至少选择一个分组！', en: 'Choose at least one group' },
  group_name_invalid: {
    status: 200,
    zh: '分组名「{name}」无法使用：须为 1-64 个字符，不能含空格或逗号',
    en: 'No user or channel can be in a group named "{name}": 1 to 64 characters, without blanks or commas',
  },
  channel_base_url_missing: { status: 200, zh: '该类型的渠道必须填写接口地址', en: 'Channels of this type need an API address' },
  channel_base_url_invalid: {
    status: 200,
    zh: '接口地址不合法: 须以 http:// 或 https:// 开头，不能含用户名或空格；仅需填写完整地址的类型可用占位符 {model}',
    en: 'Invalid API address: it starts with http:// or https://, has no user name and no blanks, and the placeholder {model} only where a complete address is asked for',
  },
  channel_proxy_invalid: {
    status: 200,
    zh: '代理只支持 http、https 和 socks5 地址',
    en: 'A proxy is an http, https or socks5 address',
  },
  channel_proxy_masked: {
    status: 200,
    zh: '代理地址已更改，请重新填写代理的密码',
    en: "Enter the proxy's password again: none is stored for this address",
  },
  channel_keys_moved: {
    status: 200,
    zh: '该渠道的密钥在此期间已被修改，本次没有做任何更改，请刷新后再操作',
    en: 'The keys of this channel were changed meanwhile; nothing was done: reload them first',
  },
  channel_moved: {
    status: 409,
    zh: '{fields} 在您编辑期间已被他人修改，本次没有保存任何内容，请核对后再次保存',
    en: '{fields} was changed by somebody else while you edited it; nothing was saved: look at it again before you save',
  },
  channel_keys_many: { status: 200, zh: '一次最多 {max} 个密钥', en: 'At most {max} keys at once' },
  channel_abilities_many: {
    status: 200,
    zh: '密钥数 × 模型数 × 分组数最多为 {max}，现为 {count}',
    en: 'Keys times models times groups are at most {max}; these are {count}',
  },
  channel_statuses_invalid: {
    status: 200,
    zh: '状态码映射的两边都必须是 100 到 599 的状态码',
    en: 'Both sides of a status code mapping are statuses from 100 to 599',
  },
  channel_json_invalid: { status: 200, zh: '{field} 必须是合法的 JSON 格式！', en: '{field} must be valid JSON' },
  // Tokens
  token_not_found: { status: 404, zh: '令牌不存在', en: 'The token does not exist' },
  token_name_too_long: { status: 200, zh: '令牌名称过长', en: 'The token name is too long' },
  token_group_unusable: { status: 200, zh: '无权访问该分组', en: 'You may not use this group' },
  token_quota_moved: {
    status: 409,
    zh: '令牌额度在您编辑期间已被修改，本次没有保存任何内容，请核对后再次保存',
    en: 'The quota of the token was changed while you edited it; nothing was saved: look at it again before you save',
  },
  token_expired_enable: {
    status: 200,
    zh: '令牌已过期，无法启用，请先修改令牌过期时间，或者设置为永不过期',
    en: 'The token has expired: change its expiry before enabling it',
  },
  token_exhausted_enable: {
    status: 200,
    zh: '令牌可用额度已用尽，无法启用，请先修改令牌剩余额度，或者设置为无限额度',
    en: 'The token has no quota left: raise it before enabling it',
  },
  token_ip_invalid: { status: 200, zh: 'IP 白名单包含无效的地址: {entry}', en: 'Not an IP address or range: {entry}' },
  token_ips_many: { status: 200, zh: 'IP 列表最多 {max} 个地址或网段', en: 'A list holds at most {max} addresses and ranges' },
  token_models_many: { status: 200, zh: '令牌最多可限定 {max} 个模型', en: 'A token names at most {max} models' },
  token_limit: {
    status: 200,
    zh: '令牌数量已达上限（{max} 个），请先删除不再使用的令牌',
    en: 'There are already {max} tokens, the most an owner can have: delete one that is out of use',
  },
  // Codes, payments
  redemption_not_found: { status: 404, zh: '兑换码不存在', en: 'The code does not exist' },
  redemption_name_length: { status: 200, zh: '兑换码名称长度必须在1-20之间', en: 'The name must have 1 to 20 characters' },
  redemption_count_low: { status: 200, zh: '兑换码个数必须大于0', en: 'At least one code must be made' },
  redemption_count_high: {
    status: 200,
    zh: '一次兑换码批量生成的个数不能大于 100',
    en: 'At most 100 codes can be made at once',
  },
  redemption_used: { status: 200, zh: '兑换码已被使用，无法修改', en: 'The code was used and cannot be changed' },
  redemption_expiry_past: { status: 200, zh: '过期时间不能早于当前时间', en: 'The code would have ended already' },
  redeem_key_missing: { status: 200, zh: '未提供兑换码', en: 'No code given' },
  redeem_unknown: { status: 200, zh: '兑换失败，无效的兑换码', en: 'Not a valid code' },
  redeem_used_own: {
    status: 200,
    zh: '兑换失败，该兑换码已被使用：是您自己兑换的，额度已经到账',
    en: 'This code was used already, by you: its quota is on your balance',
  },
  redeem_used: { status: 200, zh: '兑换失败，该兑换码已被使用', en: 'This code was used already' },
  redeem_expired: { status: 200, zh: '兑换失败，该兑换码已过期', en: 'This code has ended' },
  redeem_limit: {
    status: 200,
    zh: '兑换失败，该活动的兑换码每人最多可兑换 {max} 个',
    en: 'Of the codes of this campaign each user can redeem {max}',
  },
  statement_before_import: {
    status: 200,
    zh: '该账户的账目从导入之后开始，没有这个月的账单',
    en: 'The books of this account begin with its import: there is no statement of this month',
  },
  topup_amount_low: { status: 200, zh: '充值数量不能小于 {minimum}', en: 'The smallest amount is {minimum}' },
  topup_amount_high: { status: 200, zh: '充值数量过大', en: 'The amount is too large' },
  topup_money_low: { status: 200, zh: '充值金额过低', en: 'The amount to pay is too small' },
  topup_method_unknown: { status: 200, zh: '支付方式不存在', en: 'There is no such payment method' },
  topup_unconfigured: { status: 200, zh: '当前管理员未配置支付信息', en: 'Payments are not set up here' },
  topup_start_failed: { status: 200, zh: '拉起支付失败', en: 'The payment could not be started' },
  topup_many_pending: {
    status: 200,
    zh: '未完成的订单过多，请先完成支付，或半小时后再试',
    en: 'Too many payments are open: finish one, or try again in half an hour',
  },
  payment_not_found: { status: 404, zh: '支付通知不存在', en: 'The notice does not exist' },
  payment_not_open: { status: 200, zh: '该支付已处理，不能重复入账', en: 'This payment was dealt with already' },
  payment_sealed: {
    status: 200,
    zh: '该支付通知以另一个主密钥加密，无法重新判断',
    en: 'This notice was sealed with another master key and cannot be judged again',
  },
  // Options: see option-errors.ts
  price_sync_failed: { status: 200, zh: '无法读取价格来源: {detail}', en: 'The source of prices cannot be read: {detail}' },
  price_sync_extreme: {
    status: 200,
    zh: '{count} 项价格的变化超过 {factor} 倍，请确认后再应用',
    en: '{count} prices change by more than a factor of {factor}: confirm them first',
  },
  ...accountErrors,
  ...agentErrors,
  ...importErrors,
  ...logErrors,
  ...optionErrors,
  ...relayErrors,
  ...taskErrors,
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof table;
export const errors: Record<ErrorCode, ErrorEntry> = table;

/** The text of an error in one language, with `{name}` filled in. */
export function errorText(code: ErrorCode, values: Record<string, string | number> = {}, language: 'zh' | 'en' = 'zh'): string {
  return errors[code][language].replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
