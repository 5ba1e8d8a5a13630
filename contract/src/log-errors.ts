/** Errors of the usage log, part of the table in errors.ts. */
export const logErrors = {
  log_target_missing: { status: 200, zh: 'target timestamp is required', en: 'target timestamp is required' },
  log_cleanup_running: {
    status: 200,
    zh: '日志清理正在进行中，请等待其完成',
    en: 'Old logs are being deleted already: wait for the end',
  },
  log_cleanup_failed: {
    status: 200,
    zh: '日志清理中断，已删除 {deleted} 条，请再次执行',
    en: 'Deleting old logs ended early, after {deleted} rows: start it again',
  },
  log_streams_crowded: {
    status: 429,
    zh: '同时进行的导出过多，请稍后再试',
    en: 'Too many exports are under way: try again later',
  },
  log_body_missing: { status: 404, zh: '没有保存该请求的内容', en: 'The bodies of this call were not kept' },
  refund_reason_missing: { status: 200, zh: '请填写退还的原因', en: 'Say why the charge is given back' },
  refund_range: {
    status: 200,
    zh: '该调用收取 {charged} 点额度，已退还 {refunded}：退还总额须在两者之间',
    en: '{charged} units were charged for the call and {refunded} given back: what is given back in all is between the two',
  },
  log_range_too_long: { status: 200, zh: '时间跨度不能超过 {days} 天', en: 'The range may be {days} days at most' },
  data_range_too_long: { status: 200, zh: '时间跨度不能超过 1 个月', en: 'The range may be a month at most' },
} as const;
