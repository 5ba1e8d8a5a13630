import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { agencyOf, withdrawals } from '../../../test/agents.ts';
import { common, root } from '../../../test/fixtures.ts';
import { type MockOptions, type MockRequest, ok, refuse } from '../../../test/mock-api.ts';
import { enabledButton, renderApp, seeNotice } from '../../../test/render.tsx';

const on = { agent_enabled: true, agent_apply_enabled: true };
type Override = NonNullable<MockOptions['override']>;
const open = (path: string, override?: Override, signedIn = common) =>
  renderApp(path, { signedIn, status: on, ...(override ? { override } : {}) });
const as =
  (self: unknown, more?: Override): Override =>
  (request: MockRequest) =>
    request.method === 'GET' && request.path === '/api/agent/self' ? ok(self) : more?.(request);
const rowOf = async (text: string): Promise<HTMLElement> => {
  const table = within(await screen.findByRole('table'));
  return (await table.findAllByText(text))[0]?.closest('tr') ?? expect.unreachable();
};

describe('the menu', () => {
  const links = async () => {
    const menu = within(await screen.findByRole('navigation', { name: '主菜单' }));
    return (name: string) => menu.queryByRole('link', { name });
  };

  it('has nothing of agents while they are off', async () => {
    renderApp('/token', { signedIn: root });
    const link = await links();
    expect([link('代理商信息'), link('代理商管理')]).toEqual([null, null]);
  });

  it('has the three pages for everybody who may apply, management for administrators', async () => {
    open('/token', undefined, root);
    const link = await links();
    for (const name of ['代理商信息', '分红记录', '提现记录', '代理商管理']) await waitFor(() => expect(link(name)).toBeTruthy());
  });

  it('where nobody may apply, has them for agents only', async () => {
    const closed = { agent_enabled: true, agent_apply_enabled: false };
    const app = renderApp('/token', { signedIn: common, status: closed, override: as(null) });
    await waitFor(() => expect(app.calls.some(({ path }) => path === '/api/agent/self')).toBe(true));
    expect((await links())('代理商信息')).toBeNull();
  });

  it('shows them to an agent nevertheless', async () => {
    renderApp('/token', { signedIn: common, status: { agent_enabled: true, agent_apply_enabled: false } });
    const link = await links();
    await waitFor(() => expect(link('提现记录')).toBeTruthy());
    expect(link('代理商管理')).toBeNull();
  });
});

describe('becoming an agent', () => {
  it('asks who one is and how to be reached, and sends it once', async () => {
    const app = open('/agent', as(null));
    await app.user.click(await screen.findByRole('button', { name: '提交申请' }));
    expect(await screen.findByText('请填写联系人')).toBeTruthy();
    expect(screen.getByText('手机号与邮箱至少填写一项')).toBeTruthy();
    await app.user.type(screen.getByLabelText(/联系人/), '李华');
    await app.user.type(screen.getByLabelText('手机号'), '13800000000');
    await app.user.click(screen.getByRole('button', { name: '提交申请' }));
    await seeNotice('申请已提交');
    expect(app.sent('POST', '/api/agent/apply')).toEqual([
      { contact_name: '李华', contact_phone: '13800000000', contact_email: '', remark: '' },
    ]);
  });

  it('says what became of an application', async () => {
    open('/agent', as(agencyOf({ status: 0 })));
    expect(await screen.findByText('申请已提交，请等待审核')).toBeTruthy();
    expect(screen.queryByRole('button', { name: '申请提现' })).toBeNull();
  });

  it('lets who was rejected apply again with what was said', async () => {
    open('/agent', as(agencyOf({ status: 2, review_note: '资料不完整' })));
    expect(await screen.findByText('您的申请未通过：资料不完整')).toBeTruthy();
    expect((await screen.findByLabelText<HTMLInputElement>('手机号')).value).toBe('13800000000');
    expect(screen.getByRole('button', { name: '重新提交申请' })).toBeTruthy();
  });

  it("keeps the form with the server's refusal", async () => {
    const app = open(
      '/agent',
      as(null, ({ path }) => (path === '/api/agent/apply' ? refuse('管理员未开放代理申请') : undefined)),
    );
    await app.user.type(await screen.findByLabelText(/联系人/), '李华');
    await app.user.type(screen.getByLabelText('邮箱'), 'a@b.c{Enter}');
    expect(await screen.findByText('管理员未开放代理申请')).toBeTruthy();
    expect(screen.getByLabelText<HTMLInputElement>(/联系人/).value).toBe('李华');
  });
});

describe('an agency', () => {
  it('shows its money, its link and masked customers', async () => {
    open('/agent');
    expect(await screen.findByText('¥1,234.56')).toBeTruthy();
    expect(screen.getByLabelText<HTMLInputElement>('邀请链接').value).toMatch(/\/register\?aff=Ab3d$/);
    expect(await screen.findByRole('img', { name: '邀请链接的二维码' })).toBeTruthy();
    // Two of the same ends are told apart by their numbers.
    const names = (await screen.findAllByText('a***e')).map((name) => name.parentElement?.textContent);
    expect(names.length).toBeGreaterThan(1);
    expect(new Set(names).size).toBe(names.length);
    expect(names[0]).toMatch(/^a\*\*\*e #\d+$/);
    expect(screen.getByRole('link', { name: '¥456.00' }).getAttribute('href')).toBe('/agent/dividends?status=0');
  });

  it('tells the earnings as bars and as a table', async () => {
    const app = open('/agent');
    const bars = await screen.findByRole('slider', { name: '选择日期' });
    expect(bars.getAttribute('max')).toBe('29');
    await app.user.click(screen.getByRole('button', { name: '以表格显示' }));
    const table = within(await screen.findByRole('region', { name: '每天的收益' }));
    expect(table.getByRole('columnheader', { name: '新增分红' })).toBeTruthy();
    expect(app.router.state.location.search).toMatchObject({ view: 'table' });
  });

  it('says that the earnings could not be read again, above those it has', async () => {
    let broken = false;
    const app = open('/agent', ({ path }) =>
      broken && path === '/api/agent/self/earnings' ? refuse('数据库错误', 500) : undefined,
    );
    await screen.findByRole('slider', { name: '选择日期' });
    broken = true;
    await app.readAgain();
    expect((await screen.findByRole('alert')).textContent).toContain('request-1');
    const [fault, bars] = [screen.getByRole('alert'), screen.getByRole('slider', { name: '选择日期' })];
    expect(fault.compareDocumentPosition(bars) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
    broken = false;
    await app.user.click(within(fault).getByRole('button', { name: '重试' }));
    await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
  });

  it('that is suspended keeps its balance and neither invites nor withdraws', async () => {
    open('/agent', as(agencyOf({ status: 3 })));
    expect(await screen.findByText(/您的代理资格已停用/)).toBeTruthy();
    expect(screen.getByRole<HTMLButtonElement>('button', { name: '申请提现' }).disabled).toBe(true);
    expect(screen.queryByLabelText('邀请链接')).toBeNull();
  });

  it('asks for money with what it will bring, after a question', async () => {
    const app = open('/agent');
    await app.user.click(await enabledButton('申请提现'));
    const form = within(await screen.findByRole('dialog', { name: '申请提现' }));
    expect(((await form.findByLabelText(/收款账号/)) as HTMLInputElement).value).toBe('lihua@example.com');
    await waitFor(() => expect(document.activeElement).toBe(form.getByLabelText(/提现金额/)));
    await app.user.keyboard('200');
    expect(await form.findByText(/实际到账 ¥198.00，手续费 ¥2.00/)).toBeTruthy();
    await app.user.click(form.getByRole('button', { name: '申请提现' }));
    const sure = within(await screen.findByRole('dialog', { name: '申请提现 ¥200.00？' }));
    expect(sure.getByText(/实际到账 ¥198.00，支付宝：李华 lihua@example.com/)).toBeTruthy();
    expect(app.sent('POST', '/api/agent/self/withdrawals')).toEqual([]);
    await app.user.click(sure.getByRole('button', { name: '申请提现' }));
    await seeNotice('提现申请已提交');
    expect(app.sent('POST', '/api/agent/self/withdrawals')).toEqual([
      {
        ...{ amount: 20_000, method: 'alipay', payee_name: '李华', payee_account: 'lihua@example.com' },
        ...{ bank_name: '', remark: '' },
      },
    ]);
  });

  it('turns money into quota without a payee', async () => {
    const app = open('/agent', ({ method, path }) => {
      if (path.endsWith('/quote')) return ok({ amount: 73_000, fee: 0, net: 73_000, quota: 50_000_000 });
      return method === 'POST' && path === '/api/agent/self/withdrawals'
        ? ok({ ...withdrawals[3], quota: 50_000_000 })
        : undefined;
    });
    await app.user.click(await enabledButton('兑换额度'));
    const form = within(await screen.findByRole('dialog', { name: '兑换额度' }));
    expect(form.queryByLabelText(/收款人/)).toBeNull();
    await app.user.type(form.getByLabelText(/提现金额/), '730');
    expect(await form.findByText(/可兑换 \$100.0000 额度/)).toBeTruthy();
    await app.user.click(form.getByRole('button', { name: '兑换额度' }));
    const sure = await screen.findByRole('dialog', { name: '将 ¥730.00 兑换为 $100.0000 额度？' });
    await app.user.click(within(sure).getByRole('button', { name: '兑换额度' }));
    await seeNotice('已兑换 $100.0000 额度');
    expect(app.sent('POST', '/api/agent/self/withdrawals')).toMatchObject([{ amount: 73_000, method: 'quota', payee_name: '' }]);
  });
});

describe('the records of an agent', () => {
  it('show what was taken back of a dividend', async () => {
    open('/agent/dividends');
    const row = await rowOf('¥5.16');
    expect(row.querySelector('s')?.textContent).toBe('¥7.30');
    expect((await rowOf('已撤销')).textContent).toContain('¥0.00');
  });

  it('let one cancel what nobody deals with yet, after a question', async () => {
    const app = open('/agent/withdrawals');
    await app.user.click(within(await rowOf('待处理')).getByRole('button', { name: '取消提现' }));
    const sure = await screen.findByRole('dialog', { name: '取消这笔 ¥300.00 的提现申请？' });
    await app.user.click(within(sure).getByRole('button', { name: '取消提现' }));
    await seeNotice('已取消，金额已退回余额');
    expect(app.sent('POST', '/api/agent/self/withdrawals/5/cancel')).toHaveLength(1);
    expect(within(await rowOf('已打款')).queryByRole('button', { name: '取消提现' })).toBeNull();
  });

  it('lead whoever is no agent to the application', async () => {
    open('/agent/dividends', as(null));
    expect(await screen.findByText('您还不是代理商')).toBeTruthy();
  });

  it('are narrowed by the address', async () => {
    const app = open('/agent/dividends?status=1&from=1700000000');
    await screen.findByRole('table');
    const asked = app.calls.find(({ path }) => path === '/api/agent/self/dividends');
    expect(asked?.query).toMatchObject({ status: '1', start_timestamp: '1700000000' });
  });
});
