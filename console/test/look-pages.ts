import type { Page } from 'playwright-core';
import { common, root } from './fixtures.ts';
import { strangerId } from './mock-api.ts';
import { conversation } from './operations.ts';

/** What one picture shows. */
export interface LookPage {
  path: string;
  /** Whoever looks; null = a visitor, not given = root. */
  user?: unknown;
  /** Fields of the status object. */
  status?: object;
  /** What the browser has stored. */
  stored?: object;
  /** What is done before the picture is taken. */
  act?(page: Page): unknown;
}

const click = (name: RegExp) => (page: Page) => page.getByRole('button', { name }).first().click();
const follow = (name: RegExp) => (page: Page) => page.getByRole('link', { name }).first().click();
const topup = {
  enable_online_topup: true,
  pay_methods: [
    { name: '支付宝', type: 'alipay', color: 'rgba(var(--semi-blue-5), 1)' },
    { name: '微信', type: 'wxpay', color: 'rgba(var(--semi-green-5), 1)' },
  ],
};
/** A view of the price editor, and what is opened there. */
const prices = (view: RegExp, act?: LookPage['act']): LookPage => ({
  path: '/setting?tab=operation',
  async act(page: Page) {
    const editor = page.getByRole('region', { name: /^(模型价格|Model prices)$/ });
    await editor.getByRole('button', { name: view }).click();
    await editor.evaluate((section) => section.scrollIntoView());
    await act?.(page);
  },
});
const tasks = { enable_drawing: true, enable_task: true, mj_notify_enabled: false };
/** Agents are on, and everybody may apply. */
const agents = { agent_enabled: true, agent_apply_enabled: true };
const chats = { chats: [{ 网页: 'https://chat.example.com/#{key}' }, { 应用: 'ama://set?key={key}' }] };
/** Pages and what is opened on them, by the name of their pictures. */
export const pages: Readonly<Record<string, LookPage>> = {
  home: { path: '/', user: null },
  about: { path: '/about', user: null, status: { docs_link: 'https://docs.example.com/' } },
  // Only phones have it.
  drawer: {
    path: '/about',
    user: null,
    status: { docs_link: 'https://docs.example.com/' },
    async act(page) {
      const button = page.getByRole('button', { name: /^(打开菜单|Open menu)$/ });
      if (await button.isVisible()) await button.click();
    },
  },
  manual: { path: '/docs/', user: null },
  'manual-protocols': { path: '/docs/protocols', user: null },
  'manual-screens': { path: '/docs/screens', user: null },
  'api-docs': { path: '/docs/api', user: null },
  'api-docs-open': { path: '/docs/api', user: null, act: click(/POST \/api\/token /) },
  'api-docs-answer': { path: '/docs/api', user: null, act: click(/GET \/api\/user\/topup\/self/) },
  login: { path: '/login?expired=true', user: null },
  register: { path: '/register?aff=Ab3d', user: null },
  forced: { path: '/login', user: { ...root, must_change_password: true } },
  dashboard: { path: '/detail', status: { enable_data_export: true } },
  'dashboard-own': { path: '/detail', user: common, status: { enable_data_export: true } },
  'dashboard-point': { path: '/detail', act: (page) => page.getByRole('slider').focus() },
  'dashboard-table': { path: '/detail?view=table&metric=calls' },
  channels: { path: '/channel?size=50' },
  'channels-filtered': { path: '/channel?status=3&type=20' },
  'channel-add': { path: '/channel/add' },
  'channel-edit': { path: '/channel/edit/46' },
  'channel-edit-behaviour': {
    path: '/channel/edit/46',
    act: (page) => page.getByLabel(/^(合并写出（毫秒）|Write together \(ms\))$/).focus(),
  },
  'channel-menu': { path: '/channel', act: click(/更多操作|More actions/) },
  announcements: { path: '/announcement' },
  'announcement-new': { path: '/announcement', act: click(/发布公告|New announcement/) },
  tokens: { path: '/token' },
  'tokens-selected': { path: '/token', act: (page) => page.getByRole('checkbox').first().click() },
  'token-add': { path: '/token/add' },
  'token-edit': { path: '/token/edit/11' },
  'token-advanced': { path: '/token/add', act: click(/^(高级设置|Advanced)/) },
  'token-use': { path: '/token/use/11' },
  redemption: { path: '/redemption' },
  'redemption-selected': { path: '/redemption', act: (page) => page.getByRole('checkbox').nth(1).click() },
  'redemption-add': { path: '/redemption/add' },
  'redemption-campaigns': { path: '/redemption/campaigns' },
  wallet: { path: '/topup', status: topup },
  'wallet-pay': { path: '/topup', status: topup, act: click(/^(支付宝|Alipay)$/) },
  'wallet-no-way': {
    path: '/topup',
    status: { enable_online_topup: true, pay_methods: [] },
    act: (page) => page.getByText(/^(支付方式配置错误|No payment method is set correctly)/).waitFor(),
  },
  'wallet-orders': { path: '/topup/records' },
  statement: { path: '/topup/statement' },
  'wallet-invites': { path: '/aff/records' },
  'wallet-rewards': { path: '/aff/records?tab=rewards' },
  'payments-reversed': {
    path: '/payment',
    async act(page) {
      await click(/^(撤销订单|Take back)$/)(page);
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel(/^(撤销原因|Reason)/).fill('#2026-118');
      await dialog.getByRole('button', { name: /^(撤销订单|Take back)$/ }).click();
      await dialog.waitFor({ state: 'detached' });
    },
  },
  'payments-reverse': { path: '/payment', act: click(/^(撤销订单|Take back)$/) },
  users: { path: '/user' },
  'users-filtered': { path: '/user?role=1&status=1&group=vip' },
  'user-edit': { path: '/user/edit/7', act: click(/^(高级设置|Advanced)/) },
  payments: { path: '/payment' },
  'payments-unmatched': { path: '/payment?tab=unmatched' },
  'payments-inbox': { path: '/payment?tab=inbox', act: click(/^(详情|Details)$/) },
  'payments-credit': { path: '/payment?tab=unmatched', act: click(/^(入账|Credit)$/) },
  agency: { path: '/agent', user: common, status: agents },
  'agency-table': { path: '/agent?view=table&days=90', user: common, status: agents },
  'agency-apply': { path: '/agent', user: { ...common, id: strangerId }, status: agents },
  'agency-withdraw': { path: '/agent', user: common, status: agents, act: click(/^(申请提现|Withdraw)$/) },
  'agency-convert': { path: '/agent', user: common, status: agents, act: click(/^(兑换额度|Convert to quota)$/) },
  'agency-dividends': { path: '/agent/dividends', user: common, status: agents },
  'agency-withdrawals': { path: '/agent/withdrawals', user: common, status: agents },
  agents: { path: '/agent/manage', status: agents },
  'agents-queue': { path: '/agent/manage?tab=withdrawals', status: agents },
  'agents-pay': { path: '/agent/manage?tab=withdrawals', status: agents, act: click(/^(打款|Pay)$/) },
  'agents-dividends': { path: '/agent/manage?tab=dividends&agent=7', status: agents },
  'agent-review': { path: '/agent/manage/edit/12', status: agents },
  'agent-add': { path: '/agent/manage/add', status: agents },
  logs: { path: '/log?size=50' },
  'logs-100': { path: '/log?size=100' },
  'log-detail': { path: '/log', act: click(/^(详情|Details)$/) },
  'log-receipt': {
    path: '/log?type=2',
    async act(page) {
      await click(/^(详情|Details)$/)(page);
      await click(/解释这笔费用|Explain this charge/)(page);
    },
  },
  columns: { path: '/log', act: click(/选择列|Choose columns/) },
  'log-live': { path: '/log', act: click(/^(实时|Live)$/) },
  'log-export': { path: '/log', act: click(/^(导出|Export)$/) },
  'log-user': { path: '/log', act: click(/^(查看用户|Show user)/) },
  drawing: { path: '/midjourney', status: tasks },
  'drawing-image': { path: '/midjourney', status: tasks, act: follow(/查看图片|Show image/) },
  'drawing-text': { path: '/midjourney', status: tasks, act: click(/雪山/) },
  tasks: { path: '/task', status: tasks },
  'task-result': { path: '/task', status: tasks, act: click(/^(查看|Show)$/) },
  prices: prices(/^(可视化编辑|Table)/),
  // Phones have no heads to sort by, but a choice.
  'prices-sorted': prices(/^(可视化编辑|Table)/, async (page) => {
    const head = page.getByRole('button', { name: /^(提示|In) ?\/1M/ });
    if (await head.isVisible()) await head.click();
  }),
  'prices-edit': prices(/^(可视化编辑|Table)/, click(/^(编辑|Edit) gpt-4o$/)),
  'prices-groups': prices(/^(分组倍率|Groups)$/),
  'prices-group-add': prices(/^(分组倍率|Groups)$/, click(/^(添加特殊倍率|Add a ratio)$/)),
  'prices-tiers': prices(/^(阶梯价格|Tiers)$/),
  'prices-tier-edit': prices(/^(阶梯价格|Tiers)$/, click(/^(编辑|Edit) gemini-2.5-pro$/)),
  'prices-json': prices(/^JSON$/),
  'prices-unpriced': prices(/^(未定价模型|Unpriced)/),
  'prices-versions': prices(/^(历史版本|Versions)$/),
  'prices-sync': prices(/^(同步价格|Sync)/, click(/^(获取差异|Compare|Get)/)),
  'prices-save': prices(/^(分组倍率|Groups)$/, async (page) => {
    await click(/^(删除|Delete) trial$/)(page);
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^(删除|Delete)$/ })
      .click();
    await click(/^(预览并保存|Preview and save)$/)(page);
  }),
  'pricing-sorted': { path: '/pricing?sort=-in', user: null },
  pricing: { path: '/pricing', user: null, act: click(/^(详情|Details)$/) },
  ledger: { path: '/ledger' },
  'ledger-proof': { path: '/ledger', act: click(/^(重新核对|Run again)$/) },
  doctor: { path: '/doctor' },
  import: { path: '/import' },
  reset: { path: '/reset', user: null },
  'reset-confirm': { path: '/user/reset?email=a@example.com&token=b', user: null },
  oauth: { path: '/oauth/github?code=a&state=b', user: null },
  'channel-upstream': { path: '/channel/upstream/46', act: async () => undefined },
  'channel-health': { path: '/channel/health/46' },
  'channel-tag': { path: '/channel/tag/west' },
  route: { path: '/route?model=gpt-4o' },
  'redemption-used': {
    path: '/redemption/edit/1',
    act: (page) => page.getByText(/^(只能编辑未使用的兑换码|Only an unused code can be edited)$/).waitFor(),
  },
  'redemption-edit': { path: '/redemption/edit/3' },
  'user-add': { path: '/user/add' },
  audit: { path: '/audit' },
  'setting-personal': { path: '/setting', status: { wxpusher_enabled: true } },
  'setting-operation': { path: '/setting?tab=operation' },
  'setting-system': { path: '/setting?tab=system' },
  'setting-other': { path: '/setting?tab=other' },
  'setting-history': { path: '/setting?tab=history' },
  playground: { path: '/playground' },
  'playground-talk': { path: '/playground', stored: { [`playground:${root.id}`]: conversation } },
  chat: { path: '/chat/0', status: chats },
  'chat-app': { path: '/chat/1', status: chats },
  'chat-none': { path: '/chat2link', status: { chats: [] } },
  forbidden: { path: '/channel', user: common },
  'not-found': { path: '/nowhere' },
};
