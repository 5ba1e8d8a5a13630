import type { AgentSelf, Redemption } from '@tollgate/contract';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Browser, chromiumPath, openBrowser } from './support/browser.ts';
import { type Console, signIn } from './support/console-client.ts';
import { faultsInBothThemes, scrollsSideways, signInAsRoot } from './support/console-walk.ts';
import { furnish } from './support/furnished.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import { type Keyboard, keyboardOf } from './support/keyboard.ts';
import { settled } from './support/settled.ts';
import { type Epay, type EpayForm, startEpay } from './support/stand-ins/epay.ts';
import { tabFaults } from './support/tab-walk.ts';
import { startTaskUpstream, type TaskUpstream } from './support/task-upstream.ts';
import { eventually } from './support/wait.ts';

const [pid, secret] = ['1001', 'epay-merchant-secret'];
const password = 'correct-horse-9';
const maturingMs = 20_000;
const maxWalkMs = 120_000;
const wide = { width: 1440, height: 900 };
const phone = { width: 390, height: 844 };

/** What opens over a page: where, by which buttons one after the other, and as what. */
const opening: readonly (readonly [place: string, buttons: readonly string[], opened: 'menu' | 'dialog'])[] = [
  ['/token', ['语言'], 'menu'],
  ['/token', ['主题'], 'menu'],
  ['/token', ['命令面板（Ctrl/⌘ K）'], 'dialog'],
  ['/token', ['添加令牌'], 'dialog'],
  ['/token', ['如何使用'], 'dialog'],
  ['/channel', ['添加渠道'], 'dialog'],
  ['/channel', ['更多操作'], 'menu'],
  ['/redemption', ['添加兑换码'], 'dialog'],
  ['/user', ['添加用户'], 'dialog'],
  ['/log', ['选择列'], 'menu'],
  ['/log', ['导出'], 'menu'],
  ['/playground', ['查看代码'], 'dialog'],
  ['/topup', ['支付宝'], 'dialog'],
  ['/topup', ['划转到余额'], 'dialog'],
  ['/agent', ['申请提现'], 'dialog'],
  ['/agent', ['兑换额度'], 'dialog'],
  ['/setting?tab=operation', ['阶梯价格', '添加阶梯价格'], 'dialog'],
];

describe.skipIf(chromiumPath === undefined)('what opens over a page', () => {
  let upstream: TaskUpstream;
  let epay: Epay;
  let gateway: Gateway;
  let root: Console;
  let browser: Browser;
  let page: Page;
  /** What was opened last is gone as it should be. */
  let isClosed = false;

  /** Somebody comes by root's link and pays, which root is rewarded for as who invited and as an agent. */
  const earn = async () => {
    const options = {
      ...{ ServerAddress: gateway.url, PayAddress: epay.origin, EpayId: pid, EpayKey: secret, Price: 7.3 },
      ...{ QuotaForInviter: 1_000_000, AgentMatureDays: 0, AgentMinWithdraw: 1 },
    };
    for (const [key, value] of Object.entries(options)) await root.setOption(key, value);
    const aff_code = await root.call<string>('GET', '/api/user/aff');
    await root.raw('POST', '/api/user/register', { username: 'payer', password, aff_code });
    const payer = await signIn(gateway.url, 'payer', password);
    const { body } = await payer.raw('POST', '/api/user/pay', { amount: 100, payment_method: 'alipay' });
    expect((await epay.notify((body as unknown as { data: EpayForm }).data)).text).toBe('success');
    await eventually(async () => {
      expect((await root.call<AgentSelf>('GET', '/api/agent/self')).balance).toBeGreaterThan(0);
    }, maturingMs);
  };
  beforeAll(async () => {
    upstream = await startTaskUpstream();
    epay = await startEpay(pid, secret);
    gateway = await startGateway({ TASK_POLL_SECONDS: '0.2', AGENT_MATURE_SECONDS: '1' });
    root = await gateway.root();
    await furnish(gateway.url, root, upstream);
    await earn();
    browser = await openBrowser(gateway.url);
    page = await browser.page();
    await signInAsRoot(page, gateway.url);
  });
  afterAll(async () => {
    expect(browser?.faults).toEqual([]);
    await browser?.close();
    await gateway?.stop();
    await epay?.close();
    await upstream?.close();
  });

  /** By its address first and after a failed walk, otherwise within the console: a fifth of the work. */
  const open = async (place: string, size: typeof wide): Promise<Keyboard> => {
    const url = gateway.url + place;
    await page.setViewportSize(size);
    if (isClosed) await page.evaluate(`history.pushState({}, '', ${JSON.stringify(url)})`);
    else await page.goto(url, { waitUntil: 'load' });
    isClosed = false;
    await settled(page);
    return keyboardOf(page);
  };
  /** Serious faults of what stands open, light and dark, and whether it is wider than the window. */
  const faults = async (): Promise<string[]> => [
    ...((await scrollsSideways(page)) ? ['scrolls sideways'] : []),
    ...(await faultsInBothThemes(page)),
  ];
  /** What has opened takes the focus, is usable in both themes and by keyboard, and Escape closes it. */
  const walk = async (opened: 'menu' | 'dialog') => {
    await page.getByRole(opened).first().waitFor();
    await expect.poll(() => page.evaluate(`document.activeElement.closest('[role=${opened}]') !== null`)).toBe(true);
    await settled(page);
    if (opened === 'dialog') expect(await tabFaults(page)).toEqual([]);
    expect(await faults()).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole(opened).first().waitFor({ state: 'detached' });
    isClosed = true;
  };

  for (const [place, buttons, opened] of opening) {
    test(`by keyboard: ${buttons.join(', ')} on ${place}, and Escape leads back`, { timeout: maxWalkMs }, async () => {
      const keyboard = await open(place, wide);
      for (const button of buttons) await keyboard.press(button);
      await walk(opened);
      await keyboard.has(buttons.at(-1) ?? '');
    });
  }

  test('by keyboard: a code is redeemed, and what it brought is said', { timeout: maxWalkMs }, async () => {
    const [{ key = '' } = {}] = await root.call<Redemption[]>('GET', '/api/redemption/?p=0&page_size=10');
    const keyboard = await open('/topup', wide);
    // The menu has an entry of the same name.
    await page.getByRole('textbox', { name: '兑换码', exact: true }).focus();
    await page.keyboard.type(key);
    await page.keyboard.press('Enter');
    await walk('dialog');
    await keyboard.has('兑换码');
  });

  for (const [place, buttons, opened] of opening) {
    if (opened === 'dialog')
      test(`on a phone: ${buttons.join(', ')} on ${place}`, { timeout: maxWalkMs }, async () => {
        const keyboard = await open(place, phone);
        for (const button of buttons) await keyboard.press(button);
        await walk(opened);
      });
  }
});
