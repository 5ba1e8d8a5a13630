import { cleanup, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { common, userOf } from '../../../test/fixtures.ts';
import { type MockAnswer, type MockRequest, ok, refuse } from '../../../test/mock-api.ts';
import { orders } from '../../../test/money.ts';
import { renderApp } from '../../../test/render.tsx';
import { wallet_invite_invitee, wallet_invite_inviter } from '../../i18n/generated/messages.ts';
import { setLanguage } from '../../i18n/language.ts';
import * as model from './model.ts';
import { methodColor, parseAmount } from './model.ts';

const on = {
  enable_online_topup: true,
  min_topup: 5,
  pay_methods: [
    { name: '支付宝', type: 'alipay', color: 'rgba(var(--semi-blue-5), 1)' },
    { name: '微信', type: 'wxpay', color: '#1aad19' },
  ],
};
const money = ({ method, path, body }: MockRequest): MockAnswer | undefined => {
  const { amount } = (body ?? {}) as { amount: number };
  if (method === 'POST' && path === '/api/user/amount') return ok((amount * 7.3).toFixed(2));
  return undefined;
};
const open = async (options: Parameters<typeof renderApp>[1] = {}) => {
  const app = renderApp('/topup', { signedIn: common, status: on, override: money, ...options });
  await screen.findByRole('heading', { level: 1, name: '钱包' });
  return app;
};

it('tells an English reader apart what the inviter gets and what the invited user gets', () => {
  setLanguage('en');
  const [inviter, invitee] = [wallet_invite_inviter, wallet_invite_invitee].map((text) => text({ amount: '$1' }));
  expect([inviter, invitee]).toEqual(['$1 for you per invited user', '$1 for the invited user']);
  setLanguage('zh');
});

describe('what people type', () => {
  it('is a whole amount of at least 1', () => {
    expect(['-5', '0', '0.5', '10', '$12.9', '1,000'].map(parseAmount)).toEqual([1, 1, 1, 10, 12, 1000]);
    expect(['', 'x', '-', '1e9', '10,50'].map(parseAmount)).toEqual(Array(5).fill(undefined));
  });

  it('never puts an unknown colour into the page', () => {
    expect(methodColor('rgba(var(--semi-green-5), 1)')).toBe('var(--ok)');
    expect(methodColor('#1aad19')).toBe('#1aad19');
    for (const color of [undefined, 'url(https://x.example)', 'red;position:fixed'])
      expect(methodColor(color)).toBe('var(--accent)');
  });
});

it('is read again where it could not be read, and codes are taken meanwhile', async () => {
  let busy = true;
  const app = await open({
    override: ({ path }) => (path === '/api/user/self' && busy ? refuse('数据库忙', 500) : undefined),
  });
  const again = await screen.findByRole('button', { name: '重试' });
  expect(screen.getByRole('button', { name: '兑换' })).toBeTruthy();
  busy = false;
  await app.user.click(again);
  await screen.findByText('历史消耗');
});

it('shows what running calls and tasks hold, while they hold anything', async () => {
  const held = { ...userOf(common), quota_held: 200_000 };
  await open({ override: (request) => (request.path === '/api/user/self' ? ok(held) : money(request)) });
  const term = await screen.findByText('预留中');
  expect([term.nextSibling?.textContent, term.parentElement?.dataset.tip]).toEqual(['$0.40', expect.stringContaining('退回')]);
  cleanup();
  await open();
  expect(screen.queryByText('预留中')).toBeNull();
});

it('says where the rewards of invitations stand that they could not be read', async () => {
  let busy = true;
  const app = await open({
    override: ({ path }) => (path === '/api/user/aff/info' && busy ? refuse('数据库忙', 500) : undefined),
  });
  const again = await screen.findByRole('button', { name: '重试' });
  busy = false;
  await app.user.click(again);
  expect(await screen.findByRole('link', { name: '邀请记录' })).toBeTruthy();
});

describe('redeeming', () => {
  it('asks for a code, says what it brought and reads the balance again', async () => {
    const app = await open({
      override: ({ method, path }) => (method === 'POST' && path === '/api/user/topup' ? ok(5_000_000) : undefined),
    });
    await app.user.click(await screen.findByRole('button', { name: '兑换' }));
    expect(await screen.findByText('请输入兑换码！')).toBeTruthy();
    expect(app.sent('POST', '/api/user/topup')).toEqual([]);
    const read = () => app.calls.filter(({ path }) => path === '/api/user/self').length;
    const before = read();
    await app.user.type(screen.getByLabelText('兑换码'), ' abc {Enter}');
    const dialog = await screen.findByRole('dialog', { name: '兑换成功！' });
    expect(dialog.textContent).toContain('成功兑换额度：$10.00');
    expect(app.sent('POST', '/api/user/topup')).toEqual([{ key: 'abc' }]);
    await waitFor(() => expect(read()).toBeGreaterThan(before));
  });

  it("shows the server's refusal and keeps the code", async () => {
    const app = await open({
      override: ({ method, path }) =>
        method === 'POST' && path === '/api/user/topup' ? refuse('兑换失败，无效的兑换码') : undefined,
    });
    await app.user.type(await screen.findByLabelText('兑换码'), 'abc{Enter}');
    expect(await screen.findByText('兑换失败，无效的兑换码')).toBeTruthy();
    expect(screen.getByLabelText<HTMLInputElement>('兑换码').value).toBe('abc');
  });

  it('links to where codes are sold, or says that nobody set it', async () => {
    const app = await open();
    await app.user.click(await screen.findByRole('button', { name: '获取兑换码' }));
    expect(await screen.findByText('超级管理员未设置充值链接！')).toBeTruthy();
  });

  it.each(['https://shop.example/codes', '/shop', 'mailto:shop@example.com'])(
    'links to %s, as the option takes it',
    async (link) => {
      await open({ status: { top_up_link: link } });
      expect((await screen.findByRole('link', { name: '获取兑换码' })).getAttribute('href')).toBe(link);
    },
  );
});

describe('paying online', () => {
  it('previews, asks, and posts the form that the server made', async () => {
    const posted = vi.spyOn(model, 'postForm').mockReturnValue(undefined);
    const app = await open({
      override: (request) =>
        request.path === '/api/user/pay'
          ? {
              status: 200,
              envelope: { success: true, message: 'success', data: { pid: '1' }, url: 'https://pay.example/submit.php' } as never,
            }
          : money(request),
    });
    const amount = await screen.findByLabelText('充值数量');
    await app.user.clear(amount);
    await app.user.type(amount, '20');
    expect(await screen.findByText('¥146.00')).toBeTruthy();
    await app.user.click(screen.getByRole('button', { name: '支付宝' }));
    const dialog = within(await screen.findByRole('dialog', { name: '确定充值？' }));
    expect(dialog.getByText('$20')).toBeTruthy();
    expect(dialog.getByText('¥146.00')).toBeTruthy();
    expect(app.sent('POST', '/api/user/pay')).toEqual([]);
    await app.user.click(dialog.getByRole('button', { name: '去支付' }));
    await waitFor(() => expect(posted).toHaveBeenCalledWith('https://pay.example/submit.php', { pid: '1' }));
    expect(app.sent('POST', '/api/user/pay')).toEqual([{ amount: 20, top_up_code: '', payment_method: 'alipay' }]);
  });

  it('keeps to the minimum and repeats what the server says in "data"', async () => {
    const app = await open({
      override: ({ path }) =>
        path === '/api/user/amount'
          ? { status: 200, envelope: { success: false, message: 'error', data: '充值金额过低' } }
          : undefined,
    });
    const amount = await screen.findByLabelText('充值数量');
    expect(await screen.findByText('充值金额过低')).toBeTruthy();
    expect(screen.getAllByRole('button', { name: /^\$/ })[0]?.textContent).toBe('$10');
    await app.user.clear(amount);
    await app.user.type(amount, '4');
    await app.user.click(screen.getByRole('button', { name: '微信' }));
    expect(await screen.findByText('充值数量不能小于 5')).toBeTruthy();
    expect(screen.queryByRole('dialog')).toBeNull();
    // Nothing is pushed away below whoever leaves the field with the same amount.
    await app.user.click(amount);
    await app.user.pointer({ keys: '[MouseLeft>]', target: screen.getByRole('button', { name: '微信' }) });
    expect(screen.getByText('充值数量不能小于 5')).toBeTruthy();
  });

  it('asks for the price of the hosted page in its own currency, also when that is all there is', async () => {
    const app = await open({
      status: { enable_stripe_topup: true, stripe_min_topup: 2, stripe_currency: 'usd' },
      override: ({ path }) =>
        ({ '/api/user/checkout/amount': ok('10.00'), '/api/user/checkout': refuse('当前管理员未配置支付信息') })[path],
    });
    expect(await screen.findByText('US$10.00')).toBeTruthy();
    await app.user.click(screen.getByRole('button', { name: '银行卡支付' }));
    const dialog = within(await screen.findByRole('dialog', { name: '确定充值？' }));
    expect(dialog.getByText('将在此窗口转到付款页面，付款后会回到这里。')).toBeTruthy();
    await app.user.click(await dialog.findByRole('button', { name: '去支付' }));
    expect(await dialog.findByText('当前管理员未配置支付信息')).toBeTruthy();
    expect(app.sent('POST', '/api/user/checkout')).toEqual([{ amount: 10 }]);
    expect(app.sent('POST', '/api/user/amount')).toEqual([]);
  });

  it('says that the page will tell the sum where only that page knows it', async () => {
    const app = await open({
      status: { enable_stripe_topup: true, stripe_min_topup: 2, stripe_currency: 'usd' },
      override: ({ path }) => ({ '/api/user/checkout/amount': ok('') })[path],
    });
    expect(await screen.findByText('以支付页面显示为准')).toBeTruthy();
    await app.user.click(screen.getByRole('button', { name: '银行卡支付' }));
    const dialog = within(await screen.findByRole('dialog', { name: '确定充值？' }));
    expect(await dialog.findByText('以支付页面显示为准')).toBeTruthy();
    expect(dialog.getByRole('button', { name: '去支付' })).toHaveProperty('disabled', false);
  });

  it('says when it is switched off', async () => {
    await open({ status: {} });
    expect(await screen.findByText('管理员未开启在线充值！')).toBeTruthy();
  });

  it('says so where nobody could choose how to pay, and offers cards where they are taken', async () => {
    await open({ status: { ...on, pay_methods: [] } });
    expect(await screen.findByText('支付方式配置错误, 请联系管理员')).toBeTruthy();
    expect(screen.queryByLabelText('充值数量')).toBeNull();
    cleanup();
    const app = await open({ status: { ...on, pay_methods: [], enable_stripe_topup: true, stripe_min_topup: 2 } });
    expect(await screen.findByText('最低 $2')).toBeTruthy();
    expect(screen.getByRole('button', { name: '银行卡支付' })).toBeTruthy();
    await waitFor(() => expect(app.sent('POST', '/api/user/checkout/amount')).toEqual([{ amount: 10 }]));
  });
});

describe('records', () => {
  it('are orders with their state, and people who came by the link', async () => {
    const app = renderApp('/topup/records', { signedIn: common });
    expect(await screen.findByText('待支付')).toBeTruthy();
    expect(screen.getAllByText('¥73.00')).toHaveLength(2);
    // What was typed has its sign, as what it brought has.
    expect(screen.getAllByText('$10')).toHaveLength(2);
    await app.router.navigate({ to: '/aff/records' });
    expect((await screen.findByText('z***i')).parentElement?.textContent).toContain('z***i #2');
  });

  it('earnings move to the balance from the wallet, all of them unless less is typed', async () => {
    const earned = { ...userOf(common), aff_quota: 1_500_000 };
    const app = await open({ override: ({ path }) => (path === '/api/user/self' ? ok(earned) : undefined) });
    await app.user.click(await screen.findByRole('button', { name: '划转到余额' }));
    const dialog = within(await screen.findByRole('dialog', { name: '划转邀请收益' }));
    await app.user.click(dialog.getByRole('button', { name: '划转到余额' }));
    await waitFor(() => expect(app.sent('POST', '/api/user/aff_transfer')).toEqual([{ quota: 1_500_000 }]));
  });

  it('the wallet shows the rewards in force', async () => {
    await open();
    const rules = await screen.findByRole('list', { name: '奖励规则' });
    expect(rules.textContent).toContain('每邀请一人，您得 $1.00');
    expect(rules.textContent).toContain('好友充值返利 5%');
  });
});

describe('the records of the wallet', () => {
  it('tell every reward, what it was for and when it is due', async () => {
    const app = renderApp('/aff/records?tab=rewards', { signedIn: common });
    const table = within(await screen.findByRole('table', { name: '返利记录' }));
    expect((await table.findByText('好友首次充值后')).closest('tr')?.textContent).toContain('注册奖励');
    await app.user.selectOptions(screen.getByRole('combobox', { name: '全部状态' }), '未发放');
    await waitFor(() => expect(app.calls.at(-1)?.query).toMatchObject({ state: 'void' }));
    expect(app.router.state.location.search).toMatchObject({ tab: 'rewards', state: 'void' });
  });

  it('are two parts of one page, of which the open one is brought into the line, once', async () => {
    const brought = vi.spyOn(Element.prototype, 'scrollIntoView');
    const app = renderApp('/aff/records', { signedIn: common });
    await screen.findByRole('table', { name: '邀请的用户' });
    await app.user.click(screen.getByRole('link', { name: '返利记录' }));
    await screen.findByRole('table', { name: '返利记录' });
    expect(screen.getByRole('link', { name: '邀请的用户' }).getAttribute('aria-current')).toBeNull();
    await app.user.selectOptions(screen.getByRole('combobox', { name: '全部状态' }), '待发放');
    await waitFor(() => expect(app.router.state.location.href).toContain('state='));
    expect(brought.mock.contexts.map((link) => (link as Element).textContent)).toEqual(['邀请的用户', '返利记录']);
  });

  it('are not none beyond their last page, to which there is a way back', async () => {
    const override = ({ path, query }: MockRequest) =>
      path === '/api/user/topup/records'
        ? ok({ items: query.p === '2' ? orders.slice(0, 1) : [], page: Number(query.p), page_size: 10, total: 11 })
        : undefined;
    const app = renderApp('/topup/records?p=9', { signedIn: common, override });
    await screen.findByText('这一页没有记录');
    expect(screen.queryByText('清除筛选条件')).toBeNull();
    await app.user.click(screen.getByRole('button', { name: '前往第 2 页' }));
    expect(await screen.findByText('第 2 / 2 页')).toBeTruthy();
    await screen.findByRole('table', { name: '充值记录' });
  });

  it('end with the last page, however fast one turns them', async () => {
    const override = ({ path, query }: MockRequest) =>
      path === '/api/user/topup/records'
        ? ok({ items: orders.slice(0, 1), page: Number(query.p), page_size: 10, total: 15 })
        : undefined;
    const app = renderApp('/topup/records', { signedIn: common, override });
    const next = await screen.findByRole<HTMLButtonElement>('button', { name: '下一页' });
    const plain = globalThis.fetch;
    vi.stubGlobal('fetch', (url: string, options: RequestInit = {}) =>
      url.includes('/topup/records') ? new Promise(() => undefined) : plain(url, options),
    );
    await app.user.click(next);
    await app.user.click(next);
    expect(screen.getByText('第 2 / 2 页')).toBeTruthy();
    expect(next.disabled).toBe(true);
  });
});
