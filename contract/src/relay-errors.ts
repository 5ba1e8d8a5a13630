export interface ErrorEntry {
  readonly status: number;
  /** The code that callers of the relay are told, where several texts share one; absent = the entry's own name. */
  readonly code?: string;
  readonly zh: string;
  readonly en: string;
}

/** The part of the registry of errors that callers of the relay see. The same rules hold as in `errors.ts`. */
export const relayErrors = {
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
  invalid_image_request: { status: 400, zh: '{reason}', en: '{reason}' },
  invalid_audio_request: { status: 400, zh: '{reason}', en: '{reason}' },
  invalid_query: { status: 400, zh: '{reason}', en: '{reason}' },
  invalid_documents: { status: 400, zh: '{reason}', en: '{reason}' },
  token_group_refused: { status: 403, zh: '令牌分组 {group} 已被禁用', en: 'The group {group} is disabled for this token' },
  group_gone: { status: 403, zh: '分组 {group} 已被弃用', en: 'The group {group} no longer exists' },
  pinned_channel_invalid: { status: 400, zh: '无效的渠道 Id', en: 'Invalid channel id' },
  pinned_channel_disabled: { status: 403, zh: '该渠道已被禁用', en: 'This channel is disabled' },
  model_refused: { status: 403, zh: '该令牌无权访问模型 {model}', en: 'This token may not use the model {model}' },
  all_models_refused: { status: 403, zh: '该令牌无权访问任何模型', en: 'This token may not use any model' },
  access_token_not_supported: { status: 400, zh: '暂不支持使用 access token', en: 'Access tokens are not supported here' },
  model_required: { status: 400, zh: '请选择模型', en: 'Choose a model' },
  group_not_allowed: { status: 403, zh: '无权访问该分组', en: 'You may not use this group' },
  get_playground_channel_failed: {
    status: 500,
    zh: '当前分组 {group} 下对于模型 {model} 无可用渠道',
    en: 'No channel for the model {model} in the group {group}',
  },
  no_channel: {
    status: 503,
    zh: '当前分组 {group} 下对于模型 {model} 无可用渠道',
    en: 'No channel for the model {model} in the group {group}',
  },
  auto_groups_disabled: { status: 403, zh: 'auto groups is not enabled', en: 'auto groups is not enabled' },
  sensitive_words_detected: { status: 400, zh: 'sensitive words detected', en: 'sensitive words detected' },
  conversion_refused: {
    status: 400,
    zh: '该令牌要求无损转换，而上游无法表达：{losses}',
    en: 'This token wants conversions without loss, and the upstream cannot say: {losses}',
  },
  media_unavailable: { status: 400, zh: '无法使用请求中的文件：{reason}', en: 'A named file cannot be used: {reason}' },
  too_many_images: { status: 400, zh: '每条消息最多 {most} 张图片', en: 'A message has more than {most} images' },
  previous_response_not_found: {
    status: 400,
    zh: '找不到回答 {id}，无法继续；请在 input 中发送完整的对话',
    en: "Previous response with id '{id}' not found: send the whole conversation as input",
  },
  state_not_kept: {
    status: 400,
    zh: '该模型的上游不保存对话，不支持 {field}；请在请求中发送完整的对话（Responses 接口的多数 SDK 设置 store: false 即可）',
    en: 'The upstream of this model keeps no conversations: send the whole conversation in the request instead of {field}; most SDKs of the Responses API do with store: false',
  },
  model_requests_exceeded: {
    status: 429,
    zh: '您已达到总请求数限制：{minutes}分钟内最多请求{count}次，包括失败次数，请检查您的请求是否正确',
    en: 'You have reached the limit of {count} requests in {minutes} minutes, failed ones included; check that your requests are right',
  },
  model_answers_exceeded: {
    status: 429,
    zh: '您已达到请求数限制：{minutes}分钟内最多请求{count}次',
    en: 'You have reached the limit of {count} requests in {minutes} minutes',
  },
  day_budget_exceeded: {
    status: 429,
    code: 'too_many_requests',
    zh: '今日消费限额剩余不足（按 UTC 计日）',
    en: 'Not enough is left of what may be spent today (UTC)',
  },
  month_budget_exceeded: {
    status: 429,
    code: 'too_many_requests',
    zh: '本月消费限额剩余不足（按 UTC 计月）',
    en: 'Not enough is left of what may be spent this month (UTC)',
  },
  day_budget_too_small: {
    status: 429,
    code: 'too_many_requests',
    zh: '此次调用最多可能花费的额度超过全天的消费限额，等待也无法通过：请减小 max_tokens 或缩短请求，或提高限额',
    en: 'This call may cost more than may be spent in a whole day, so waiting does not help: ask for a shorter answer, send less, or have the limit raised',
  },
  month_budget_too_small: {
    status: 429,
    code: 'too_many_requests',
    zh: '此次调用最多可能花费的额度超过全月的消费限额，等待也无法通过：请减小 max_tokens 或缩短请求，或提高限额',
    en: 'This call may cost more than may be spent in a whole month, so waiting does not help: ask for a shorter answer, send less, or have the limit raised',
  },
  request_not_found: { status: 404, zh: '没有这个请求的记录', en: 'There is no record of this request' },
  model_not_found: { status: 404, zh: "The model '{model}' does not exist", en: "The model '{model}' does not exist" },
  model_price_error: {
    status: 500,
    zh: '模型 {model} 倍率或价格未配置, 请联系管理员设置；Model {model} ratio or price not set, please contact the administrator',
    en: 'Model {model} has no price, please contact the administrator',
  },
  model_price_error_root: {
    status: 500,
    code: 'model_price_error',
    zh: '模型 {model} 倍率或价格未配置，请设置或开始自用模式；Model {model} ratio or price not set, please set it or enable self-use mode',
    en: 'Model {model} has no price: set one or enable self-use mode',
  },
  insufficient_user_quota: {
    status: 403,
    zh: '{what} pre-consumed quota failed, user quota: {have}, need quota: {need}',
    en: '{what} pre-consumed quota failed, user quota: {have}, need quota: {need}',
  },
  user_quota_empty: {
    status: 403,
    code: 'insufficient_user_quota',
    zh: 'user quota is not enough',
    en: 'user quota is not enough',
  },
  pre_consume_token_quota_failed: {
    status: 403,
    zh: 'token quota is not enough, token remain quota: {have}, need quota: {need}',
    en: 'token quota is not enough, token remain quota: {have}, need quota: {need}',
  },
  model_mapped_error: { status: 500, zh: '{reason}', en: '{reason}' },
  // Relay: upstream
  do_request_failed: { status: 502, zh: '请求上游地址失败', en: 'The upstream could not be reached' },
  caller_left: { status: 499, zh: '调用方在任何渠道被请求之前断开了连接', en: 'The caller left before any channel was asked' },
  upstream_timeout: { status: 504, zh: '上游响应超时', en: 'The upstream did not answer in time' },
  upstream_error: { status: 502, zh: '{reason}', en: '{reason}' },
  upstream_saturated: {
    status: 429,
    zh: '当前分组上游负载已饱和，请稍后再试',
    en: 'The upstream of this group is saturated, try again later',
  },
  upstream_unavailable: {
    status: 503,
    zh: '上游暂不可用，请联系管理员',
    en: 'The upstream cannot be used at present, please contact the administrator',
  },
  bad_response_status_code: { status: 502, zh: 'bad response status code {status}', en: 'bad response status code {status}' },
  stream_response_error: { status: 502, zh: '上游连接中断', en: 'The upstream ended the stream early' },
  stream_quota_exhausted: { status: 403, zh: '额度不足，回答已中止', en: 'Quota used up, the answer was stopped' },
  turn_quota_insufficient: {
    status: 403,
    zh: 'user quota is not enough, user quota: {have}, need quota: {need}',
    en: 'user quota is not enough, user quota: {have}, need quota: {need}',
  },
  websocket_required: { status: 426, zh: '该接口只接受 WebSocket 连接', en: 'This endpoint takes WebSocket connections only' },
  socket_not_offered: {
    status: 426,
    zh: '该接口没有 WebSocket 方式，请用 POST 请求',
    en: 'This endpoint takes no WebSocket connections: ask by POST',
  },
  session_model_fixed: {
    status: 400,
    zh: '会话的模型是 {model}，不能更换',
    en: 'The model of this session is {model} and cannot be changed',
  },
  session_expired: { status: 400, zh: '会话已达到时长上限', en: 'The session has reached its longest duration' },
  session_idle: { status: 400, zh: '会话空闲过久，已关闭', en: 'The session was silent for too long' },
  billing_unavailable: { status: 503, zh: '计费服务暂不可用，请稍后再试', en: 'Billing is not available, try again later' },
  channel_loop: {
    status: 508,
    zh: '请求又回到了本网关：有渠道的地址指向本网关自己',
    en: 'The call came back to this gateway: a channel leads to the gateway itself',
  },
  overloaded: { status: 503, zh: '服务繁忙，请稍后再试', en: 'The server is busy, try again later' },
  disk_full: {
    status: 503,
    zh: '服务器磁盘空间不足，暂停接收新请求，请联系管理员',
    en: 'The server is nearly out of disk space and takes nothing new until its operator makes room',
  },
  shutting_down: { status: 503, zh: '服务正在重启，请稍后再试', en: 'The server is restarting, try again later' },
  api_not_implemented: { status: 501, zh: 'API not implemented', en: 'API not implemented' },
  invalid_url: { status: 404, zh: 'Invalid URL ({method} {path})', en: 'Invalid URL ({method} {path})' },
} as const satisfies Record<string, ErrorEntry>;
