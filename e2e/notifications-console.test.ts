import type { Delivery, PageOf } from '@tollgate/contract';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath } from './support/browser.ts';
import type { Console } from './support/console-client.ts';
import { faultsInBothThemes, scrollsSideways, seeNotice } from './support/console-walk.ts';
import type { Gateway } from './support/gateway.ts';
import { openAsRoot, type RootInBrowser } from './support/root-in-browser.ts';
import { settled } from './support/settled.ts';
import { type Messengers, startHookReceiver, startMessengers } from './support/stand-ins/messengers.ts';

const secret = 'walk-secret';
const appToken = 'AT_walk';
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

describe.skipIf(chromiumPath === undefined)('notifications in a browser', () => {
  let gateway: Gateway;
  let root: Console;
  let shown: RootInBrowser;
  let page: Page;
  let messengers: Messengers;
  let hook: Awaited<ReturnType<typeof startHookReceiver>>;

  beforeAll(async () => {
    hook = await startHookReceiver(secret);
    messengers = await startMessengers({ wecomKey: '', dingtalkKey: '', dingtalkSecret: '', appToken });
    const rewrite = [...messengers.rewrite, `hook.example.org=${hook.origin}`];
    shown = await openAsRoot({ env: { EGRESS_REWRITE: rewrite.join(',') } });
    ({ gateway, root, page } = shown);
    await root.setOption('WxPusherEnabled', 'true');
    await root.setOption('WxPusherAppToken', appToken);
    await shown.browser.play('https://wxpusher.example.org', (route) =>
      route.fulfill({ contentType: 'image/png', body: picture }),
    );
  });
  afterAll(async () => {
    await shown.close();
    await Promise.all([hook.close(), messengers.close()]);
  });

  const open = async (path: string) => {
    await page.goto(`${gateway.url}${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await settled(page);
  };
  const card = () => page.getByRole('region', { name: '通知设置' });

  test('a webhook is set up, tried out, and told of an announcement that its owner wrote', async () => {
    await open('/setting?tab=personal');
    await card().getByRole('checkbox', { name: '系统公告通知：Webhook' }).check();
    await card().getByLabel('Webhook 地址').fill('https://hook.example.org/in');
    await card().getByLabel('Webhook 密钥', { exact: true }).fill(secret);
    await card().getByRole('button', { name: '保存' }).click();
    await seeNotice(page, '设置已更新');
    await card().getByRole('group', { name: 'Webhook' }).getByRole('button', { name: '测试' }).click();
    await seeNotice(page, '测试通知已通过Webhook送达');
    await open('/announcement');
    await page.getByRole('button', { name: '发布公告' }).click();
    const dialog = page.getByRole('dialog', { name: '发布公告' });
    await dialog.getByRole('textbox', { name: /标题/ }).fill('周日维护');
    await dialog.getByRole('textbox', { name: /内容/ }).fill('**02:00** 开始<script>alert(1)</script>');
    // Neither a press beside it nor Escape takes away what was written, in the question too.
    await page.mouse.click(8, 8);
    await page.keyboard.press('Escape');
    const question = page.getByRole('dialog', { name: '放弃未保存的修改？' });
    await question.locator(':focus').waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    await dialog.getByRole('button', { name: '发布', exact: true }).click();
    await seeNotice(page, '公告已发布');
    await expect.poll(() => hook.messages.map(({ body }) => body.title), { timeout: 15_000 }).toEqual(['测试通知', '周日维护']);
    expect(hook.refused).toEqual([]);
    expect(JSON.stringify(hook.messages)).not.toContain('script');
    // What has arrived is noted once its receiver has answered.
    const states = async () =>
      (await root.call<PageOf<Delivery>>('GET', '/api/user/notifications?p=1&page_size=10')).items.map(({ state }) => state);
    await expect.poll(states).toEqual(['sent', 'sent']);
    await open('/setting?tab=personal');
    const log = page.getByRole('region', { name: '通知记录' });
    await log.getByText('周日维护').waitFor();
    expect(await log.getByText('已送达').count()).toBe(2);
  });

  test('an announcement is unread on the bell until it was looked at', async () => {
    await root.call('POST', '/api/announcement', { title: '第二条', content: '内容' });
    await open('/token');
    await page.getByRole('link', { name: '公告：1 条未读' }).click();
    await page.getByRole('heading', { name: '第二条' }).waitFor();
    await page.getByRole('link', { name: '公告', exact: true }).first().waitFor();
    await expect.poll(() => root.call('GET', '/api/announcement/unread')).toBe(0);
  });

  test('a count of two digits stands in one line on the bell', async () => {
    for (let i = 0; i < 10; i++) await root.call('POST', '/api/announcement', { title: `更多 ${i}`, content: '内容' });
    await open('/token');
    const count = page.getByRole('link', { name: '公告：10 条未读' }).getByText('10');
    expect((await count.boundingBox())?.height).toBe(16);
  });

  test('WxPusher is bound by scanning the code, and unbound again', async () => {
    await open('/setting?tab=personal');
    await card().getByRole('button', { name: '点击显示二维码' }).click();
    await card().getByRole('img', { name: 'WxPusher 二维码' }).waitFor();
    const body = JSON.stringify({
      action: 'app_subscribe',
      data: { appId: 1, uid: 'UID_walk', extra: messengers.codes.get('code-1') },
    });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${gateway.url}/api/wxpusher/callback`, { method: 'POST', headers, body });
    expect(answer.status).toBe(200);
    await card().getByText('您已绑定 WxPusher').waitFor();
    await card().getByRole('group', { name: 'WxPusher' }).getByRole('button', { name: '测试' }).click();
    await expect.poll(() => messengers.accepted.map(({ to }) => to)).toEqual(['UID_walk']);
    await card().getByRole('button', { name: '点击解绑WxPusher' }).click();
    await page.getByRole('dialog').getByRole('button', { name: '点击解绑WxPusher' }).click();
    await card().getByRole('button', { name: '点击显示二维码' }).waitFor();
  });

  test.each(['/announcement', '/setting?tab=personal'])(
    '%s is usable by everybody: both themes, wide and narrow',
    async (path) => {
      await open(path);
      expect(await faultsInBothThemes(page)).toEqual([]);
      await page.setViewportSize({ width: 360, height: 800 });
      expect(await scrollsSideways(page)).toBe(false);
      await page.setViewportSize({ width: 1440, height: 900 });
    },
  );

  test.each(['zh', 'en'])(
    'no way to be told is broken in the middle of its name, or out of sight, on a phone (%s)',
    async (language) => {
      await page.setViewportSize({ width: 360, height: 800 });
      await open('/setting?tab=personal');
      await page.evaluate((chosen) => localStorage.setItem('i18nextLng', chosen), language);
      await open('/setting?tab=personal');
      const sheet = page.getByRole('region', { name: /^(订阅事件与方式|Events and ways)$/ });
      const lines = await sheet.getByRole('columnheader').evaluateAll((cells) =>
        cells.map((cell) => {
          const range = cell.ownerDocument.createRange();
          range.selectNodeContents(cell.firstElementChild ?? cell);
          return range.getClientRects().length;
        }),
      );
      expect(lines.length).toBeGreaterThan(4);
      expect(lines.filter((count) => count !== 1)).toEqual([]);
      expect(await sheet.evaluate((it) => it.scrollWidth - it.clientWidth)).toBe(0);
      await page.evaluate(() => localStorage.setItem('i18nextLng', 'zh'));
      await page.setViewportSize({ width: 1440, height: 900 });
    },
  );
});
