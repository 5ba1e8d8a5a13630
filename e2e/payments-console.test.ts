import type { InboxEntry, PageOf } from '@tollgate/contract';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath } from './support/browser.ts';
import { type Console, signIn } from './support/console-client.ts';
import { accessibilityFaults, copied, faultsInBothThemes, rowOf, scrollsSideways, seeNotice } from './support/console-walk.ts';
import type { Gateway } from './support/gateway.ts';
import { openAsRoot, type RootInBrowser } from './support/root-in-browser.ts';
import { settled } from './support/settled.ts';
import { type Epay, type EpayForm, startEpay } from './support/stand-ins/epay.ts';

const pid = '1001';
const secret = 'epay-merchant-secret';
const dollar = 500_000;

describe.skipIf(chromiumPath === undefined)('payments of everybody in a browser', () => {
  let gateway: Gateway;
  let epay: Epay;
  let root: Console;
  let payer: Console;
  let page: Page;
  let shown: RootInBrowser;
  const orders: EpayForm[] = [];

  beforeAll(async () => {
    epay = await startEpay(pid, secret);
    const options = { PayAddress: epay.origin, EpayId: pid, EpayKey: secret, Price: 7.3 };
    shown = await openAsRoot({
      async prepare(console, { url }) {
        for (const [key, value] of Object.entries({ ServerAddress: url, ...options })) await console.setOption(key, value);
      },
    });
    ({ gateway, root, page } = shown);
    await root.raw('POST', '/api/user/register', { username: 'payer', password: 'payer-password' });
    payer = await signIn(gateway.url, 'payer', 'payer-password');
    for (const amount of [10, 20, 30]) {
      const { body } = await payer.raw('POST', '/api/user/pay', { amount, payment_method: 'alipay' });
      orders.push((body as unknown as { data: EpayForm }).data);
    }
    const [paid = {}, short = {}, other = {}] = orders;
    await epay.notify(paid);
    await epay.notify(short, { fields: { money: '73.00' } });
    await epay.notify(other, { fields: { out_trade_no: 'USR9NOstranger1' } });
  });
  afterAll(async () => {
    await shown.close();
    await epay.close();
  });

  const number = (index: number): string => orders[index]?.out_trade_no ?? '';
  const quota = async (): Promise<number> => (await payer.self()).quota;
  const unmatched = async (): Promise<InboxEntry[]> =>
    (await root.call<PageOf<InboxEntry>>('GET', '/api/payment/unmatched')).items;
  const open = async (path: string) => {
    await page.goto(gateway.url + path);
    await page.locator('h1').waitFor();
    await page.getByRole('table').waitFor();
  };
  const dialog = (name: string | RegExp) => page.getByRole('dialog', { name });

  test('orders are found by user, number and state, and lead to their user', async () => {
    await page.getByRole('link', { name: '充值管理' }).click();
    await rowOf(page, number(0)).getByText('已到账').waitFor();
    await page.getByRole('searchbox', { name: '订单号' }).fill(number(2));
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByRole('table', { name: '全部订单' }).getByRole('row').count()).toBe(2);
    expect(await rowOf(page, number(2)).textContent()).toContain('¥219.00');
    await rowOf(page, number(2)).getByRole('button', { name: '复制订单号' }).click();
    await expect.poll(() => copied(page)).toBe(number(2));
    await rowOf(page, number(2)).getByRole('link', { name: 'payer' }).click();
    await page.waitForURL(/\/user\/edit\/\d+$/);
  });

  test('a payment of too little money is credited in proportion, to the user of its order, once', async () => {
    const before = await quota();
    await open('/payment?tab=unmatched');
    await page.getByRole('link', { name: '待认领付款（2）' }).waitFor();
    await rowOf(page, '金额不符').getByRole('button', { name: '入账' }).click();
    const form = dialog('为付款 ¥73.00 入账');
    await form.getByText(/订单属于 payer/).waitFor();
    await expect.poll(() => form.getByLabel('入账额度').inputValue()).toBe('10');
    await form.getByText(/payer（#\d+），余额/).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await form.getByRole('button', { name: '入账' }).click();
    await dialog(/^给 payer/)
      .getByRole('button', { name: '入账' })
      .click();
    await seeNotice(page, /已给 payer .* 入账 \$10/);
    expect((await quota()) - before).toBe(10 * dollar);
    await page.getByRole('link', { name: '待认领付款（1）' }).waitFor();
    await epay.notify(orders[1] ?? {}, { fields: { money: '73.00' } });
    expect((await quota()) - before).toBe(10 * dollar);
    expect(await unmatched()).toHaveLength(1);
  });

  test('a payment of an unknown order is given to the user whose name is typed in full', async () => {
    const before = await quota();
    await open('/payment?tab=unmatched');
    await rowOf(page, '找不到订单').getByRole('button', { name: '入账' }).click();
    const form = dialog('为付款 ¥219.00 入账');
    await form.getByText(/没有这个订单号的订单/).waitFor();
    await form.getByLabel('入账用户').fill('pay');
    await form.getByText('没有这个用户').waitFor();
    await form.getByLabel('入账用户').fill('payer');
    await form.getByText(/payer（#\d+），余额/).waitFor();
    await form.getByLabel('入账额度').fill('30');
    await page.keyboard.press('Enter');
    await dialog(/^给 payer/)
      .getByRole('button', { name: '入账' })
      .click();
    await page.getByText('没有待认领的付款').waitFor();
    expect((await quota()) - before).toBe(30 * dollar);
    expect(await root.call('GET', '/api/ledger/proof')).toMatchObject({ ok: true });
  });

  test('a notice that was not believed for a wrong setting is judged again once that is mended', async () => {
    await root.setOption('EpayKey', 'a-mistyped-key');
    expect((await epay.notify(orders[2] ?? {})).text).toBe('fail');
    await root.setOption('EpayKey', secret);
    const before = await quota();
    await open('/payment?tab=inbox');
    await page.getByRole('combobox', { name: '全部结果' }).selectOption({ label: '签名无效' });
    // Until then the rows are those of before.
    await settled(page);
    await rowOf(page, '签名无效').getByRole('button', { name: '详情' }).click();
    await page.getByText('"TRADE_SUCCESS"').waitFor();
    await rowOf(page, '签名无效').getByRole('button', { name: '重新处理' }).click();
    await dialog('重新处理这条支付通知？').getByRole('button', { name: '重新处理' }).click();
    await seeNotice(page, '处理结果：已入账');
    expect((await quota()) - before).toBe(30 * dollar);
    await page.getByText('没有符合条件的记录').waitFor();
  });

  test('the pages fit a phone, in both themes, without faults', async () => {
    await page.setViewportSize({ width: 360, height: 780 });
    for (const tab of ['orders', 'inbox', 'unmatched']) {
      await page.goto(`${gateway.url}/payment?tab=${tab}`);
      await settled(page);
      expect({ tab, wide: await scrollsSideways(page) }).toEqual({ tab, wide: false });
      expect({ tab, faults: await faultsInBothThemes(page) }).toEqual({ tab, faults: [] });
    }
  });

  test('the open part stands whole in a line that is too narrow for all of them', async () => {
    await page.evaluate("localStorage.setItem('i18nextLng', 'en')");
    await page.setViewportSize({ width: 360, height: 780 });
    await page.goto(`${gateway.url}/payment?tab=unmatched`);
    await settled(page);
    const { x = 0, width = 360 } = (await page.getByRole('link', { name: /^Unmatched payments/ }).boundingBox()) ?? {};
    expect(x + width).toBeLessThanOrEqual(360);
    await page.evaluate("localStorage.setItem('i18nextLng', 'zh')");
  });

  test('an administrator sees orders only; what services said stays with root', async () => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await root.call('POST', '/api/user', { username: 'clerk', password: 'clerk-password', display_name: '', role: 10 });
    await page.context().clearCookies();
    await page.evaluate('localStorage.removeItem("user")');
    await page.goto(`${gateway.url}/login?redirect=/payment?tab=inbox`);
    await page.getByLabel('用户名或邮箱').fill('clerk');
    await page.getByLabel('密码', { exact: true }).fill('clerk-password');
    await page.getByRole('main').getByRole('button', { name: '登录', exact: true }).click();
    await rowOf(page, number(0)).waitFor();
    expect(await page.getByRole('navigation', { name: '充值管理' }).count()).toBe(0);
  });
});
