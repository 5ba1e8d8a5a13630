import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath } from './support/browser.ts';
import type { Console } from './support/console-client.ts';
import { rowOf } from './support/console-walk.ts';
import { type Gateway, rootPassword } from './support/gateway.ts';
import { openAsRoot, type RootInBrowser } from './support/root-in-browser.ts';

describe.skipIf(chromiumPath === undefined)('what was typed and not saved', () => {
  let gateway: Gateway;
  let root: Console;
  let shown: RootInBrowser;
  let page: Page;

  beforeAll(async () => {
    shown = await openAsRoot({ prepare: async (console) => void (await console.addToken({ name: 'program' })) });
    ({ gateway, root, page } = shown);
  });
  afterAll(() => shown.close());

  const question = () => page.getByRole('dialog', { name: '放弃未保存的修改？' });
  const answer = async (name: '取消' | '放弃修改') => {
    await question().getByRole('button', { name }).click();
    await question().waitFor({ state: 'detached' });
  };

  test('in a dialog is not lost by a step back, unless that is meant', async () => {
    await page.getByRole('link', { name: '公告' }).first().click();
    await page.getByRole('button', { name: '发布公告' }).first().click();
    const content = page.getByRole('dialog').getByLabel(/^内容/);
    await content.fill('今晚十点维护');
    await page.goBack();
    await answer('取消');
    await expect.poll(() => page.url()).toMatch(/\/announcement$/);
    expect(await content.inputValue()).toBe('今晚十点维护');
    await page.goBack();
    await answer('放弃修改');
    await page.waitForURL('**/token');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  });

  test('is saved after all when the session has ended meanwhile and one signs in beside it', async () => {
    await rowOf(page, 'program').getByRole('link', { name: '编辑' }).click();
    const drawer = page.getByRole('dialog', { name: '编辑令牌：program' });
    await drawer.getByLabel(/^名称/).fill('renamed');
    await root.call('DELETE', '/api/user/sessions');
    await drawer.getByRole('button', { name: '保存' }).click();
    await answer('取消');
    const [beside] = await Promise.all([
      shown.browser.context.waitForEvent('page'),
      drawer.getByRole('alert').getByRole('link', { name: '登录' }).click(),
    ]);
    await beside.getByLabel('用户名或邮箱').fill('root');
    await beside.getByLabel('密码', { exact: true }).fill(rootPassword);
    await beside.keyboard.press('Enter');
    await beside.waitForURL(`${gateway.url}/token`);
    await beside.close();
    await page.getByRole('button', { name: /^用户菜单/, includeHidden: true }).waitFor({ state: 'attached' });
    expect(await drawer.getByLabel(/^名称/).inputValue()).toBe('renamed');
    await drawer.getByRole('button', { name: '保存' }).click();
    await rowOf(page, 'renamed').waitFor();
  });
});
