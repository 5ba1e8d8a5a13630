import { createHmac } from 'node:crypto';
import type { Response as Answer, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Browser, chromiumPath, openBrowser } from './support/browser.ts';
import { type Console, signIn } from './support/console-client.ts';
import { faultsInBothThemes, rowOf, scrollsSideways } from './support/console-walk.ts';
import { type Gateway, rootPassword, startGateway } from './support/gateway.ts';
import { keyboardOf } from './support/keyboard.ts';
import { settled } from './support/settled.ts';
import { type GitHub, type GitHubUser, startGitHub } from './support/stand-ins/github.ts';
import { type SmtpSink, startSmtp } from './support/stand-ins/smtp.ts';
import { startTurnstile, type Turnstile } from './support/stand-ins/turnstile.ts';

const client = { id: 'client-1', secret: 'secret-of-the-client' };
const turnstileSecret = 'secret-of-the-check';
const password = 'correct-horse-9';

/** The six digits that an authenticator shows now (RFC 6238). */
function totpCode(secret: string): string {
  const bits = [...secret]
    .map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'))
    .join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)));
  const mac = createHmac('sha1', key).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 15;
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

describe.skipIf(chromiumPath === undefined)('accounts in a browser', () => {
  let smtp: SmtpSink;
  let github: GitHub;
  let turnstile: Turnstile;
  let gateway: Gateway;
  let root: Console;
  let browser: Browser;
  /** Passkeys need a name, an address alone has none. */
  let url: string;

  beforeAll(async () => {
    smtp = await startSmtp();
    github = await startGitHub(client);
    turnstile = await startTurnstile(turnstileSecret);
    gateway = await startGateway({ EGRESS_REWRITE: [...github.rewrite, ...turnstile.rewrite].join(',') });
    root = await gateway.root();
    url = gateway.url.replace('127.0.0.1', 'localhost');
    const options = {
      SMTPServer: '127.0.0.1',
      SMTPPort: smtp.port,
      SMTPFrom: 'gate@example.org',
      ServerAddress: url,
      EmailVerificationEnabled: true,
      GitHubClientId: client.id,
      GitHubClientSecret: client.secret,
      GitHubOAuthEnabled: true,
    };
    for (const [key, value] of Object.entries(options)) await root.setOption(key, value);
    browser = await openBrowser(url);
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.stop();
    await Promise.all([smtp?.close(), github?.close(), turnstile?.close()]);
  });

  const codeIn = async (count: number) => />(\d{6})<\/p>/.exec((await smtp.mail(count)).html)?.[1] ?? '';
  const linkIn = async (count: number) =>
    /<a href="([^"]*)"/.exec((await smtp.mail(count)).html)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const newUser = (username: string) => root.call('POST', '/api/user/', { username, password });

  /** One page in a browser that knows nothing of the walks before; whatever a person would never see must not have happened. */
  async function walk(steps: (page: Page) => Promise<void>) {
    const { context, faults } = browser;
    const [before, first] = [faults.length, ...context.pages()];
    try {
      await steps(await browser.page());
      expect(faults.slice(before)).toEqual([]);
    } finally {
      for (const page of context.pages()) if (page !== first) await page.close();
      await context.clearCookies();
      const devtools = await context.newCDPSession(first as Page);
      await devtools.send('Storage.clearDataForOrigin', { origin: url, storageTypes: 'all' });
      await devtools.detach();
    }
  }
  async function signInPage(page: Page, username: string, secret = password): Promise<void> {
    await page.goto(`${url}/login`);
    await page.getByLabel('用户名或邮箱').fill(username);
    await page.getByLabel('密码', { exact: true }).fill(secret);
    await page.getByRole('main').getByRole('button', { name: '登录', exact: true }).click();
  }
  async function settings(page: Page): Promise<void> {
    await page.goto(`${url}/setting?tab=personal`);
    await page.getByRole('region', { name: '个人资料' }).waitFor();
  }
  const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

  test('by keyboard alone: register with a mailed code, sign in, bind another address, reset, sign in anew, delete', () =>
    walk(async (page) => {
      const keys = keyboardOf(page);
      await page.goto(`${url}/register`);
      await page.getByRole('heading', { name: '注册' }).waitFor();
      await keys.fill('邮箱', 'mei@example.org');
      await keys.press('获取验证码');
      const resting = page.getByRole('button', { name: /^\d+ 秒后重发$/ });
      await resting.waitFor();
      await page.reload();
      await resting.waitFor();
      expect(await resting.isDisabled()).toBe(true);

      await keys.fill('用户名', 'meilin');
      await keys.fill('密码', password);
      await keys.fill('再次输入密码', password);
      await keys.fill('邮箱', 'mei@example.org');
      await keys.fill('邮箱验证码', await codeIn(1));
      await page.keyboard.press('Enter');
      await page.waitForURL('**/login');

      await keys.fill('用户名或邮箱', 'mei@example.org');
      await keys.fill('密码', password);
      await page.keyboard.press('Enter');
      await page.waitForURL('**/token');

      await settings(page);
      await keys.press('更换邮箱');
      await page.getByRole('dialog', { name: '绑定邮箱地址' }).waitFor();
      await keys.fill('邮箱', 'lin@example.org');
      await keys.press('获取验证码');
      await keys.fill('邮箱验证码', await codeIn(2));
      await page.keyboard.press('Enter');
      await page.getByText('邮箱绑定成功！').waitFor();
      await card(page, '账户绑定').getByText('lin@example.org').waitFor();

      await page.goto(`${url}/reset`);
      await page.getByRole('heading', { name: '重置密码' }).waitFor();
      await keys.fill('邮箱', 'lin@example.org');
      await page.keyboard.press('Enter');
      await page.getByText(/如果该邮箱已注册/).waitFor();
      // The address of before was told of the new one meanwhile.
      await page.goto(await linkIn(4));
      await page.getByRole('heading', { name: '确认重置密码' }).waitFor();
      await keys.press('生成新密码');
      const renewed = await page.getByLabel('新密码', { exact: true }).inputValue();
      expect(renewed).toMatch(/^[0-9A-Za-z]{12}$/);
      await keys.press('登录');
      await page.waitForURL('**/login');

      await keys.fill('用户名或邮箱', 'meilin');
      await keys.fill('密码', password);
      await page.keyboard.press('Enter');
      await page.getByText('用户名或密码错误，或用户已被封禁').waitFor();
      await keys.fill('密码', renewed);
      await page.keyboard.press('Enter');
      await page.waitForURL('**/token');

      await settings(page);
      await keys.press('删除我的账户');
      await page.getByRole('dialog', { name: '删除账户' }).waitFor();
      await keys.fill('输入您的账户名 meilin 以确认删除', 'meilin');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/login');
      await expect(signIn(gateway.url, 'meilin', renewed)).rejects.toThrow('用户名或密码错误');
    }));

  test('a provider signs in through its own window, and binds an account that exists', () =>
    walk(async (page) => {
      let user: GitHubUser = { id: 4711, login: 'octo', name: 'Octo Cat' };
      const endPlay = await browser.play('https://github.com', (route) => {
        const { code, state } = github.agree(route.request().url(), user);
        const back = `${url}/oauth/github?${new URLSearchParams({ code, state })}`;
        return route.fulfill({ contentType: 'text/html', body: `<script>location.replace(${JSON.stringify(back)})</script>` });
      });
      await page.goto(`${url}/login`);
      const [provider] = await Promise.all([
        browser.context.waitForEvent('page'),
        page.getByRole('button', { name: '使用 GitHub 登录' }).click(),
      ]);
      await provider.waitForURL('**/token');
      await page.waitForURL('**/token');
      await page.getByRole('button', { name: '用户菜单：Octo Cat' }).click();
      await page.getByRole('menuitem', { name: '退出登录' }).click();
      await page.waitForURL('**/login');
      await provider.close();

      await newUser('binder');
      user = { id: 4712, login: 'binder-hub', name: null };
      await signInPage(page, 'binder');
      await page.waitForURL('**/token');
      await settings(page);
      const refused: string[] = [];
      const note = (answer: Answer) => {
        if (answer.status() !== 401) return;
        const who = answer.request().frame().page() === page ? 'page' : 'window';
        refused.push(`${who}: ${answer.request().method()} ${answer.url()}`);
      };
      browser.context.on('response', note);
      const [window] = await Promise.all([
        browser.context.waitForEvent('page'),
        card(page, '账户绑定').getByRole('button', { name: '绑定 GitHub' }).click(),
      ]);
      await window.getByText('GitHub 账户绑定成功！').waitFor();
      expect(window.url(), `refused: ${refused.join(', ') || 'nothing'}`).toBe(`${url}/setting?tab=personal`);
      await window.close();
      await settings(page);
      await card(page, '账户绑定').getByRole('listitem').filter({ hasText: 'GitHub' }).filter({ hasText: '已绑定' }).waitFor();
      browser.context.off('response', note);
      await endPlay();
    }));

  test('two-step verification is switched on, asked for, passed by a recovery code and switched off', () =>
    walk(async (page) => {
      await newUser('twostep');
      await signInPage(page, 'twostep');
      await page.waitForURL('**/token');
      await settings(page);
      await card(page, '两步验证').getByRole('button', { name: '启用两步验证' }).click();
      await page.getByRole('button', { name: '继续' }).click();
      await page.getByRole('img', { name: '两步验证二维码' }).waitFor();
      await page.getByText('无法扫描？手动输入密钥').click();
      const secret = (await page.getByRole('dialog').locator('code').textContent()) ?? '';
      await page.getByLabel('6 位验证码').fill(totpCode(secret));
      await page.getByRole('button', { name: '确认启用' }).click();
      await page.getByRole('dialog', { name: '保存恢复码' }).waitFor();
      const codes = await page.getByRole('dialog', { name: '保存恢复码' }).getByRole('listitem').allTextContents();
      expect(codes).toHaveLength(10);
      await page.getByRole('button', { name: '我已保存' }).click();
      await card(page, '两步验证').getByText('剩余 10 个恢复码').waitFor();

      await page.context().clearCookies();
      await signInPage(page, 'twostep');
      await page.getByLabel('验证码或恢复码').fill('000000');
      await page.keyboard.press('Enter');
      await page.getByText('两步验证码错误、已过期或已使用过').waitFor();
      await page.getByLabel('验证码或恢复码').fill(codes[0] ?? '');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/token');

      await settings(page);
      await card(page, '两步验证').getByText('剩余 9 个恢复码').waitFor();
      await card(page, '两步验证').getByRole('button', { name: '停用两步验证' }).click();
      await page.getByLabel('验证码或恢复码').fill(codes[1] ?? '');
      await page.keyboard.press('Enter');
      await card(page, '两步验证').getByText('未启用').waitFor();
    }));

  test('a passkey of this device is made, signs in without a password, and is gone when deleted', () =>
    walk(async (page) => {
      const devtools = await page.context().newCDPSession(page);
      await devtools.send('WebAuthn.enable');
      await devtools.send('WebAuthn.addVirtualAuthenticator', {
        options: {
          protocol: 'ctap2',
          transport: 'internal',
          hasResidentKey: true,
          hasUserVerification: true,
          isUserVerified: true,
          automaticPresenceSimulation: true,
        },
      });
      await newUser('keyholder');
      await signInPage(page, 'keyholder');
      await page.waitForURL('**/token');
      await settings(page);
      await card(page, '通行密钥').getByRole('button', { name: '添加通行密钥' }).click();
      await page.getByLabel('名称', { exact: true }).fill('办公电脑');
      await page.getByRole('button', { name: '继续' }).click();
      await card(page, '通行密钥').getByText('办公电脑').waitFor();

      await page.context().clearCookies();
      await page.evaluate(() => localStorage.removeItem('user'));
      await page.goto(`${url}/login`);
      await page.getByRole('button', { name: '使用通行密钥登录' }).click();
      await page.waitForURL('**/token');
      await page.getByRole('button', { name: '用户菜单：keyholder' }).waitFor();

      await settings(page);
      await card(page, '通行密钥').getByRole('button', { name: '删除 办公电脑' }).click();
      await page.getByRole('dialog').getByRole('button', { name: '删除', exact: true }).click();
      await card(page, '通行密钥').getByText('还没有通行密钥').waitFor();
      // The device still has its part.
      await page.context().clearCookies();
      await page.evaluate(() => localStorage.removeItem('user'));
      await page.goto(`${url}/login`);
      await page.getByRole('button', { name: '使用通行密钥登录' }).click();
      await expect.poll(() => page.getByText(/换一种方式登录$/).count()).toBeGreaterThan(0);
    }));

  test('signing out everywhere ends the other sessions; the access token is shown once and works', () =>
    walk(async (page) => {
      await newUser('manyplaces');
      const elsewhere = await signIn(gateway.url, 'manyplaces', password);
      await signInPage(page, 'manyplaces');
      await page.waitForURL('**/token');
      await settings(page);
      await card(page, '登录设备').getByRole('button', { name: '退出所有其他设备' }).click();
      await page.getByRole('dialog').getByRole('button', { name: '退出所有其他设备' }).click();
      await page.getByText('已退出 1 个设备').waitFor();
      expect((await elsewhere.raw('GET', '/api/user/self')).status).toBe(401);

      await card(page, '系统访问令牌').getByRole('button').click();
      await page.getByRole('dialog').getByRole('button', { name: '生成系统访问令牌' }).click();
      const token = await page.getByRole('textbox', { name: '系统访问令牌' }).inputValue();
      const headers = { authorization: `Bearer ${token}`, 'new-api-user': String(elsewhere.userId) };
      const self = await fetch(`${gateway.url}/api/user/self`, { headers });
      expect(((await self.json()) as { data: { username: string } }).data.username).toBe('manyplaces');
      await page.reload();
      await page.getByRole('region', { name: '个人资料' }).waitFor();
      expect(await page.content()).not.toContain(token);
    }));

  test('the bot check runs under the content security policy, its token passes once', () =>
    walk(async (page) => {
      for (const [key, value] of [
        ['TurnstileSiteKey', 'site'],
        ['TurnstileSecretKey', turnstileSecret],
        ['TurnstileCheckEnabled', true],
      ] as const)
        await root.setOption(key, value);
      try {
        for (const token of ['solved-1', 'solved-2']) turnstile.tokens.set(token, { action: 'tollgate', hostname: 'localhost' });
        const script = `let n = 0, last;
          const solve = () => setTimeout(() => last.callback('solved-' + ++n), 50);
          window.turnstile = { render: (box, options) => { last = options; solve(); return 'w'; }, reset: solve, remove() {} };`;
        const endPlay = await browser.play('https://challenges.cloudflare.com', (route) =>
          route.fulfill({ contentType: 'text/javascript', body: script }),
        );
        await newUser('human');
        await page.goto(`${url}/login`);
        await page.getByText('环境检查已通过').waitFor();
        await page.getByLabel('用户名或邮箱').fill('human');
        await page.getByLabel('密码', { exact: true }).fill('wrong-password');
        await page.keyboard.press('Enter');
        await page.getByText('用户名或密码错误，或用户已被封禁').waitFor();
        await page.getByText('环境检查已通过').waitFor();
        await page.getByLabel('密码', { exact: true }).fill(password);
        await page.keyboard.press('Enter');
        await page.waitForURL('**/token');
        expect(turnstile.received).toHaveLength(2);
        await endPlay();
      } finally {
        await root.setOption('TurnstileCheckEnabled', false);
      }
    }));

  test('root finds, edits, promotes and deregisters a user, and finds all of it in the audit log', () =>
    walk(async (page) => {
      await newUser('colleague');
      await signInPage(page, 'root', rootPassword);
      await page.waitForURL('**/token');
      await page.getByRole('link', { name: '用户管理' }).click();
      const search = page.getByRole('searchbox', { name: 'ID、用户名、显示名称、邮箱或令牌密钥' });
      await search.fill('colleague');
      await search.press('Enter');
      await page.waitForURL('**/user?keyword=colleague');
      const row = rowOf(page, 'colleague');
      await row.getByRole('link', { name: '编辑' }).click();
      const drawer = page.getByRole('dialog', { name: '编辑用户：colleague' });
      await drawer.getByRole('button', { name: '$50', exact: true }).click();
      await drawer.getByLabel('修改额度的原因').fill('入职');
      await drawer.getByRole('button', { name: '保存' }).click();
      await row.getByText('$50.00').waitFor();
      const act = async (action: string) => {
        await row.getByRole('button', { name: '更多操作' }).click();
        await page.getByRole('menuitem', { name: action }).click();
        await page.getByRole('dialog').getByRole('button', { name: action, exact: true }).click();
      };
      await act('提升为管理员');
      await row.getByText('管理员', { exact: true }).waitFor();
      await act('禁用');
      await row.getByText('已封禁').waitFor();
      await act('注销');
      await row.getByText('已注销').waitFor();
      expect(await row.getByRole('button').count()).toBe(0);
      await page.getByRole('link', { name: '审计日志' }).click();
      const table = page.getByRole('table', { name: '审计日志' });
      for (const action of ['提升管理员', '禁用用户', '注销用户', '修改用户']) await table.getByText(action).first().waitFor();
      await page.getByRole('combobox', { name: '全部操作' }).selectOption('user.promote');
      await page.waitForURL('**/audit?action=user.promote');
      await expect.poll(() => table.getByRole('row').count()).toBe(2);
    }));

  // What every installation shows is looked at with all other pages; here stands what depends on the doors that are open.
  test('with all doors open nothing is serious or critical for assistive technology, in both themes, at 1440 and 360 px', () =>
    walk(async (page) => {
      const inspect = async (path: string) => {
        await page.goto(url + path);
        await settled(page);
        for (const width of [1440, 360]) {
          await page.setViewportSize({ width, height: 800 });
          expect({ path, width, sideways: await scrollsSideways(page) }).toEqual({ path, width, sideways: false });
          expect({ path, width, faults: await faultsInBothThemes(page) }).toEqual({ path, width, faults: [] });
        }
      };
      for (const path of ['/login', '/register']) await inspect(path);
      await signInPage(page, 'root', rootPassword);
      await page.waitForURL('**/token');
      for (const path of ['/setting?tab=personal', '/user']) await inspect(path);
    }));
});
