/**
 * The one registry of public errors: stable code, HTTP status, text in both languages. `{name}` is filled in.
 * Chinese texts are part of the wire contract (sections 1, 2, 5, 6) and must not change.
 */
interface ErrorEntry {
  readonly status: number;
  readonly zh: string;
  readonly en: string;
}

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
  user_invalid: { status: 200, zh: '无权进行此操作，用户信息无效', en: 'The user record is not valid' },
  user_banned: { status: 200, zh: '用户已被封禁', en: 'This user is banned' },
  permission_denied: { status: 200, zh: '无权进行此操作，权限不足', en: 'You may not do this' },
  cross_site_refused: { status: 403, zh: '拒绝跨站请求', en: 'Cross-site requests are refused' },
  must_change_password: { status: 200, zh: '请立刻修改默认密码！', en: 'Change the default password now!' },
  invalid_parameters: { status: 200, zh: '无效的参数', en: 'Invalid parameters' },
  parameter_error: { status: 200, zh: '参数错误', en: 'Invalid parameter' },
  invalid_input: { status: 200, zh: '输入不合法 {detail}', en: 'Invalid input: {detail}' },
  body_not_json: { status: 400, zh: '无效的参数', en: 'The body is not valid JSON' },
  body_too_large: { status: 413, zh: '请求体过大', en: 'The request body is too large' },
  not_found: { status: 404, zh: '资源不存在', en: 'Not found' },
  too_many_requests: { status: 429, zh: '请求次数过多，请稍后再试！', en: 'Too many requests, try again later' },
  internal_error: { status: 500, zh: '服务器内部错误，请联系管理员！', en: 'Internal error, contact the administrator' },
  // Accounts
  password_login_disabled: { status: 200, zh: '管理员关闭了密码登录', en: 'Password sign-in is switched off' },
  credentials_empty: { status: 200, zh: '用户名或密码为空', en: 'Username or password is empty' },
  credentials_wrong: {
    status: 200,
    zh: '用户名或密码错误，或用户已被封禁',
    en: 'Wrong username or password, or the user is banned',
  },
  default_password_remote: {
    status: 200,
    zh: '默认密码只能从本机或内网登录，请先在服务器上修改密码',
    en: 'The default password works from this machine or a private network only',
  },
  register_disabled: { status: 200, zh: '管理员关闭了新用户注册', en: 'Registration is switched off' },
  password_register_disabled: {
    status: 200,
    zh: '管理员关闭了通过密码进行注册，请使用第三方账户验证的形式进行注册',
    en: 'Registration by password is switched off, use a third-party account',
  },
  email_verification_needed: {
    status: 200,
    zh: '管理员开启了邮箱验证，请输入邮箱地址和验证码',
    en: 'Enter your e-mail address and the code sent to it',
  },
  verification_code_wrong: { status: 200, zh: '验证码错误或已过期', en: 'The code is wrong or has expired' },
  username_taken: { status: 200, zh: '用户名已存在，或已注销', en: 'The username is taken' },
  password_is_weak: { status: 200, zh: '密码过于常见，请更换', en: 'This password is too common' },
  original_password_wrong: { status: 200, zh: '原密码错误', en: 'The current password is wrong' },
  // People
  user_not_found: { status: 404, zh: '用户不存在', en: 'The user does not exist' },
  user_level_read: {
    status: 200,
    zh: '无权获取同级或更高等级用户的信息',
    en: 'You may not read users of your own or a higher level',
  },
  user_level_write: {
    status: 200,
    zh: '无权更新同权限等级或更高权限等级的用户信息',
    en: 'You may not change users of your own or a higher level',
  },
  user_level_delete: {
    status: 200,
    zh: '无权删除同权限等级或更高权限等级的用户',
    en: 'You may not delete users of your own or a higher level',
  },
  user_level_create: {
    status: 200,
    zh: '无法创建权限大于等于自己的用户',
    en: 'You may not create users of your own or a higher level',
  },
  user_level_raise: {
    status: 200,
    zh: '无权将其他用户权限等级提升到大于等于自己的权限等级',
    en: 'You may not raise others to your own or a higher level',
  },
  user_root_disable: { status: 200, zh: '无法禁用超级管理员用户', en: 'The super administrator cannot be disabled' },
  user_root_delete: { status: 200, zh: '无法删除超级管理员用户', en: 'The super administrator cannot be deleted' },
  user_root_demote: { status: 200, zh: '无法降级超级管理员用户', en: 'The super administrator cannot be demoted' },
  user_promote_denied: {
    status: 200,
    zh: '普通管理员用户无法提升其他用户为管理员',
    en: 'Only the super administrator may make others administrators',
  },
  user_is_admin: { status: 200, zh: '该用户已经是管理员', en: 'The user is an administrator already' },
  user_is_common: { status: 200, zh: '该用户已经是普通用户', en: 'The user is a common user already' },
  user_locked: { status: 200, zh: '该用户已被锁定，无法更改状态', en: 'The user is locked, the status cannot be changed' },
  self_root_delete: { status: 200, zh: '不能删除超级管理员账户', en: 'The super administrator account cannot be deleted' },
  invite_transfer_minimum: {
    status: 200,
    zh: '划转失败 转移额度最小为{amount}！',
    en: 'Transfer failed: the smallest amount is {amount}',
  },
  invite_transfer_insufficient: {
    status: 200,
    zh: '划转失败 邀请额度不足！',
    en: 'Transfer failed: there are not enough invite earnings',
  },
  notify_type_unknown: { status: 200, zh: '无效的预警类型', en: 'Unknown kind of notification' },
  notify_threshold_low: { status: 200, zh: '预警阈值必须大于0', en: 'The warning threshold must be above 0' },
  webhook_missing: { status: 200, zh: 'Webhook地址不能为空', en: 'Enter the webhook address' },
  webhook_invalid: { status: 200, zh: '无效的Webhook地址', en: 'Not a valid webhook address' },
  email_invalid: { status: 200, zh: '无效的邮箱地址', en: 'Not a valid e-mail address' },
  session_not_found: { status: 404, zh: '会话不存在', en: 'The session does not exist' },
  // Doors: mail, codes, third-party sign-in, second factor
  email_domain_refused: {
    status: 200,
    zh: '管理员已启用邮箱域名白名单，您的邮箱地址不在允许范围内。',
    en: 'Addresses of this domain are not accepted here.',
  },
  email_alias_refused: {
    status: 200,
    zh: '管理员已启用邮箱地址别名限制，您的邮箱地址由于包含特殊符号而被拒绝。',
    en: 'Addresses with special characters before the @ are not accepted here.',
  },
  email_taken: { status: 200, zh: '邮箱地址已被占用', en: 'The e-mail address is taken' },
  mail_not_configured: { status: 200, zh: 'SMTP 服务器未配置', en: 'No mail server is configured' },
  mail_refused: { status: 200, zh: '邮件发送失败: {detail}', en: 'The mail could not be sent: {detail}' },
  mail_crowded: { status: 503, zh: '邮件队列已满，请稍后再试', en: 'Too many mails are waiting, try again later' },
  server_address_missing: {
    status: 200,
    zh: '请先填写服务器地址，邮件中的链接才能使用',
    en: 'The administrator must fill in the server address first',
  },
  reset_link_invalid: { status: 200, zh: '重置链接非法或已过期', en: 'The reset link is not valid or has expired' },
  bot_check_empty: { status: 200, zh: 'Turnstile token 为空', en: 'The Turnstile token is empty' },
  bot_check_failed: {
    status: 200,
    zh: 'Turnstile 校验失败，请刷新重试！',
    en: 'The Turnstile check failed, reload and try again',
  },
  oauth_state_wrong: { status: 403, zh: 'state is empty or not same', en: 'state is empty or not same' },
  oauth_refused: { status: 200, zh: '第三方登录未完成: {detail}', en: 'The provider refused: {detail}' },
  provider_disabled: {
    status: 200,
    zh: '管理员未开启通过 {provider} 登录以及注册',
    en: 'Sign-in with {provider} is switched off',
  },
  wechat_disabled: { status: 200, zh: '管理员未开启通过微信登录以及注册', en: 'Sign-in with WeChat is switched off' },
  provider_taken: { status: 200, zh: '该 {provider} 账户已被绑定', en: 'This {provider} account is bound already' },
  wechat_taken: { status: 200, zh: '该微信账号已被绑定', en: 'This WeChat account is bound already' },
  provider_unreachable: {
    status: 200,
    zh: '无法连接至 {provider} 服务器，请稍后重试！',
    en: '{provider} cannot be reached, try again later',
  },
  provider_answer_empty: {
    status: 200,
    zh: '返回值非法，用户字段为空，请稍后重试！',
    en: 'The provider named no user, try again later',
  },
  oidc_token_failed: { status: 200, zh: 'OIDC 获取 Token 失败，请检查设置！', en: 'OIDC gave no token, check the settings' },
  oidc_user_failed: { status: 200, zh: 'OIDC 获取用户信息失败！请检查设置！', en: 'OIDC gave no user, check the settings' },
  oidc_user_empty: {
    status: 200,
    zh: 'OIDC 获取用户信息为空！请检查设置！',
    en: 'The OIDC user has no subject or no e-mail address, check the settings',
  },
  telegram_invalid: { status: 200, zh: '无效的请求', en: 'Invalid request' },
  telegram_unbound: { status: 200, zh: '该 Telegram 账户未绑定', en: 'This Telegram account is not bound' },
  user_deleted: { status: 200, zh: '用户已注销', en: 'This user is deregistered' },
  second_factor_wrong: { status: 200, zh: '两步验证码错误或已过期', en: 'The two-step code is wrong or has expired' },
  second_factor_ticket_gone: { status: 200, zh: '登录已超时，请重新登录', en: 'The sign-in took too long, start again' },
  second_factor_on: { status: 200, zh: '两步验证已启用', en: 'Two-step verification is on already' },
  second_factor_off: { status: 200, zh: '两步验证未启用', en: 'Two-step verification is off' },
  passkey_invalid: { status: 200, zh: '通行密钥验证失败，请重试', en: 'The passkey was not accepted, try again' },
  passkey_not_found: { status: 404, zh: '通行密钥不存在', en: 'The passkey does not exist' },
  passkey_limit: { status: 200, zh: '通行密钥数量已达上限', en: 'There are too many passkeys' },
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
    en: 'The credential of the header {header} belongs into the key field: write {api_key} here',
  },
  channel_tag_missing: { status: 200, zh: 'tag不能为空', en: 'The tag must not be empty' },
  channel_tag_query_missing: { status: 400, zh: 'tag不能为空', en: 'The tag must not be empty' },
  channel_test_running: { status: 200, zh: '测试已在运行中', en: 'A test is running already' },
  channel_balance_running: { status: 200, zh: '余额更新已在运行中', en: 'Balances are being updated already' },
  channel_balance_unknown: { status: 200, zh: '尚未实现', en: 'Not available for this type' },
  channel_upstream_failed: { status: 200, zh: '{detail}', en: '{detail}' },
  channel_fetch_unreadable: { status: 200, zh: '解析响应失败: {detail}', en: 'The answer could not be read: {detail}' },
  channel_fetch_invalid: { status: 400, zh: 'Invalid request', en: 'Invalid request' },
  channel_fetch_failed: { status: 500, zh: 'Failed to fetch models', en: 'Failed to fetch models' },
  channel_fetch_transport: { status: 500, zh: '{detail}', en: '{detail}' },
  channel_type_planned: {
    status: 503,
    zh: 'invalid api type: {type}, adaptor is nil',
    en: 'invalid api type: {type}, adaptor is nil',
  },
  model_name_too_long: { status: 200, zh: '模型名称过长: {model}', en: 'Model name too long: {model}' },
  model_name_invalid: { status: 200, zh: '模型名称不合法: {model}', en: 'Invalid model name: {model}' },
  channel_not_found: { status: 404, zh: '渠道不存在', en: 'The channel does not exist' },
  channel_type_unknown: { status: 200, zh: '未知的渠道类型', en: 'Unknown channel type' },
  channel_key_missing: { status: 200, zh: '请填写渠道名称和渠道密钥！', en: 'Enter a name and a key' },
  channel_models_missing: { status: 200, zh: '请至少选择一个模型！', en: 'Choose at least one model' },
  channel_groups_missing: { status: 200, zh: '请至少选择一个分组！', en: 'Choose at least one group' },
  channel_base_url_invalid: { status: 200, zh: '接口地址不合法: {detail}', en: 'Invalid API address: {detail}' },
  channel_json_invalid: { status: 200, zh: '{field} 必须是合法的 JSON 格式！', en: '{field} must be valid JSON' },
  // Tokens
  token_not_found: { status: 404, zh: '令牌不存在', en: 'The token does not exist' },
  token_name_too_long: { status: 200, zh: '令牌名称过长', en: 'The token name is too long' },
  token_group_unusable: { status: 200, zh: '无权访问该分组', en: 'You may not use this group' },
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
  // Options
  option_unknown: { status: 200, zh: '无效的参数', en: 'Unknown option' },
  option_invalid: { status: 200, zh: '{detail}', en: '{detail}' },
  // Relay: authentication and distribution (contract 5.2 to 5.4)
  token_missing: { status: 401, zh: '未提供令牌', en: 'No token given' },
  token_unknown: { status: 401, zh: '无效的令牌', en: 'Invalid token' },
  token_exhausted_status: {
    status: 401,
    zh: '该令牌额度已用尽 TokenStatusExhausted[{key}]',
    en: 'The token has no quota left TokenStatusExhausted[{key}]',
  },
  token_expired: { status: 401, zh: '该令牌已过期', en: 'The token has expired' },
  token_unavailable: { status: 401, zh: '该令牌状态不可用', en: 'The token is disabled' },
  token_exhausted: {
    status: 401,
    zh: '[{key}] 该令牌额度已用尽 !token.UnlimitedQuota && token.RemainQuota = {remain}',
    en: '[{key}] the token has no quota left: {remain}',
  },
  owner_banned: { status: 403, zh: '用户已被封禁', en: 'The user is banned' },
  channel_pin_refused: { status: 403, zh: '普通用户不支持指定渠道', en: 'Only administrators may choose a channel' },
  ip_refused: { status: 403, zh: '您的 IP 不在令牌允许访问的列表中', en: 'Your IP is not on the list of this token' },
  invalid_request: { status: 400, zh: 'Invalid request, 无效的请求, {reason}', en: 'Invalid request, {reason}' },
  invalid_text_request: { status: 400, zh: '{reason}', en: '{reason}' },
  token_group_refused: { status: 403, zh: '令牌分组 {group} 已被禁用', en: 'The group {group} is disabled for this token' },
  group_gone: { status: 403, zh: '分组 {group} 已被弃用', en: 'The group {group} no longer exists' },
  pinned_channel_invalid: { status: 400, zh: '无效的渠道 Id', en: 'Invalid channel id' },
  pinned_channel_disabled: { status: 403, zh: '该渠道已被禁用', en: 'This channel is disabled' },
  model_refused: { status: 403, zh: '该令牌无权访问模型 {model}', en: 'This token may not use the model {model}' },
  all_models_refused: { status: 403, zh: '该令牌无权访问任何模型', en: 'This token may not use any model' },
  no_channel: {
    status: 503,
    zh: '当前分组 {group} 下对于模型 {model} 无可用渠道',
    en: 'No channel for the model {model} in the group {group}',
  },
  auto_groups_disabled: { status: 403, zh: 'auto groups is not enabled', en: 'auto groups is not enabled' },
  model_not_found: { status: 404, zh: "The model '{model}' does not exist", en: "The model '{model}' does not exist" },
  model_price_error: {
    status: 500,
    zh: '模型 {model} 倍率或价格未配置, 请联系管理员设置；Model {model} ratio or price not set, please contact the administrator',
    en: 'Model {model} has no price, please contact the administrator',
  },
  model_price_error_root: {
    status: 500,
    zh: '模型 {model} 倍率或价格未配置，请设置或开始自用模式；Model {model} ratio or price not set, please set it or enable self-use mode',
    en: 'Model {model} has no price: set one or enable self-use mode',
  },
  insufficient_user_quota: {
    status: 403,
    zh: 'chat pre-consumed quota failed, user quota: {have}, need quota: {need}',
    en: 'chat pre-consumed quota failed, user quota: {have}, need quota: {need}',
  },
  user_quota_empty: { status: 403, zh: 'user quota is not enough', en: 'user quota is not enough' },
  pre_consume_token_quota_failed: {
    status: 403,
    zh: 'token quota is not enough, token remain quota: {have}, need quota: {need}',
    en: 'token quota is not enough, token remain quota: {have}, need quota: {need}',
  },
  model_mapped_error: { status: 500, zh: '{reason}', en: '{reason}' },
  // Relay: upstream
  do_request_failed: { status: 502, zh: '请求上游地址失败', en: 'The upstream could not be reached' },
  upstream_timeout: { status: 504, zh: '上游响应超时', en: 'The upstream did not answer in time' },
  upstream_error: { status: 502, zh: '{reason}', en: '{reason}' },
  upstream_saturated: {
    status: 429,
    zh: '当前分组上游负载已饱和，请稍后再试',
    en: 'The upstream of this group is saturated, try again later',
  },
  bad_response_status_code: { status: 502, zh: 'bad response status code {status}', en: 'bad response status code {status}' },
  stream_response_error: { status: 502, zh: '上游连接中断', en: 'The upstream ended the stream early' },
  stream_quota_exhausted: { status: 403, zh: '额度不足，回答已中止', en: 'Quota used up, the answer was stopped' },
  get_channel_failed: { status: 500, zh: '获取重试渠道失败: {reason}', en: 'No channel left to retry: {reason}' },
  billing_unavailable: { status: 503, zh: '计费服务暂不可用，请稍后再试', en: 'Billing is not available, try again later' },
  overloaded: { status: 503, zh: '服务繁忙，请稍后再试', en: 'The server is busy, try again later' },
  shutting_down: { status: 503, zh: '服务正在重启，请稍后再试', en: 'The server is restarting, try again later' },
  api_not_implemented: { status: 501, zh: 'API not implemented', en: 'API not implemented' },
  invalid_url: { status: 404, zh: 'Invalid URL ({method} {path})', en: 'Invalid URL ({method} {path})' },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof table;
export const errors: Record<ErrorCode, ErrorEntry> = table;

/** The text of an error in one language, with `{name}` filled in. */
export function errorText(code: ErrorCode, values: Record<string, string | number> = {}, language: 'zh' | 'en' = 'zh'): string {
  return errors[code][language].replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
