import { plainMarkup } from '../settings/index.ts';
import type { ChangedPrices, Message } from './message.ts';

/** Shows a user that a way works. */
export function testMessage(systemName: string): Message {
  return {
    type: 'test',
    title: { zh: '测试通知', en: 'Test notification' },
    content: {
      zh: '这是一条来自 {{value}} 的测试通知，收到它说明这种通知方式配置正确。',
      en: 'This is a test from {{value}}: this way works.',
    },
    values: [systemName],
    link: '',
  };
}

interface Quota {
  /** As people read amounts. */
  readonly remaining: string;
  readonly serverAddress: string;
}

/** Contract 8.8: titles and the kind's name are fixed. */
export function quotaMessage({ remaining, serverAddress }: Quota): Message {
  return {
    type: 'quota_exceed',
    title: { zh: '您的额度即将用尽', en: 'Your balance is running low' },
    content: {
      zh: '您的额度即将用尽，当前剩余额度为 {{value}}，为了不影响您的使用，请及时充值。',
      en: 'Your balance is running low: {{value}} is left. Top up in time to go on without interruption.',
    },
    values: [remaining],
    link: linkTo(serverAddress, '/topup'),
  };
}

interface Switched {
  readonly kind: 'disabled' | 'enabled' | 'key_disabled';
  readonly channelId: number;
  readonly name: string;
  readonly reason: string;
  readonly lastOf: readonly string[];
}

const switches = {
  disabled: { zh: '已被禁用', en: 'was switched off', status: 3 },
  enabled: { zh: '已被启用', en: 'was switched on', status: 1 },
  key_disabled: { zh: '的一个密钥已被禁用', en: 'lost one of its keys', status: 1 },
} as const;

/** A channel was switched by itself (contract 4.9). */
export function channelMessage({ kind, channelId, name, reason, lastOf }: Switched): Message {
  const { zh, en, status } = switches[kind];
  const title = { zh: `通道「${name}」（#${channelId}）${zh}`, en: `Channel "${name}" (#${channelId}) ${en}` };
  const values = [...(reason === '' ? [] : [reason]), ...(lastOf.length === 0 ? [] : [lastOf.join(', ')])];
  const content = {
    zh: [
      title.zh,
      ...(reason === '' ? [] : ['，原因：{{value}}']),
      ...(lastOf.length === 0 ? [] : ['。以下模型已无通道可用：{{value}}']),
    ],
    en: [
      title.en,
      ...(reason === '' ? [] : [': {{value}}']),
      ...(lastOf.length === 0 ? [] : ['. Nobody serves these models any more: {{value}}']),
    ],
  };
  const type = `channel_update_${channelId}_${kind === 'key_disabled' ? 'key' : status}`;
  return { type, title, content: { zh: content.zh.join(''), en: content.en.join('') }, values, link: '' };
}

/** The run over all channels has ended (contract 4.8). */
export function channelTestMessage({ tested, failed }: { tested: number; failed: number }): Message {
  return {
    type: 'channel_test',
    title: { zh: '通道测试完成', en: 'Channel tests finished' },
    content: {
      zh: '所有通道测试已完成：共 {{value}} 个，失败 {{value}} 个',
      en: 'All channels were tested: {{value}} in all, {{value}} failed',
    },
    values: [String(tested), String(failed)],
    link: '',
  };
}

interface TokenKey {
  readonly kind: 'rotated' | 'ending';
  /** Of the token. */
  readonly name: string;
  /** The last four characters of the old key. */
  readonly hint: string;
  /** When the old key ends, in unix seconds; 0 = it has ended. */
  readonly until: number;
  readonly serverAddress: string;
}

/** A token has another key, or its old one ends soon. */
export function tokenKeyMessage({ kind, name, hint, until, serverAddress }: TokenKey): Message {
  const key = `…${hint}`;
  const end = minuteOf(until);
  const isEnding = kind === 'ending';
  const changed = { zh: '令牌「{{value}}」的密钥已更换。', en: 'The key of token "{{value}}" was changed. ' };
  const unknown = { zh: '如果不是您本人操作，请立刻修改密码。', en: ' If that was not you, change your password at once.' };
  const content = isEnding
    ? {
        zh: '令牌「{{value}}」的旧密钥（{{value}}）将于 {{value}} 失效，请尽快为仍在使用它的程序换上新密钥。',
        en: 'The old key of token "{{value}}" ({{value}}) ends at {{value}}: give the new one to the programs that still use it.',
      }
    : until === 0
      ? {
          zh: `${changed.zh}旧密钥（{{value}}）已失效。${unknown.zh}`,
          en: `${changed.en}The old one ({{value}}) opens nothing any more.${unknown.en}`,
        }
      : {
          zh: `${changed.zh}旧密钥（{{value}}）在 {{value}} 之前仍可使用。${unknown.zh}`,
          en: `${changed.en}The old one ({{value}}) works until {{value}}.${unknown.en}`,
        };
  return {
    type: isEnding ? 'token_key_ending' : 'token_key_rotated',
    title: isEnding
      ? { zh: '令牌的旧密钥即将失效', en: 'An old key ends soon' }
      : { zh: '令牌密钥已更换', en: 'A key was changed' },
    content,
    values: until === 0 ? [name, key] : [name, key, end],
    link: linkTo(serverAddress, '/token'),
  };
}

const minuteOf = (seconds: number): string => `${new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

const maxNamed = 20;

/** The names of a message, and how many more there are. */
export function listed(names: readonly string[], unnamed = 0): string {
  const more = names.length + unnamed - maxNamed;
  return names.slice(0, maxNamed).join(', ') + (more > 0 ? ` … (+${more})` : '');
}

interface Changed extends Omit<ChangedPrices, 'more'> {
  readonly serverAddress: string;
}

/** Models and groups that have another price now. */
export function priceMessage({ models, groups, ofUsers, serverAddress }: Changed): Message {
  return {
    type: 'price_change',
    title: { zh: '模型价格已调整', en: 'Prices have changed' },
    content: { zh: '以下模型或分组的价格已调整：{{value}}', en: 'These models or groups have new prices: {{value}}' },
    values: [listed([...new Set([...models, ...groups, ...ofUsers])])],
    link: linkTo(serverAddress, '/pricing'),
    prices: { models: models.slice(0, maxNamed), more: Math.max(0, models.length - maxNamed), groups, ofUsers },
  };
}

/** Models that will have another price from a day on, in Unix seconds. */
export function comingPriceMessage({
  models,
  from,
  serverAddress,
}: {
  models: readonly string[];
  from: number;
  serverAddress: string;
}): Message {
  return {
    type: 'price_change_ahead',
    title: { zh: '模型价格即将调整', en: 'Prices will change' },
    content: {
      zh: '自 {{value}} 起，以下模型的价格将调整：{{value}}',
      en: 'From {{value}} on these models have new prices: {{value}}',
    },
    values: [minuteOf(from), listed(models)],
    link: linkTo(serverAddress, '/pricing'),
  };
}

const maxAnnounced = 2_000;

/** What the operator announces, as text: the console shows it with its markup. */
export function announcementMessage(announcement: {
  kind: string;
  title: string;
  content: string;
  serverAddress: string;
}): Message {
  const { kind, title, content, serverAddress } = announcement;
  const text = plainMarkup(content);
  const short = text.length > maxAnnounced ? `${text.slice(0, maxAnnounced)}…` : text;
  return {
    type: kind,
    title: { zh: title, en: title },
    content: { zh: short, en: short },
    values: [],
    link: linkTo(serverAddress, '/announcement'),
  };
}

/** "" while nobody has said where this server is. */
function linkTo(serverAddress: string, path: string): string {
  return serverAddress === '' ? '' : `${serverAddress.replace(/\/+$/, '')}${path}`;
}
