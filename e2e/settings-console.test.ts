import type { OptionRow } from '@tollgate/contract';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath } from './support/browser.ts';
import type { Console } from './support/console-client.ts';
import { faultsInBothThemes, rowOf, scrollsSideways, seeNotice } from './support/console-walk.ts';
import type { Gateway } from './support/gateway.ts';
import { type Keyboard, keyboardOf } from './support/keyboard.ts';
import { openAsRoot, type RootInBrowser } from './support/root-in-browser.ts';
import { settled } from './support/settled.ts';
import { type SmtpSink, startSmtp } from './support/stand-ins/smtp.ts';

const tabs = ['operation', 'system', 'other', 'history'] as const;

describe.skipIf(chromiumPath === undefined)('settings in a browser', () => {
  let gateway: Gateway;
  let root: Console;
  let shown: RootInBrowser;
  let page: Page;
  let keyboard: Keyboard;
  let smtp: SmtpSink;

  beforeAll(async () => {
    smtp = await startSmtp();
    shown = await openAsRoot();
    ({ gateway, root, page } = shown);
    keyboard = keyboardOf(page);
  });
  afterAll(async () => {
    await shown.close();
    await smtp.close();
  });

  const open = async (tab: string) => {
    await page.goto(`${gateway.url}/setting?tab=${tab}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await settled(page);
  };
  const storedValue = async (key: string) =>
    (await root.call<OptionRow[]>('GET', '/api/option/')).find((row) => row.key === key)?.value;

  test.each(tabs)('%s is usable by everybody: both themes, wide and narrow', async (tab) => {
    await root.setOption('EpayKey', `secret-${tab}`);
    await open(tab);
    expect(await faultsInBothThemes(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 800 });
    expect(await scrollsSideways(page)).toBe(false);
    expect(await faultsInBothThemes(page)).toEqual([]);
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  test('an option is found, changed and saved by keyboard alone, wherever it stands', async () => {
    await open('operation');
    await keyboard.fill(/^搜索设置$/, 'SMTPPort');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/setting?tab=system#SMTPPort');
    await expect.poll(() => page.locator(':focus').getAttribute('inputmode')).toBe('decimal');
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type(String(smtp.port));
    await page.keyboard.press('Enter');
    await seeNotice(page, '保存成功');
    expect(await storedValue('SMTPPort')).toBe(String(smtp.port));
  });

  test('what is not saved is not lost without a question; a jump within the page asks nothing', async () => {
    await open('system');
    await page.getByLabel('SMTP 服务器地址').fill('127.0.0.1');
    await page.getByRole('navigation', { name: '设置分组' }).getByRole('link', { name: '登录与注册' }).click();
    await page.getByText('1 项已修改，尚未保存').waitFor();
    await page.getByRole('link', { name: '其他设置' }).click();
    await page.getByRole('dialog').getByRole('button', { name: '取消' }).click();
    expect(page.url()).toContain('tab=system');
    await page.getByRole('button', { name: '保存全部' }).click();
    await seeNotice(page, '保存成功');
    await page.getByRole('link', { name: '其他设置' }).click();
    await page.waitForURL('**/setting?tab=other');
  });

  test('a test mail goes out by the saved settings', async () => {
    await root.setOption('SMTPAccount', 'gate@example.org');
    await open('system');
    await page.getByLabel('收件地址').fill('ann@example.org');
    await page.getByRole('button', { name: '发送测试邮件' }).click();
    await seeNotice(page, '测试邮件已发送到 ann@example.org');
    expect((await smtp.mail(1)).to).toEqual(['ann@example.org']);
  });

  test('a chat is added, moved and removed as a row', async () => {
    await open('operation');
    await page.getByRole('button', { name: '添加聊天' }).click();
    await page.getByLabel('第 6 个聊天的名称').fill('House');
    await page.getByLabel('第 6 个聊天的链接').fill('https://house.example/#{key}');
    await page.getByRole('button', { name: '上移第 6 个聊天' }).click();
    await page.getByRole('button', { name: '删除第 1 个聊天' }).click();
    await page.getByRole('button', { name: '保存聊天' }).click();
    await seeNotice(page, '保存成功');
    const names = (JSON.parse((await storedValue('Chats')) ?? '[]') as object[]).map((chat) => Object.keys(chat)[0]);
    expect(names).toEqual(['Lobe Chat 官方示例', 'AI as Workspace', 'AMA 问天', 'House', 'OpenCat']);
  });

  test('a wrong save is taken back from the history', async () => {
    await root.setOption('SystemName', 'Wrong name');
    await open('history');
    const row = rowOf(page, '系统名称');
    await row.getByRole('button', { name: '撤销此修改' }).click();
    await page.getByRole('dialog').getByRole('button', { name: '撤销此修改' }).click();
    await seeNotice(page, /已撤销第 \d+ 次修改/);
    expect(await storedValue('SystemName')).toBe('Tollgate');
  });

  test('old logs are counted, then deleted after a question', async () => {
    await open('operation');
    await page.getByRole('button', { name: '清理日志' }).click();
    await page.getByText('请选择日志时间').waitFor();
    await page.getByLabel('清理此时间之前的日志').fill('2020-01-01 00:00:00');
    await page.getByRole('button', { name: '清理日志' }).click();
    await page
      .getByRole('dialog')
      .getByText(/将删除 0 条日志/)
      .waitFor();
    await page.getByRole('dialog').getByRole('button', { name: '删除' }).click();
    await seeNotice(page, '已清理 0 条日志');
  });

  test('a page that is older than its server says so', async () => {
    await page.route('**/api/status', async (route) => {
      const answer = await route.fetch();
      const body = (await answer.json()) as { data: object };
      await route.fulfill({ response: answer, json: { ...body, data: { ...body.data, version: '99.0.0' } } });
    });
    await open('other');
    await page.getByText('服务器已更新到新版本，请刷新页面').waitFor();
    await page.unroute('**/api/status');
  });
});
