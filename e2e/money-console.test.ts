import { readFile } from 'node:fs/promises';
import type { Redemption, Token } from '@tollgate/contract';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Browser, chromiumPath } from './support/browser.ts';
import type { Console } from './support/console-client.ts';
import { accessibilityFaults, copied, faultsInBothThemes, rowOf, scrollsSideways, seeNotice } from './support/console-walk.ts';
import type { Gateway } from './support/gateway.ts';
import { openAsRoot, type RootInBrowser } from './support/root-in-browser.ts';
import { settled } from './support/settled.ts';
import { type Epay, startEpay } from './support/stand-ins/epay.ts';

const pid = '1001';
const secret = 'epay-merchant-secret';
const dollar = 500_000;

describe.skipIf(chromiumPath === undefined)('money in a browser', () => {
  let gateway: Gateway;
  let epay: Epay;
  let root: Console;
  let browser: Browser;
  let page: Page;
  let shown: RootInBrowser;

  beforeAll(async () => {
    epay = await startEpay(pid, secret);
    const options = { PayAddress: epay.origin, EpayId: pid, EpayKey: secret, Price: 7.3, MinTopUp: 5 };
    shown = await openAsRoot({
      async prepare(console, { url }) {
        for (const [key, value] of Object.entries({ ServerAddress: url, ...options })) await console.setOption(key, value);
      },
    });
    ({ gateway, root, browser, page } = shown);
    // The payment page is the one other place that a wallet sends people to.
    await browser.play(epay.origin);
  });
  afterAll(async () => {
    await shown.close();
    await epay.close();
  });

  const open = async (path: string) => {
    await page.goto(gateway.url + path);
    // Under an open drawer the heading is hidden from everybody but the eye.
    await page.locator('h1').waitFor();
  };
  test('twenty tokens are made in one go and copied in one go', async () => {
    await open('/token/add');
    const drawer = page.getByRole('dialog', { name: '添加令牌' });
    await drawer.getByLabel(/^名称/).fill('batch');
    await drawer.getByRole('button', { name: '20', exact: true }).click();
    await drawer.getByRole('button', { name: '高级设置' }).click();
    await drawer.getByLabel('每分钟请求数').fill('60');
    await drawer.getByRole('button', { name: '创建令牌' }).click();
    await seeNotice(page, '令牌创建成功，请在列表页面点击复制获取令牌！');
    await page.waitForURL(/\/token$/);
    await open('/token?size=50');
    await rowOf(page, 'batch').waitFor();
    await page.getByRole('columnheader').getByRole('checkbox').click();
    await page.getByRole('button', { name: '复制所选令牌（20）' }).click();
    await seeNotice(page, '已复制到剪贴板！');
    const tokens = await root.call<Token[]>('GET', '/api/token/?p=0&size=100');
    expect(tokens.map(({ rpm }) => rpm)).toEqual(Array(20).fill(60));
    const lines = tokens.map(({ name, key }) => `${name}    sk-${key}`).sort();
    await expect.poll(async () => (await copied(page)).split('\n').sort()).toEqual(lines);
  });

  test('a token gets a new key in place, and tells how it is used', async () => {
    await root.addToken({ name: 'rotated', rpm: 7 });
    const before = (await root.call<Token[]>('GET', '/api/token/?p=0&size=1'))[0];
    await open('/token');
    await rowOf(page, 'rotated').getByRole('button', { name: '更多操作' }).click();
    await page.getByRole('menuitem', { name: '更换密钥' }).click();
    await page.getByRole('dialog').getByRole('button', { name: '更换密钥' }).click();
    const key = await page.getByRole('dialog', { name: '更换密钥' }).getByLabel('新密钥').inputValue();
    const after = await root.call<Token>('GET', `/api/token/${before?.id}`);
    expect(key).toBe(`sk-${after.key}`);
    expect(after.key).not.toBe(before?.key);
    await page.getByRole('dialog').getByRole('button', { name: '关闭' }).last().click();
    await rowOf(page, 'rotated').getByRole('link', { name: '如何使用' }).click();
    const dialog = page.getByRole('dialog', { name: '如何使用「rotated」' });
    await dialog.getByRole('button', { name: 'Anthropic' }).click();
    await dialog.getByRole('button', { name: 'Python' }).click();
    await dialog.getByRole('button', { name: '复制示例' }).click();
    await dialog.getByText('令牌 · 每分钟请求数').waitFor();
    await dialog.getByText('剩余 7 / 7').waitFor();
    await expect.poll(() => copied(page)).toContain(`Anthropic(base_url="${gateway.url}", api_key="${key}")`);
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test('a hundred codes are made and saved; one of them is redeemed', async () => {
    await open('/redemption/add');
    const drawer = page.getByRole('dialog', { name: '添加兑换码' });
    await drawer.getByLabel('名称').fill('活动');
    await drawer.getByRole('button', { name: '$10', exact: true }).click();
    await drawer.getByRole('button', { name: '100', exact: true }).click();
    await drawer.getByRole('button', { name: '生成兑换码' }).click();
    const created = page.getByRole('dialog', { name: '兑换码创建成功！' });
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      created.getByRole('button', { name: '下载文本文件' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('活动.txt');
    const codes = (await readFile(await download.path(), 'utf8')).trim().split('\n');
    const stored = await root.call<Redemption[]>('GET', '/api/redemption/?p=0&page_size=100');
    expect([...codes].sort()).toEqual(stored.map(({ key }) => key).sort());
    expect(new Set(codes).size).toBe(100);
    await created.getByRole('button', { name: '关闭' }).click();
    await rowOf(page, '活动').getByRole('button', { name: '禁用' }).click();
    await rowOf(page, '活动').getByText('已禁用').waitFor();

    const before = (await root.self()).quota;
    await open('/topup');
    await page.getByRole('button', { name: '兑换', exact: true }).click();
    await page.getByText('请输入兑换码！').waitFor();
    const unused = stored.at(-1)?.key ?? '';
    await page.getByLabel('兑换码', { exact: true }).fill(unused);
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: '兑换成功！' });
    await dialog.getByText('成功兑换额度：$10.00').waitFor();
    expect((await root.self()).quota - before).toBe(10 * dollar);
    await dialog.getByRole('button', { name: '关闭' }).last().click();
    await page.getByLabel('兑换码', { exact: true }).fill(unused);
    await page.keyboard.press('Enter');
    await page.getByText('兑换失败，该兑换码已被使用：是您自己兑换的，额度已经到账').waitFor();

    // One was switched off before, one was redeemed.
    await open('/redemption?keyword=活动&size=100');
    await page.getByRole('checkbox').first().check();
    await page.getByRole('region', { name: '批量操作' }).getByRole('button', { name: '禁用' }).click();
    await page.getByRole('dialog', { name: '禁用所选的 98 个？' }).getByRole('button', { name: '禁用' }).click();
    await seeNotice(page, '操作成功');
    const rests = await root.call<Redemption[]>('GET', '/api/redemption/?p=0&page_size=100');
    expect([1, 2, 3].map((wanted) => rests.filter(({ status }) => status === wanted).length)).toEqual([0, 99, 1]);
  });

  test('a top-up is paid at the gateway and found in the records', async () => {
    const before = (await root.self()).quota;
    await open('/topup');
    await page.getByLabel('充值数量').fill('4');
    await page.getByRole('button', { name: '支付宝' }).click();
    await page.getByText('充值数量不能小于 5').waitFor();
    await page.getByLabel('充值数量').fill('20');
    await page.getByText('¥146.00').waitFor();
    await page.getByRole('button', { name: '支付宝' }).click();
    const dialog = page.getByRole('dialog', { name: '确定充值？' });
    await dialog.getByText('¥146.00').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    const [payment] = await Promise.all([
      browser.context.waitForEvent('page'),
      dialog.getByRole('button', { name: '去支付' }).click(),
    ]);
    await payment.getByText('146.00').waitFor();
    const [order] = epay.opened;
    expect(order).toMatchObject({ pid, type: 'alipay', money: '146.00', name: 'TUC20' });
    await open('/topup/records');
    await rowOf(page, order?.out_trade_no ?? '')
      .getByText('待支付')
      .waitFor();

    expect(await epay.notify(order ?? {})).toEqual({ status: 200, text: 'success' });
    await payment.goto(order?.return_url ?? '');
    await payment.getByRole('heading', { level: 1 }).waitFor();
    expect(new URL(payment.url()).pathname).toBe('/log');
    await payment.close();
    await page.getByRole('button', { name: '刷新' }).click();
    await rowOf(page, order?.out_trade_no ?? '')
      .getByText('已到账')
      .waitFor();
    expect((await root.self()).quota - before).toBe(20 * dollar);
  });

  test('every page of money fits a phone, in both themes, without faults', async () => {
    await page.setViewportSize({ width: 360, height: 780 });
    for (const path of ['/token', '/token/add', '/redemption', '/redemption/add', '/topup', '/topup/records', '/aff/records']) {
      await open(path);
      await settled(page);
      expect({ path, wide: await scrollsSideways(page) }).toEqual({ path, wide: false });
      const balance = page.locator('header').first().locator('.truncate', { hasText: '$' });
      expect({ path, cut: await balance.evaluate((it) => it.scrollWidth > it.clientWidth) }).toEqual({ path, cut: false });
      expect({ path, faults: await faultsInBothThemes(page) }).toEqual({ path, faults: [] });
    }
  });

  test.each([
    { quota: 2160, text: '$0.004320' },
    { quota: 617_283_945_000, text: '$1,234,568' },
  ])('a balance of $text stands whole above a page of the smallest phone', async ({ quota, text }) => {
    await page.setViewportSize({ width: 360, height: 780 });
    await page.route('**/api/user/self', async (route) => {
      const response = await route.fetch();
      const answer = (await response.json()) as { data: object };
      await route.fulfill({ response, json: { ...answer, data: { ...answer.data, quota } } });
    });
    await open('/token');
    const balance = page.locator('header').first().locator('.truncate', { hasText: text });
    expect(await balance.evaluate((it) => it.scrollWidth - it.clientWidth)).toBe(0);
    await page.unroute('**/api/user/self');
  });
});
