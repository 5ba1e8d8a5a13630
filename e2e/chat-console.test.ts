import path from 'node:path';
import type { Status, Token } from '@tollgate/contract';
import Sqlite from 'better-sqlite3';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Browser, chromiumPath, openBrowser } from './support/browser.ts';
import type { Console } from './support/console-client.ts';
import { accessibilityFaults, scrollsSideways, signInAsRoot } from './support/console-walk.ts';
import { type Gateway, startGateway } from './support/gateway.ts';

const host = 'chat.example.com';
const chats = [
  { 网页: `https://${host}/app/#/?settings={"key":"{key}","url":"{address}"}` },
  { 应用: 'ama://set-api-key?server={address}&key={key}' },
  { 漏出: `https://${host}/?key={key}#/` },
  { 明文: 'http://plain.example.com/#{key}' },
  { 自己: '/setting#{key}' },
];
const broken = '聊天链接配置错误，请联系管理员';

describe.skipIf(chromiumPath === undefined)('chat links in a browser', () => {
  let gateway: Gateway;
  let root: Console;
  let token: Token;
  let browser: Browser;
  let page: Page;
  /** What the chat site was asked for: without what stands behind #, as browsers send it. */
  const asked: string[] = [];

  beforeAll(async () => {
    gateway = await startGateway();
    root = await gateway.root();
    await root.addToken({ name: 'off', status: 2 });
    token = await root.addToken({ name: 'on' });
    const [off] = (await root.call<Token[]>('GET', '/api/token/?p=0&size=10')).filter(({ name }) => name === 'off');
    await root.call('PUT', '/api/token/?status_only=true', { id: off?.id, status: 2 });
    // As a version of before took them: now the server refuses some of these.
    await root.setOption('Chats', chats.slice(0, 2));
    const database = new Sqlite(path.join(gateway.dataDir, 'tollgate.db'));
    const stored = JSON.stringify([...chats.slice(0, 4), { 自己: `${gateway.url}/setting#{key}` }]);
    database.prepare('UPDATE "option" SET value = ? WHERE "key" = ?').run(stored, 'Chats');
    database.close();
    await root.setOption('ServerAddress', 'https://gate.example.com');
    browser = await openBrowser(gateway.url);
    await browser.play(`https://${host}`, (route) => {
      const { method, url, headers } = {
        method: route.request().method(),
        url: route.request().url(),
        headers: route.request().headers(),
      };
      asked.push(`${method} ${url.split('#')[0]} ${headers.referer ?? ''}`.trim());
      return route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>chat</title><p>a chat client</p>' });
    });
    page = await browser.page();
    await signInAsRoot(page, gateway.url);
  });
  afterAll(async () => {
    // Said by the browser where a frame was refused on purpose.
    expect(browser.faults.filter((fault) => !/frame-src.*new\.example\.com|new\.example\.com.*frame-src/s.test(fault))).toEqual(
      [],
    );
    await browser.close();
    await gateway.stop();
  });

  const open = (id: string | number) => page.goto(`${gateway.url}/chat/${id}`);
  const menu = () => page.getByRole('navigation', { name: '主菜单' });
  /** The status object with other fields, as a server of before could have stored them. */
  const withStatus = async (fields: { chats?: unknown; chat_link?: string; chat_link2?: string }, act: () => Promise<void>) => {
    await page.route('**/api/status', async (route) => {
      const { data } = (await (await route.fetch()).json()) as { data: Status };
      await route.fulfill({ json: { success: true, message: '', data: { ...data, ...fields } } });
    });
    try {
      await act();
    } finally {
      await page.unroute('**/api/status');
    }
  };

  test('the side menu lists every chat; each opens at its place', async () => {
    for (const [index, chat] of chats.entries()) {
      const link = menu().getByRole('link', { name: Object.keys(chat)[0] ?? '', exact: true });
      expect(await link.getAttribute('href')).toBe(`/chat/${index}`);
    }
    await menu().getByRole('link', { name: '网页', exact: true }).click();
    await page.waitForURL('**/chat/0');
    await page.goto(`${gateway.url}/chat`);
    await page.waitForURL('**/chat/0');
  });

  test('a chat stands in a sandboxed frame with the first key that works, behind # alone, and says who gets it', async () => {
    await open(0);
    const frame = page.getByTitle('网页', { exact: true });
    await page.frameLocator('iframe').getByText('a chat client').waitFor();
    const source = (await frame.getAttribute('src')) ?? '';
    const [before = '', behind = ''] = source.split('#');
    expect(before).toBe(`https://${host}/app/`);
    expect(behind).toContain(token.key);
    expect(behind).toContain(encodeURIComponent('https://gate.example.com'));
    const sandbox = ((await frame.getAttribute('sandbox')) ?? '').split(' ');
    expect(sandbox).toContain('allow-scripts');
    expect(sandbox.filter((word) => word.startsWith('allow-top-navigation'))).toEqual([]);
    expect(new Set(asked)).toEqual(new Set([`GET https://${host}/app/`]));
    await page.getByText(`聊天页面由 ${host} 提供，您的令牌会交给它使用。`).waitFor();
    const out = page.getByRole('link', { name: '在新窗口打开' });
    expect([await out.getAttribute('href'), await out.getAttribute('rel')]).toEqual([source, 'noopener noreferrer']);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await scrollsSideways(page)).toBe(false);
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  test('a site that was named after this page came is said not to be shown, and is after a reload', async () => {
    const page = await browser.page();
    const policy = async () => (await fetch(gateway.url)).headers.get('content-security-policy') ?? '';
    expect(await policy()).toContain(`frame-src 'self' https://${host} https://www.${host};`);
    await page.goto(`${gateway.url}/token`);
    const elsewhere = 'new.example.com';
    await browser.play(`https://${elsewhere}`, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>chat</title><p>a new chat client</p>' }),
    );
    await page.route('**/api/status', async (route) => {
      const { data } = (await (await route.fetch()).json()) as { data: Status };
      await route.fulfill({
        json: { success: true, message: '', data: { ...data, chats: [{ 新的: `https://${elsewhere}/#{key}` }] } },
      });
    });
    await page.goto(`${gateway.url}/chat/0`);
    await page.getByText(`此处未能显示 ${elsewhere}`).waitFor();
    await root.setOption('HomePageContent', `https://${elsewhere}/`);
    await page.getByRole('button', { name: '刷新' }).click();
    await page.frameLocator('iframe').getByText('a new chat client').waitFor();
    await root.setOption('HomePageContent', '');
    await page.close();
  });

  test('a link of an app has a button that the system opens; a page without TLS has a window of its own', async () => {
    await open(1);
    const button = page.getByRole('link', { name: '打开 应用' });
    const address = `ama://set-api-key?server=${encodeURIComponent('https://gate.example.com')}&key=${token.key}`;
    expect(await button.getAttribute('href')).toBe(address);
    await open(3);
    const out = page.getByRole('link', { name: '在新窗口打开' });
    expect(await out.getAttribute('href')).toBe(`http://plain.example.com/#${token.key}`);
    await page.getByText(/聊天页面由 plain\.example\.com 提供/).waitFor();
    expect(await page.locator('iframe').count()).toBe(0);
  });

  test('no page gets a key before the #, no page of this site stands in the frame, and no place is made up', async () => {
    const before = asked.length;
    const none = '页面不存在';
    for (const [id, said] of [
      [2, broken],
      [4, broken],
      [99, none],
      ['x', none],
      ['-1', none],
      ['0.5', none],
    ] as const) {
      await open(id);
      await page.getByText(said, { exact: true }).waitFor();
      expect(await page.locator('iframe').count()).toBe(0);
    }
    expect(asked.length).toBe(before);
  });

  test('/chat2link is the first of them in this window, else the single link, else says what is missing', async () => {
    await page.goto(`${gateway.url}/chat2link`);
    await page.waitForURL(`https://${host}/app/**`);
    expect(page.url()).toContain(token.key);
    expect(asked.at(-1)).toBe(`GET https://${host}/app/`);
    await withStatus({ chats: [{ 明文: 'http://plain.example.com/#{key}' }] }, async () => {
      await page.goto(`${gateway.url}/chat2link`);
      await page.waitForURL(`${gateway.url}/chat/0`);
      await page.getByText(/聊天页面由 plain\.example\.com 提供/).waitFor();
    });
    await withStatus({ chats: [], chat_link: `https://${host}/single#{key}` }, async () => {
      await page.goto(`${gateway.url}/chat2link`);
      await page.waitForURL(`https://${host}/single#${token.key}`);
    });
    await withStatus({ chats: [], chat_link: '', chat_link2: `https://${host}/second#{key}` }, async () => {
      await page.goto(`${gateway.url}/chat2link`);
      await page.waitForURL(`https://${host}/second#${token.key}`);
    });
    await withStatus({ chats: [], chat_link: '' }, async () => {
      await page.goto(`${gateway.url}/chat2link`);
      await page.getByText('请联系管理员配置聊天链接').waitFor();
    });
  });

  test('what cannot be read is said on the page, in the menu and at the token', async () => {
    for (const chatsOfBefore of ['{', { a: 'b' }, [{ a: 'b', c: 'd' }], [{ a: 1 }], [7]]) {
      await withStatus({ chats: chatsOfBefore }, async () => {
        await open(0);
        await page.getByText(broken).waitFor();
        await menu().getByText('聊天数据解析失败').waitFor();
      });
    }
    await withStatus({ chats: '{' }, async () => {
      await page.goto(`${gateway.url}/token`);
      await page.getByRole('button', { name: '聊天', exact: true }).first().press('Enter');
      await page.getByRole('region', { name: '通知' }).getByText(broken).waitFor();
    });
  });

  test('without a key that works the page says so, and leads to the tokens', async () => {
    await root.call('PUT', '/api/token/?status_only=true', { id: token.id, status: 2 });
    await open(0);
    const said = '当前没有可用的启用令牌，请确认是否有令牌处于启用状态！';
    await page.getByText(said).waitFor();
    expect(await page.locator('iframe').count()).toBe(0);
    await page.waitForURL('**/token');
    await page.goto(`${gateway.url}/chat2link`);
    await page.getByText(said).waitFor();
    await page.waitForURL('**/token');
  });
});
