import type { StandIn } from '../settings/index.ts';
import type { Message } from './message.ts';

/** An alert: one name for webhooks, no page to look at. */
function alert(type: string, title: Message['title'], content: Message['content'], values: readonly string[]): Message {
  return { type, title, content, values, link: '' };
}

const percentOf = (value: number) => `${value.toFixed(1)}%`;
const gigabytes = (bytes: number) => `${(bytes / 1024 ** 3).toFixed(1)} GB`;

export function ledgerMessage(difference: string): Message {
  return alert(
    'ledger_red',
    { zh: '账本校验不通过', en: 'The ledger does not add up' },
    {
      zh: '每小时的账本校验发现差异：{{value}}。见 docs/runbook.md 的 Books that do not add up，先保留现状，再运行 npx tollgate doctor ledger',
      en: 'The hourly proof of the ledger found a difference: {{value}}. Keep the state as it is, then run npx tollgate doctor ledger: Books that do not add up in docs/runbook.md says how',
    },
    [difference],
  );
}

export function unreadableMessage(unreadable: readonly (readonly [string, StandIn])[]): Message {
  const words = { kept: '上次的值 / last good value', closed: '关闭 / closed' };
  return alert(
    'option_unreadable',
    { zh: '有设置无法读取', en: 'Settings cannot be read' },
    {
      zh: '以下设置的存储值无法读取，正在用上次的值或不放行任何操作的值代替，请重新保存：{{value}}',
      en: 'These cannot be read; the last good value counts, or one that opens nothing. Save them anew: {{value}}',
    },
    [unreadable.map(([option, standIn]) => `${option} (${words[standIn]})`).join(', ')],
  );
}

/** What an administrator is waited for. */
export type Waiting = 'payment' | 'agent' | 'withdrawal';

const waitingTexts: Readonly<Record<Waiting, { readonly title: Message['title']; readonly content: Message['content'] }>> = {
  payment: {
    title: { zh: '有付款未匹配到订单', en: 'Payments match no order' },
    content: {
      zh: '{{value}} 笔付款已收到但未入账，请在「待认领付款」中处理',
      en: '{{value}} payments came in and were credited to nobody: see Unmatched payments',
    },
  },
  agent: {
    title: { zh: '有代理申请待审核', en: 'Applications of agents wait' },
    content: { zh: '{{value}} 份代理申请待审核', en: '{{value}} applications wait to be reviewed' },
  },
  withdrawal: {
    title: { zh: '有提现申请待处理', en: 'Withdrawals wait' },
    content: { zh: '{{value}} 笔代理提现申请待处理', en: '{{value}} withdrawals of agents wait to be paid out' },
  },
};

export function waitingMessage(kind: Waiting, count: number): Message {
  const { title, content } = waitingTexts[kind];
  return alert(`${kind}_waits`, title, content, [String(count)]);
}

export function diskMessage({ host, percent, freeBytes }: { host: string; percent: number; freeBytes: number }): Message {
  return alert(
    'disk_low',
    { zh: '磁盘空间不足', en: 'Little disk space is left' },
    {
      zh: '{{value}} 的数据目录所在磁盘仅剩 {{value}}（{{value}}）。请清理磁盘或删除旧日志：空间用尽之前，网关会停止接收新请求',
      en: 'The disk of the data directory on {{value}} has {{value}} left ({{value}}). Make room or delete old logs: before it is full no more calls are taken',
    },
    [host, gigabytes(freeBytes), percentOf(percent)],
  );
}

interface Channel {
  readonly channelId: number;
  readonly name: string;
}

export function balanceMessage({ channelId, name, balance }: Channel & { balance: number }): Message {
  return alert(
    'upstream_balance',
    { zh: `通道「${name}」（#${channelId}）上游余额不足`, en: `Channel "${name}" (#${channelId}) runs low upstream` },
    { zh: '上游余额仅剩 {{value}}', en: 'The upstream balance is {{value}}' },
    [`$${balance.toFixed(2)}`],
  );
}

export function errorRateMessage({ percent, calls }: { percent: number; calls: number }): Message {
  return alert(
    'error_rate',
    { zh: '调用错误率过高', en: 'Many calls fail' },
    { zh: '最近五分钟 {{value}} 次调用中有 {{value}} 失败', en: 'Of {{value}} calls within five minutes {{value}} failed' },
    [String(calls), percentOf(percent)],
  );
}

export function downMessage({
  channelId,
  name,
  models,
  minutes,
}: Channel & { models: readonly string[]; minutes: number }): Message {
  return alert(
    `channel_down_${channelId}`,
    { zh: `通道「${name}」（#${channelId}）持续不可用`, en: `Channel "${name}" (#${channelId}) stays down` },
    {
      zh: '已超过 {{value}} 分钟没有正常应答：{{value}}。原因见该渠道的「健康与时间线」',
      en: 'No good answer for more than {{value}} minutes: {{value}}. See Health and timeline of the channel for the reason',
    },
    [String(minutes), models.join(', ')],
  );
}

interface Sold {
  readonly model: string;
  /** Of the list price. */
  readonly share: number;
}

export function lossMessage({ models, cost }: { models: readonly Sold[]; cost: number }): Message {
  const lines = models.map(({ model, share }) => `${model} (${percentOf(share * 100)})`);
  return alert(
    'loss_model',
    { zh: '有模型低于成本出售', en: 'Models are sold below their cost' },
    {
      zh: '按官方标价 {{value}} 的成本计算，以下模型的最低售价低于成本（括号内为售价占标价的比例）：{{value}}',
      en: 'At a cost of {{value}} of the list price these models are sold at a loss (their lowest price as a share of the list price): {{value}}',
    },
    [percentOf(cost * 100), lines.join(', ')],
  );
}

interface Watched {
  readonly source: string;
  /** What would change or has changed: model, option, from and to. */
  readonly changes: readonly string[];
}

const priceWatchTexts = {
  applied: {
    title: { zh: '价格已按来源自动更新', en: 'Prices were brought up to date' },
    content: {
      zh: '来源 {{value}} 的价格变动在允许的范围内，已自动应用，可在价格编辑器的历史里撤回：{{value}}',
      en: 'The prices of {{value}} moved within what you allow and were applied; the history of the price editor takes them back: {{value}}',
    },
  },
  proposed: {
    title: { zh: '有价格变动待确认', en: 'New prices wait for your confirmation' },
    content: {
      zh: '来源 {{value}} 的价格与本站不同，请在价格编辑器里用「同步」查看影响并确认：{{value}}',
      en: 'The prices of {{value}} differ from yours. See in the price editor, with "Sync", what they would change, and apply them: {{value}}',
    },
  },
  failed: {
    title: { zh: '价格来源无法读取', en: 'The source of prices cannot be read' },
    content: {
      zh: '无法读取来源 {{value}} 的价格：{{value}}',
      en: 'The prices of {{value}} could not be read: {{value}}',
    },
  },
} as const;

/** What looking at the watched prices led to. */
export function priceWatchMessage(kind: keyof typeof priceWatchTexts, { source, changes }: Watched): Message {
  const { title, content } = priceWatchTexts[kind];
  return alert(`price_watch_${kind}`, title, content, [source, changes.join(', ')]);
}
