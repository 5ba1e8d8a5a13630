import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { AgentDividend, AgentSelf, AgentWithdrawal, PageOf, TopupOrder } from '@tollgate/contract';
import Sqlite from 'better-sqlite3';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Browser, chromiumPath, openBrowser } from './support/browser.ts';
import { type Console, signIn } from './support/console-client.ts';
import { accessibilityFaults, copied, rowOf, scrollsSideways, seeNotice, signInAsRoot } from './support/console-walk.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import { keyboardOf } from './support/keyboard.ts';
import { settled } from './support/settled.ts';
import { type Epay, type EpayForm, startEpay } from './support/stand-ins/epay.ts';

const pid = '1001';
const secret = 'epay-merchant-secret';
const password = 'reseller-password';
/** The job's period is a second. */
const maturingMs = 10_000;
const maxWalkMs = 120_000;

describe.skipIf(chromiumPath === undefined)("an agent's day in a browser", () => {
  let gateway: Gateway;
  let epay: Epay;
  let root: Console;
  let agent: Console;
  let customer: Console;
  let browsers: Browser[];
  /** What the agent sees, and what the administrator does. */
  let page: Page;
  let desk: Page;

  beforeAll(async () => {
    epay = await startEpay(pid, secret);
    gateway = await startGateway({ AGENT_MATURE_SECONDS: '1' });
    root = await gateway.root();
    const options = {
      ...{ ServerAddress: gateway.url, PayAddress: epay.origin, EpayId: pid, EpayKey: secret, Price: 7.3 },
      ...{ AgentEnabled: true, AgentMinWithdraw: 1000, AgentFeeRate: 0.01, AgentMaxPending: 2 },
    };
    for (const [key, value] of Object.entries(options)) await root.setOption(key, value);
    await root.raw('POST', '/api/user/register', { username: 'reseller', password });
    agent = await signIn(gateway.url, 'reseller', password);
    browsers = await Promise.all([openBrowser(gateway.url), openBrowser(gateway.url)]);
    const [own, office] = browsers;
    if (!own || !office) throw new Error('no browser');
    page = await own.page();
    desk = await office.page();
    await signInAsRoot(desk, gateway.url);
    await page.goto(`${gateway.url}/login`);
    await page.getByLabel('用户名或邮箱').fill('reseller');
    await page.getByLabel('密码', { exact: true }).fill(password);
    await page.getByRole('main').getByRole('button', { name: '登录', exact: true }).click();
    await page.waitForURL('**/token');
  });
  afterAll(async () => {
    for (const browser of browsers ?? []) {
      expect(browser.faults).toEqual([]);
      await browser.close();
    }
    await gateway?.stop();
    await epay?.close();
  });

  const open = async (where: Page, place: string) => {
    await where.goto(gateway.url + place);
    await where.locator('h1').waitFor();
  };
  const self = () => agent.call<AgentSelf>('GET', '/api/agent/self');
  const figure = (name: string) => page.locator('dl > div').filter({ hasText: name }).first();
  const pay = async (amount: number): Promise<EpayForm> => {
    const { body } = await customer.raw('POST', '/api/user/pay', { amount, payment_method: 'alipay' });
    const order = (body as unknown as { data: EpayForm }).data;
    expect((await epay.notify(order)).text).toBe('success');
    return order;
  };
  const saved = async (where: Page): Promise<string[][]> => {
    const [file] = await Promise.all([
      where.waitForEvent('download'),
      where.getByRole('button', { name: '导出 CSV' }).first().click(),
    ]);
    const text = await readFile(await file.path(), 'utf8');
    return text
      .replace('\uFEFF', '')
      .trim()
      .split(/\r?\n/)
      .map((line) => line.split(','));
  };
  const column = ([head = [], ...rows]: string[][], name: string) => rows.map((row) => row[head.indexOf(name)]);

  test('by keyboard alone: the application, which waits for a review', async () => {
    await page.getByRole('link', { name: '代理商信息' }).click();
    await page.getByRole('heading', { name: '申请成为代理商' }).waitFor();
    const keys = keyboardOf(page);
    await keys.press('提交申请');
    await page.getByText('请填写联系人').waitFor();
    await keys.fill(/^联系人/, '李华');
    await keys.fill('手机号', '13800000000');
    await keys.press('提交申请');
    await page.getByText('管理员审核后').waitFor();
    expect(await self()).toMatchObject({ status: 0, contact_name: '李华' });
  });

  test('an administrator reads it and approves with a rate of its own', async () => {
    await desk.getByRole('link', { name: '代理商管理' }).click();
    await desk.getByRole('link', { name: '代理商（1 个待审核）' }).waitFor();
    await rowOf(desk, 'reseller').getByRole('link', { name: '审核' }).click();
    const drawer = desk.getByRole('dialog', { name: '审核 reseller 的申请' });
    await drawer.getByText('13800000000').waitFor();
    await drawer.getByLabel('分红比例').fill('20');
    await drawer.getByRole('button', { name: '通过' }).click();
    await seeNotice(desk, 'reseller 已成为代理商');
    expect(await self()).toMatchObject({ status: 1, rate: 0.2 });
  });

  test('a customer comes by the link and pays: the dividend waits for its days', async () => {
    await open(page, '/agent');
    const field = page.getByLabel('邀请链接', { exact: true });
    await expect.poll(() => field.inputValue()).toMatch(new RegExp(`^${gateway.url}/register\\?aff=`));
    const link = await field.inputValue();
    await page.getByRole('button', { name: '复制邀请链接' }).click();
    await expect.poll(() => copied(page)).toBe(link);
    await page.getByRole('img', { name: '邀请链接的二维码' }).waitFor();
    const aff_code = new URL(link).searchParams.get('aff');
    await root.raw('POST', '/api/user/register', { username: 'wangfang', password, aff_code });
    customer = await signIn(gateway.url, 'wangfang', password);
    await pay(10);
    await open(page, '/agent');
    await figure('待结算').getByText('¥14.60').waitFor();
    const row = rowOf(page, 'w***g');
    await row.waitFor();
    expect(await row.textContent()).toContain('¥73.00');
    expect((await page.content()).includes('wangfang')).toBe(false);
    // The seven days are over now; the next round lets it mature.
    const database = new Sqlite(path.join(gateway.dataDir, 'tollgate.db'));
    database.prepare('UPDATE agent_dividend SET mature_at = created_at - 1').run();
    database.close();
  });

  test('money is asked for, claimed and paid; what is open can be taken back', async () => {
    await root.setOption('AgentMatureDays', 0);
    await pay(30);
    await open(page, '/agent');
    await page.getByRole('button', { name: '申请提现' }).click();
    const form = page.getByRole('dialog', { name: '申请提现', exact: true });
    await form.getByLabel('提现金额').fill('5');
    await form.getByLabel('收款人').fill('李华');
    await form.getByLabel('收款账号').fill('lihua@example.com');
    await form.getByText('提现金额不能小于 ¥10.00').waitFor();
    await form.getByLabel('提现金额').fill('30');
    await form.getByText('实际到账 ¥29.70，手续费 ¥0.30').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await form.getByRole('button', { name: '申请提现' }).click();
    await page.getByRole('dialog', { name: '申请提现 ¥30.00？' }).getByRole('button', { name: '申请提现' }).click();
    await seeNotice(page, '提现申请已提交');

    await open(desk, '/agent/manage');
    await desk.getByRole('link', { name: '提现审核（1）' }).click();
    await rowOf(desk, 'reseller').getByRole('button', { name: '领取' }).click();
    await seeNotice(desk, '已领取，其他管理员暂不能处理');
    await open(desk, '/agent/manage?tab=withdrawals&status=4');
    await rowOf(desk, 'reseller').getByRole('button', { name: '打款' }).click();
    const payout = desk.getByRole('dialog', { name: '向 reseller 打款 ¥29.70' });
    await payout.getByText('lihua@example.com').waitFor();
    expect(await accessibilityFaults(desk)).toEqual([]);
    await payout.getByLabel('打款凭证号').fill('T20261121');
    await payout.getByRole('button', { name: '确认已打款' }).click();
    await seeNotice(desk, '已标记为打款完成');

    await open(page, '/agent/withdrawals');
    await rowOf(page, '已打款').getByRole('button', { name: '详情' }).click();
    await page.getByText('T20261121').waitFor();
    await page.getByRole('button', { name: '申请提现' }).click();
    const again = page.getByRole('dialog', { name: '申请提现', exact: true });
    expect(await again.getByLabel('收款账号').inputValue()).toBe('lihua@example.com');
    await again.getByLabel('提现金额').fill('10');
    await again.getByRole('button', { name: '申请提现' }).click();
    await page.getByRole('dialog', { name: '申请提现 ¥10.00？' }).getByRole('button', { name: '申请提现' }).click();
    await rowOf(page, '待处理').getByRole('button', { name: '取消提现' }).click();
    await page.getByRole('dialog', { name: '取消这笔 ¥10.00 的提现申请？' }).getByRole('button', { name: '取消提现' }).click();
    await seeNotice(page, '已取消，金额已退回余额');
    expect(await self()).toMatchObject({ withdrawing: 0, total_withdrawn: 3000 });
  });

  test('money becomes quota of the own account', async () => {
    const before = (await agent.self()).quota;
    await open(page, '/agent');
    await page.getByRole('button', { name: '兑换额度' }).click();
    const form = page.getByRole('dialog', { name: '兑换额度', exact: true });
    await form.getByLabel('提现金额').fill('10.95');
    await form.getByText('可兑换 $1.5000 额度').waitFor();
    await form.getByRole('button', { name: '兑换额度' }).click();
    await page.getByRole('dialog', { name: '将 ¥10.95 兑换为 $1.5000 额度？' }).getByRole('button', { name: '兑换额度' }).click();
    await seeNotice(page, '已兑换 $1.5000 额度');
    expect((await agent.self()).quota - before).toBe(750_000);
  });

  test('an order that is taken back takes its dividend back, also below zero', async () => {
    const { items } = await root.call<PageOf<TopupOrder>>('GET', '/api/payment/orders?username=wangfang');
    const order = items.find(({ money }) => money === '219.00');
    await open(desk, '/payment');
    await rowOf(desk, order?.trade_no ?? '-')
      .getByRole('button', { name: '撤销订单' })
      .click();
    const dialog = desk.getByRole('dialog', { name: '撤销 wangfang 的订单 ¥219.00？' });
    await dialog.getByLabel('撤销原因').fill('已原路退款');
    await dialog.getByRole('button', { name: '撤销订单' }).click();
    await seeNotice(desk, /^订单已撤销，已收回额度 /);
    await open(page, '/agent');
    await page.getByText(/客户的付款被撤销，余额为负/).waitFor();
    expect(await page.getByRole('button', { name: '申请提现' }).isDisabled()).toBe(true);
    expect(await self()).toMatchObject({ total_reversed: 4380 });
  });

  test('what is mature can be withdrawn; pages, files and books agree', async () => {
    await expect.poll(async () => (await self()).pending, { timeout: maturingMs }).toBe(0);
    const { balance, pending, withdrawing, total_earned, total_withdrawn, total_reversed } = await self();
    expect({ balance, total_earned, total_withdrawn, total_reversed }).toEqual({
      ...{ balance: 1460 - 3000 - 1095, total_earned: 1460 + 4380, total_withdrawn: 3000 + 1095, total_reversed: 4380 },
    });
    expect(pending + balance + withdrawing + total_withdrawn + total_reversed).toBe(total_earned);
    expect(await root.call('GET', '/api/ledger/proof')).toMatchObject({ ok: true });

    await open(page, '/agent/dividends');
    await rowOf(page, '¥14.60').getByText('已结算').waitFor();
    await rowOf(page, '¥43.80').getByText('已撤销').waitFor();
    const dividends = await agent.call<PageOf<AgentDividend>>('GET', '/api/agent/self/dividends');
    expect(column(await saved(page), 'amount_cents')).toEqual(dividends.items.map(({ amount }) => String(amount)));
    await open(page, '/agent/withdrawals');
    const withdrawals = await agent.call<PageOf<AgentWithdrawal>>('GET', '/api/agent/self/withdrawals');
    const own = await saved(page);
    expect(column(own, 'amount_cents')).toEqual(withdrawals.items.map(({ amount }) => String(amount)));
    await open(desk, '/agent/manage?tab=withdrawals');
    const everybody = await saved(desk);
    expect(column(everybody, 'amount_cents')).toEqual(column(own, 'amount_cents'));
    expect(column(everybody, 'agent')).toEqual(Array(3).fill('reseller'));
    await open(desk, '/agent/manage?tab=dividends');
    await rowOf(desk, 'reseller').getByText('wangfang').waitFor();
  });

  test('suspended, an agent keeps the balance and earns nothing more', async () => {
    await open(desk, '/agent/manage');
    await rowOf(desk, 'reseller').getByRole('button', { name: '更多操作' }).click();
    await desk.getByRole('menuitem', { name: '停用代理资格' }).click();
    await desk.getByRole('dialog', { name: '停用 reseller 的代理资格？' }).getByRole('button', { name: '停用代理资格' }).click();
    await rowOf(desk, 'reseller').getByText('已停用').waitFor();
    const before = await self();
    await pay(10);
    expect(await self()).toMatchObject({ status: 3, balance: before.balance, total_earned: before.total_earned });
    await open(page, '/agent');
    await page.getByText(/您的代理资格已停用/).waitFor();
  });

  test('with all of this on them, the pages fit a phone and have no faults', { timeout: maxWalkMs }, async () => {
    const walk = async (where: Page, theme: string, places: readonly string[]) => {
      await where.setViewportSize({ width: 390, height: 844 });
      for (const place of places) {
        await open(where, place);
        await settled(where);
        await where.locator('html').evaluate((html, value) => html.setAttribute('data-theme', value), theme);
        expect({ place, wide: await scrollsSideways(where) }).toEqual({ place, wide: false });
        expect({ place, faults: await accessibilityFaults(where) }).toEqual({ place, faults: [] });
      }
    };
    const manage = '/agent/manage';
    await Promise.all([
      walk(page, 'dark', ['/agent?view=table', '/agent/dividends', '/agent/withdrawals']),
      walk(desk, 'light', [manage, `${manage}?tab=withdrawals`, `${manage}?tab=dividends`]),
    ]);
  });

  test('on a phone the figures of all agents keep their height when they arrive, in English too', async () => {
    await desk.setViewportSize({ width: 390, height: 844 });
    await desk.evaluate(`localStorage.setItem('i18nextLng', 'en')`);
    const arrival = Promise.withResolvers<void>();
    await desk.route('**/api/agent/summary', async (route) => {
      const answer = await route.fetch();
      const { data, ...envelope } = await answer.json();
      await arrival.promise;
      await route.fulfill({ response: answer, json: { ...envelope, data: { ...data, total_withdrawn: 123_456_789 } } });
    });
    await open(desk, '/agent/manage');
    const figures = desk.locator('main dl').first();
    await figures.getByText('Withdrawn in total …').waitFor();
    const before = await figures.boundingBox();
    arrival.resolve();
    await figures.getByText('¥1,234,567.89').waitFor();
    expect(await figures.boundingBox()).toEqual(before);
  });
});
