import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Browser, chromiumPath, openBrowser } from './support/browser.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import { telegramLogin } from './support/stand-ins/telegram.ts';

const botToken = '42:token-of-the-bot';
const password = 'correct-horse-9';

describe.skipIf(chromiumPath === undefined)("the messenger's login frame in a browser", () => {
  let gateway: Gateway;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    gateway = await startGateway();
    const root = await gateway.root();
    const options = { TelegramBotToken: botToken, TelegramBotName: 'gate_bot', TelegramOAuthEnabled: true };
    for (const [key, value] of Object.entries(options)) await root.setOption(key, value);
    await root.call('POST', '/api/user/', { username: 'messenger', password });
    browser = await openBrowser(gateway.url);
    // What the messenger's page does once its user agreed; each set of signed fields is good once.
    let count = 0;
    await browser.context.route('https://oauth.telegram.org/**', (route) => {
      count += 1;
      const fields = telegramLogin(botToken, { id: 777, first_name: `Li ${count}`, auth_date: Math.floor(Date.now() / 1000) });
      const message = JSON.stringify({ event: 'auth_user', auth_data: Object.fromEntries(fields) });
      const script = `parent.postMessage(${JSON.stringify(message)}, '*')`;
      return route.fulfill({
        contentType: 'text/html',
        body: `<button onclick='${script.replaceAll("'", '&#39;')}'>Log in</button>`,
      });
    });
    page = await browser.page();
  });
  afterAll(async () => {
    await browser.close();
    await gateway.stop();
  });

  const agree = () => page.frameLocator('iframe').getByRole('button', { name: 'Log in' }).click();

  test('refuses an account that nobody bound, binds it, and then signs in with it', async () => {
    await page.goto(`${gateway.url}/login`);
    await agree();
    await page.getByText('该 Telegram 账户未绑定').waitFor();

    await page.getByLabel('用户名或邮箱').fill('messenger');
    await page.getByLabel('密码', { exact: true }).fill(password);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/token');
    await page.goto(`${gateway.url}/setting?tab=personal`);
    await page.getByRole('button', { name: '绑定 Telegram' }).click();
    await agree();
    await page.getByText('Telegram 账户绑定成功！').waitFor();

    await page.getByRole('button', { name: '用户菜单：messenger' }).click();
    await page.getByRole('menuitem', { name: '退出登录' }).click();
    await page.waitForURL('**/login');
    await agree();
    await page.waitForURL(`${gateway.url}/`);
    await page.getByRole('button', { name: '用户菜单：messenger' }).waitFor();
    expect(browser.faults).toEqual([]);
  });
});
