import { act, screen, waitFor, within } from '@testing-library/react';
import { inboxVerdicts } from '@tollgate/contract';
import { describe, expect, it } from 'vitest';
import { common, root, userOf } from '../../../test/fixtures.ts';
import { type MockOptions, ok, refuse } from '../../../test/mock-api.ts';
import { everyOrder, notices, unmatchedNotices } from '../../../test/money.ts';
import { renderApp } from '../../../test/render.tsx';
import { setLanguage } from '../../i18n/language.ts';
import { moneyText } from '../../ui/payment/order.ts';
import { faceOf, mayCredit, mayReplay, shareOf, verdictFaces } from './model.ts';
import { readPaymentSearch } from './search.ts';

const admin = { ...common, role: 10 };
const [wrongMoney, noOrder] = unmatchedNotices;
const [order] = everyOrder;
if (!wrongMoney || !noOrder || !order) throw new Error('the samples are gone');

const payee: MockOptions['override'] = ({ path, query }) => {
  const user = { ...userOf(common), id: 7, username: 'lihua', quota: 1_000_000 };
  if (path === '/api/user/7') return ok(user);
  if (['/api/user/404', '/api/user/13800000000'].includes(path)) return refuse('用户不存在', 404);
  if (query.keyword === '13800000000') return ok([{ ...user, id: 9, username: '13800000000' }]);
  return path === '/api/user/search' ? ok([{ ...user, id: 8, username: `${query.keyword}2` }, user]) : undefined;
};
const open = (tab: string, override: MockOptions['override'] = payee) =>
  renderApp(`/payment?tab=${tab}`, { signedIn: root, override });
const rowOf = async (text: string): Promise<HTMLElement> => {
  const table = within(await screen.findByRole('table'));
  return (await table.findAllByText(text))[0]?.closest('tr') ?? expect.unreachable();
};

describe('the words of payments', () => {
  it('has one for every verdict of the contract, and shows those of a newer server as they are', () => {
    expect(Object.keys(verdictFaces).sort()).toEqual([...inboxVerdicts].sort());
    expect(faceOf('future')).toEqual({ text: 'future', tone: 'grey' });
  });

  it('writes money as the reader of a language does, and leaves alone what is no money', () => {
    expect([moneyText('73.00', 'cny'), moneyText('1234.50', 'usd')]).toEqual(['¥73.00', 'US$1,234.50']);
    setLanguage('en');
    expect([moneyText('73.00', 'cny'), moneyText('1234.50', 'usd')]).toEqual(['CN¥73.00', '$1,234.50']);
    setLanguage('zh');
    expect([moneyText('', 'cny'), moneyText('5.00', ''), moneyText('x', 'usd')]).toEqual(['', '5.00', 'x USD']);
  });

  it('offers to judge again what had no effect, and to credit only proven money', () => {
    expect(notices.filter(mayReplay).map(({ verdict }) => verdict)).toEqual([
      'unmatched_money',
      'unmatched_order',
      'bad_signature',
    ]);
    expect(notices.filter(mayCredit)).toEqual(unmatchedNotices);
  });

  it('shares out an order by what was paid for it, to the unit, and only in the same currency', () => {
    expect(shareOf(wrongMoney, order)).toBe(order.quota / 2);
    expect(shareOf({ money: '0.01', currency: 'cny' }, order)).toBe(Math.floor(order.quota / 7300));
    expect(shareOf({ money: '36.50', currency: 'usd' }, order)).toBeUndefined();
    expect(shareOf({ money: '', currency: 'cny' }, order)).toBeUndefined();
  });

  it('takes from the address only texts, and only tabs that there are', () => {
    expect(readPaymentSearch({ tab: 'inbox', status: ['paid'], verdict: 'credited', username: ' a ' })).toEqual({
      tab: 'inbox',
      verdict: 'credited',
      username: 'a',
    });
    expect(readPaymentSearch({ tab: 'stolen' }).tab).toBeUndefined();
  });
});

describe('the orders of everybody', () => {
  it('are filtered by user, number and state on the server, from the first page', async () => {
    const app = renderApp('/payment?p=2&from=1700000000', { signedIn: admin });
    await app.user.type(await screen.findByRole('searchbox', { name: '用户名（完整）' }), 'lihua{Enter}');
    await app.user.selectOptions(screen.getByRole('combobox', { name: '全部状态' }), '已到账（延迟）');
    const row = await rowOf('USR7NOq9w8e71795109400');
    expect(within(row).getByRole('link', { name: 'lihua' }).getAttribute('href')).toBe('/user/edit/7');
    expect(within(row).getByText('¥73.00')).toBeTruthy();
    await waitFor(() => expect(screen.getAllByRole('row')).toHaveLength(2));
    expect(within(row).getByText('已退 ¥20.00')).toBeTruthy();
    expect(app.calls.filter(({ path }) => path === '/api/payment/orders').at(-1)?.query).toEqual({
      p: '1',
      page_size: '10',
      username: 'lihua',
      status: 'paid_late',
      start_timestamp: '1700000000',
    });
  });

  it('are all that an administrator sees: what services said is for root', async () => {
    const app = renderApp('/payment?tab=unmatched', { signedIn: admin });
    const table = await screen.findByRole('table', { name: '全部订单' });
    expect(within(table).getByText('银行卡支付').closest('tr')?.textContent).toContain('zhangwei');
    expect(screen.queryByRole('navigation', { name: '充值管理' })).toBeNull();
    expect(app.calls.some(({ path }) => /inbox|unmatched/.test(path))).toBe(false);
  });

  it('are not for users', async () => {
    const app = renderApp('/payment', { signedIn: common });
    expect(await screen.findByRole('heading', { name: '没有访问权限' })).toBeTruthy();
    expect(app.calls.some(({ path }) => path.startsWith('/api/payment'))).toBe(false);
  });

  it('say what is wrong when they cannot be read', async () => {
    const failing: MockOptions['override'] = ({ path }) => (path === '/api/payment/orders' ? refuse('数据库忙') : undefined);
    renderApp('/payment', { signedIn: root, override: failing });
    expect((await screen.findByRole('alert')).textContent).toContain('数据库忙');
  });

  it('offer to take back filters that find nothing', async () => {
    const app = renderApp('/payment?username=nobody', { signedIn: root });
    await app.user.click(await screen.findByRole('button', { name: '清除筛选条件' }));
    await waitFor(() => expect(app.router.state.location.href).toBe('/payment'));
    await rowOf('wangfang');
  });
});

describe('the notices', () => {
  it('are shown with their state and content, and judged again only after a question', async () => {
    const app = open('inbox', ({ method, path }) =>
      method === 'POST' && path.endsWith('/replay') ? ok({ ...wrongMoney, verdict: 'credited' }) : undefined,
    );
    const row = await rowOf('金额不符');
    await app.user.click(within(row).getByRole('button', { name: '详情' }));
    expect(await screen.findByText('36.50 cny instead of 73.00 cny')).toBeTruthy();
    expect(within(await rowOf('已退款')).queryByRole('button', { name: '重新处理' })).toBeNull();
    await app.user.click(within(row).getByRole('button', { name: '重新处理' }));
    const question = within(await screen.findByRole('dialog', { name: '重新处理这条支付通知？' }));
    expect(app.calls.some(({ method }) => method === 'POST')).toBe(false);
    await app.user.click(question.getByRole('button', { name: '重新处理' }));
    expect(await screen.findByText('处理结果：已入账')).toBeTruthy();
    expect(app.calls.filter(({ method }) => method === 'POST').map(({ path }) => path)).toEqual(['/api/payment/inbox/9/replay']);
  });

  it('are filtered by result and service', async () => {
    const app = open('inbox');
    await app.user.selectOptions(await screen.findByRole('combobox', { name: '全部结果' }), '签名无效');
    await app.user.selectOptions(screen.getByRole('combobox', { name: '全部支付服务' }), 'stripe');
    await waitFor(() => expect(app.router.state.location.href).toBe('/payment?tab=inbox&verdict=bad_signature&provider=stripe'));
    await waitFor(() =>
      expect(app.calls.filter(({ path }) => path === '/api/payment/inbox').at(-1)?.query).toEqual({
        p: '1',
        page_size: '10',
        verdict: 'bad_signature',
        provider: 'stripe',
      }),
    );
  });
});

describe('an unmatched payment', () => {
  const openDialog = async (text: string, override?: MockOptions['override']) => {
    const app = open('unmatched', override ?? payee);
    await app.user.click(within(await rowOf(text)).getByRole('button', { name: '入账' }));
    return { app, dialog: within(await screen.findByRole('dialog')) };
  };

  it('is counted beside its tab', async () => {
    open('orders');
    expect(await screen.findByRole('link', { name: '待认领付款（2）' })).toBeTruthy();
  });

  it('proposes the user of its order and the share that was paid, and is credited after a second look', async () => {
    const { app, dialog } = await openDialog('金额不符');
    expect(await dialog.findByText(/订单属于 lihua \(#7\)：充值 \$10.00，应付 ¥73.00，状态 待支付/)).toBeTruthy();
    expect(dialog.getByLabelText<HTMLInputElement>('入账额度').value).toBe('5');
    await waitFor(() => expect(document.activeElement).toBe(dialog.getByLabelText('入账用户')));
    expect(await dialog.findByText('lihua（#7），余额 $2.00')).toBeTruthy();
    await app.user.click(dialog.getByRole('button', { name: '入账' }));
    const question = within(await screen.findByRole('dialog', { name: '给 lihua (#7) 入账 $5.0000？' }));
    expect(app.calls.some(({ method }) => method === 'POST')).toBe(false);
    await app.user.click(question.getByRole('button', { name: '入账' }));
    expect(await screen.findByText('已给 lihua (#7) 入账 $5.0000')).toBeTruthy();
    expect(app.sent('POST', '/api/payment/unmatched/9/credit')).toEqual([{ user_id: 7, quota: 2_500_000 }]);
    await waitFor(() => expect(screen.queryByRole('dialog', { name: /^为付款/ })).toBeNull());
  });

  it('without an order asks for both, finds the user by the full name, and refuses nobody', async () => {
    const { app, dialog } = await openDialog('找不到订单');
    expect(await dialog.findByText(/没有这个订单号的订单/)).toBeTruthy();
    const name = dialog.getByLabelText('入账用户');
    await app.user.type(name, '404');
    expect(await dialog.findByText('没有这个用户')).toBeTruthy();
    expect(dialog.getByRole('button', { name: '入账' }).hasAttribute('disabled')).toBe(true);
    await app.user.clear(name);
    await app.user.type(name, '13800000000');
    expect(await dialog.findByText('13800000000（#9），余额 $2.00')).toBeTruthy();
    await app.user.clear(name);
    await app.user.type(name, 'lihua');
    expect(await dialog.findByText('lihua（#7），余额 $2.00')).toBeTruthy();
    await app.user.click(dialog.getByRole('button', { name: '入账' }));
    expect(await dialog.findByText('额度必须大于 0')).toBeTruthy();
    expect(document.activeElement).toBe(dialog.getByLabelText('入账额度'));
    expect(app.calls.some(({ method }) => method === 'POST')).toBe(false);
  });

  it("keeps the dialog when the server refuses, with the server's words", async () => {
    const refusing: MockOptions['override'] = (request) =>
      request.method === 'POST' ? refuse('这笔付款已经处理') : payee(request);
    const { app, dialog } = await openDialog('金额不符', refusing);
    await dialog.findByText('lihua（#7），余额 $2.00');
    await app.user.click(dialog.getByRole('button', { name: '入账' }));
    const question = within(await screen.findByRole('dialog', { name: /^给 lihua/ }));
    await app.user.click(question.getByRole('button', { name: '入账' }));
    expect(await dialog.findByText('这笔付款已经处理')).toBeTruthy();
  });
});

describe('a refund in another currency', () => {
  it('is settled by the part of the payment that somebody says, and by no guess', async () => {
    const detail = '12.00 eur were refunded of a payment of 73.00 cny';
    const foreign = { ...wrongMoney, id: 21, verdict: 'unmatched_refund' as const, detail };
    const app = open('unmatched', ({ method, path }) => {
      if (method === 'POST') return ok({ ...foreign, verdict: 'refunded' });
      return path === '/api/payment/unmatched' ? ok({ items: [foreign], page: 1, page_size: 10, total: 1 }) : undefined;
    });
    const row = within(await rowOf('退款待核对'));
    expect(row.queryByRole('button', { name: '入账' })).toBeNull();
    await app.user.click(row.getByRole('button', { name: '处理退款' }));
    const dialog = within(await screen.findByRole('dialog', { name: '这笔付款退还了多少？' }));
    expect(dialog.getByText(new RegExp(detail))).toBeTruthy();
    await app.user.type(dialog.getByLabelText(/已退还的金额/), '36,5');
    await app.user.click(dialog.getByRole('button', { name: '处理退款' }));
    expect(await dialog.findByText('请填写金额，最多两位小数')).toBeTruthy();
    await app.user.clear(dialog.getByLabelText(/已退还的金额/));
    await app.user.type(dialog.getByLabelText(/已退还的金额/), '¥1,036.5');
    await app.user.click(dialog.getByRole('button', { name: '处理退款' }));
    await waitFor(() => expect(app.sent('POST', '/api/payment/unmatched/21/refund')).toEqual([{ cents: 103_650 }]));
  });
});

describe('asking the payment service about an order', () => {
  it.each([
    ['credited', '支付平台确认已付款，已入账'],
    ['repeat', '支付平台确认已付款，此前已经入账'],
    ['unpaid', '支付平台：尚未付款'],
    ['closed', '支付平台：支付页已关闭，没有付款'],
    ['unmatched_money', '支付平台确认已付款，但和订单不符（金额不符）：超级管理员可以在「待认领付款」里处理'],
  ])('says what it answered: %s', async (outcome, text) => {
    const app = open('orders', ({ method, path }) =>
      method === 'POST' && path.endsWith('/ask') ? ok({ outcome, order: {} }) : undefined,
    );
    const row = within((await screen.findAllByText('wangfang'))[0]?.closest('tr') ?? expect.unreachable());
    await app.user.click(row.getByRole('button', { name: '向支付平台查询' }));
    expect(await screen.findByText(text)).toBeTruthy();
  });

  it('says why there is no answer', async () => {
    const app = open('orders', ({ method }) => (method === 'POST' ? refuse('支付平台暂时没有应答') : undefined));
    const row = within((await screen.findByText('zhangwei')).closest('tr') ?? expect.unreachable());
    await app.user.click(row.getByRole('button', { name: '向支付平台查询' }));
    expect((await screen.findAllByText('支付平台暂时没有应答')).length).toBeGreaterThan(0);
  });
});

describe('taking an order back', () => {
  it.each([
    ['all of it', 0, '订单已撤销，已收回额度 $8.00'],
    ['what the user still had', 1_000_000, '订单已撤销，已收回额度 $8.00；用户余额不足，还有 $2.00 未能收回'],
  ])('is for paid orders only, asks why, and says how much quota went back: %s', async (_, missing, text) => {
    const app = open('orders', ({ path }) => (path.endsWith('/reverse') ? ok({ taken: 4_000_000, missing }) : undefined));
    const row = within((await screen.findByText('zhangwei')).closest('tr') ?? expect.unreachable());
    const waiting = within((await screen.findAllByText('wangfang'))[0]?.closest('tr') ?? expect.unreachable());
    expect(waiting.queryByRole('button', { name: '撤销订单' })).toBeNull();
    await app.user.click(row.getByRole('button', { name: '撤销订单' }));
    const dialog = within(await screen.findByRole('dialog', { name: '撤销 zhangwei 的订单 US$10.00？' }));
    await app.user.click(dialog.getByRole('button', { name: '撤销订单' }));
    expect(await dialog.findByText('请填写撤销原因')).toBeTruthy();
    await app.user.type(dialog.getByLabelText(/撤销原因/), '已原路退款');
    await app.user.click(dialog.getByRole('button', { name: '撤销订单' }));
    await waitFor(() => expect(app.sent('POST', '/api/payment/orders/4/reverse')).toEqual([{ reason: '已原路退款' }]));
    expect(await screen.findByText(text)).toBeTruthy();
  });

  it('is not cut short by a look elsewhere: the list, whose row may be gone by now, is read again once the dialog is left', async () => {
    let isGone = false;
    const answer = ({ path }: { path: string }) =>
      isGone && path === '/api/payment/orders' ? ok({ items: [], page: 1, page_size: 10, total: 0 }) : undefined;
    const app = renderApp('/payment', { signedIn: root, override: answer });
    const comeBack = () => act(() => void document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
    const row = within((await screen.findByText('zhangwei')).closest('tr') ?? expect.unreachable());
    await app.user.click(row.getByRole('button', { name: '撤销订单' }));
    const dialog = within(await screen.findByRole('dialog'));
    await app.user.type(dialog.getByLabelText(/撤销原因/), '已原路退款');
    isGone = true;
    comeBack();
    await app.user.type(dialog.getByLabelText(/撤销原因/), '。');
    expect(app.calls.filter(({ path }) => path === '/api/payment/orders')).toHaveLength(1);
    expect(screen.getByDisplayValue('已原路退款。')).toBeTruthy();
    await app.user.click(dialog.getByRole('button', { name: '取消' }));
    await app.user.click(await screen.findByRole('button', { name: '放弃修改' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(screen.getByText('zhangwei')).toBeTruthy();
    comeBack();
    await waitFor(() => expect(screen.queryByText('zhangwei')).toBeNull());
  });
});
