import type { ErrorEntry } from './relay-errors.ts';

/** Why an option is not saved (contract 3.5): part of the registry in errors.ts. */
export const optionErrors = {
  option_unknown: { status: 200, zh: '无效的参数', en: 'Unknown option' },
  /** What the operator wrote is quoted by its reader. */
  option_invalid: { status: 200, zh: '{detail}', en: '{detail}' },
  option_value: { status: 200, zh: '参数错误', en: 'The value is not acceptable' },
  option_json: { status: 200, zh: '不是合法的 JSON 字符串：{detail}', en: 'Not valid JSON: {detail}' },
  option_json_object: { status: 200, zh: '应为 JSON 对象', en: 'A JSON object is expected' },
  option_json_list: { status: 200, zh: '应为 JSON 列表', en: 'A JSON list is expected' },
  option_json_text: { status: 200, zh: 'JSON 中应为文本', en: 'A text is expected in the JSON' },
  option_too_long: { status: 200, zh: '内容过长，最多 {max} 个字符', en: 'Too long: {max} characters at most' },
  option_address: {
    status: 200,
    zh: '地址无效：应以 https:// 开头',
    en: 'Not a usable address: it must start with https://',
  },
  option_link: {
    status: 200,
    zh: '链接无效：不允许此类地址',
    en: 'Not a usable link: addresses of this kind are refused',
  },
  option_chats: { status: 200, zh: '每个聊天链接应为只有一项的对象', en: 'Each chat is an object with one entry' },
  option_chat_plain: {
    status: 200,
    zh: '聊天链接「{name}」应以 https:// 开头：令牌会交给该页面，明文 http 仅允许本机地址',
    en: 'The chat link {name} must start with https://, since the page gets keys; plain http is for this machine only',
  },
  option_chat_query: {
    status: 200,
    zh: '聊天链接「{name}」中的 {key} 应放在 # 之后，否则令牌会发送给对方服务器',
    en: 'In the chat link {name} the {key} must stand behind a #: before it, the server of the page would be sent the key',
  },
  option_pay_methods: {
    status: 200,
    zh: '支付方式配置错误, 请联系管理员',
    en: 'A payment method lacks its name or type, or its color is not one',
  },
  option_group_ratio: {
    status: 200,
    zh: 'group ratio must be not less than 0: {name}',
    en: 'group ratio must be not less than 0: {name}',
  },
  option_ratio_small: {
    status: 200,
    zh: '{name} 的数值过小（低于 0.000000001 会按免费计算），免费请填写 0',
    en: '{name}: below 0.000000001 it would be free; write 0 where that is meant',
  },
  option_moved: {
    status: 200,
    zh: '{option} 在您编辑期间已被修改，本次没有保存任何内容，请核对后再次保存',
    en: '{option} was changed while you edited it; nothing was saved: look at it again before you save',
  },
  option_words: {
    status: 200,
    zh: '最多 {words} 个词，每个最多 {bytes} 字节，超出的不会生效',
    en: 'At most {words} words of {bytes} bytes each: what is beyond would not be looked for',
  },
  option_github_missing: {
    status: 200,
    zh: '无法启用 GitHub OAuth，请先填入 GitHub Client Id 以及 GitHub Client Secret！',
    en: 'GitHub sign-in needs the GitHub client ID and secret first',
  },
  option_linuxdo_missing: {
    status: 200,
    zh: '无法启用 LinuxDO OAuth，请先填入 LinuxDO Client Id 以及 LinuxDO Client Secret！',
    en: 'Linux DO sign-in needs the Linux DO client ID and secret first',
  },
  option_oidc_missing: {
    status: 200,
    zh: '无法启用 OIDC 登录，请先填入 OIDC Client Id 以及 OIDC Client Secret！',
    en: 'OIDC sign-in needs the OIDC client ID and secret first',
  },
  option_domains_missing: {
    status: 200,
    zh: '无法启用邮箱域名限制，请先填入限制的邮箱域名！',
    en: 'The restriction of mail domains needs its domains first',
  },
  option_wechat_missing: {
    status: 200,
    zh: '无法启用微信登录，请先填入微信登录相关配置信息！',
    en: 'WeChat sign-in needs its server address first',
  },
  option_turnstile_missing: {
    status: 200,
    zh: '无法启用 Turnstile 校验，请先填入 Turnstile 校验相关配置信息！',
    en: 'The bot check needs its site key and secret first',
  },
  option_turnstile_kept: {
    status: 200,
    zh: 'Turnstile 校验正在启用，缺少密钥将无人能够登录，请先关闭该校验',
    en: 'The bot check is on, and without its keys nobody could sign in: switch it off first',
  },
  option_telegram_missing: {
    status: 200,
    zh: '无法启用 Telegram OAuth，请先填入 Telegram Bot Token！',
    en: 'Telegram sign-in needs the bot token first',
  },
  option_nothing_to_restore: {
    status: 200,
    zh: '此次修改没有可恢复的内容，密钥请重新填写',
    en: 'There is nothing to restore; secrets have to be entered again',
  },
  option_changed_again: {
    status: 200,
    zh: '{option} 在此次修改之后又被改动，撤销会一并取消后来的改动：请先撤销后来的修改',
    en: '{option} was changed again since, which this would take back as well: undo the later change first',
  },
} as const satisfies Record<string, ErrorEntry>;
