import type { Dashboard, LogStat, ModelHour } from '@tollgate/contract';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath } from './support/browser.ts';
import type { Console } from './support/console-client.ts';
import { accessibilityFaults, scrollsSideways } from './support/console-walk.ts';
import type { Gateway } from './support/gateway.ts';
import { type MockUpstream, startMockUpstream } from './support/mock-upstream.ts';
import { postJson } from './support/post-json.ts';
import { openAsRoot, type RootInBrowser } from './support/root-in-browser.ts';
import { settled } from './support/settled.ts';

/** Where it ends on the right. */
const endOf = async (one: Locator): Promise<number> => {
  const box = await one.boundingBox();
  return box === null ? Number.NaN : box.x + box.width;
};
const calls = { 'gpt-4o-mini': 4, 'gpt-4o': 3 };

describe.skipIf(chromiumPath === undefined)('the dashboard in a browser', () => {
  let upstream: MockUpstream;
  let gateway: Gateway;
  let root: Console;
  let shown: RootInBrowser;
  let page: Page;

  beforeAll(async () => {
    upstream = await startMockUpstream();
    shown = await openAsRoot();
    ({ gateway, root, page } = shown);
  });
  afterAll(async () => {
    await shown.close();
    await upstream.close();
  });

  const open = async (path: string) => {
    await page.goto(gateway.url + path);
    await page.getByRole('heading', { level: 1 }).waitFor();
  };
  const callModels = async () => {
    await root.addChannel({ name: 'main', base_url: upstream.url, key: 'sk-upstream-0001', models: Object.keys(calls).join() });
    const { key } = await root.addToken();
    for (const [model, count] of Object.entries(calls)) {
      for (let sent = 0; sent < count; sent += 1) {
        const answer = await postJson(`${gateway.url}/v1/chat/completions`, key, {
          model,
          stream: sent % 2 === 0,
          messages: [{ role: 'user', content: 'hello' }],
        });
        expect(answer.status).toBe(200);
        await answer.text();
      }
    }
    await expect.poll(async () => (await root.logs('type=2')).length).toBe(7);
  };

  test('before the first call it says that there is none', async () => {
    await open('/detail?group=nobody');
    await page.getByText('没有符合条件的调用').waitFor();
    await settled(page);
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test('its numbers are those of the log and of the ledger', async () => {
    await callModels();
    const dashboard = await root.call<Dashboard>('GET', '/api/data/dashboard');
    const own = await root.call<Dashboard>('GET', '/api/data/self/dashboard?time_zone=Asia/Shanghai');
    const stat = await root.call<LogStat>(
      'GET',
      `/api/log/stat?start_timestamp=${dashboard.start}&end_timestamp=${dashboard.end}`,
    );
    const hours = await root.call<ModelHour[]>('GET', '/api/data/');
    const used = (await root.self()).used_quota;
    const sums = [dashboard.totals.quota, own.totals.quota, stat.quota, hours.reduce((sum, { quota }) => sum + quota, 0)];
    expect(sums).toEqual([used, used, used, used]);
    expect(used).toBeGreaterThan(0);
    expect(dashboard.totals).toMatchObject({ calls: 7, streams: 4 });
  });

  test('from the menu to the charts, from a number to its rows', async () => {
    await open('/token');
    await page.getByRole('link', { name: '数据看板' }).click();
    const models = page.getByRole('region', { name: '模型概览' });
    await models.getByRole('row').filter({ hasText: 'gpt-4o-mini' }).getByRole('link', { name: '4', exact: true }).click();
    await page.waitForURL('**/log?**');
    await expect.poll(() => page.getByRole('region', { name: '日志' }).getByText('gpt-4o-mini', { exact: true }).count()).toBe(4);
    expect(await page.getByRole('region', { name: '日志' }).getByText('gpt-4o', { exact: true }).count()).toBe(0);
  });

  test('by keys to the rows of an hour, and as a table', async () => {
    await open('/detail');
    const slider = page.getByRole('slider');
    await slider.focus();
    await page.keyboard.press('ArrowLeft');
    expect(await slider.getAttribute('aria-valuetext')).toMatch(/^\d\d-\d\d \d\d:\d\d: \$/);
    await page.getByRole('button', { name: '以表格显示' }).click();
    const table = page.getByRole('region', { name: '各时间点的用量' });
    await table.getByRole('columnheader', { name: 'gpt-4o-mini' }).waitFor();
    expect(page.url()).toContain('view=table');
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test.each([
    ['dark', 1440],
    ['light', 1440],
    ['dark', 360],
    ['light', 390],
  ])('it is usable in %s at %d pixels', async (theme, width) => {
    await page.setViewportSize({ width, height: 900 });
    await page.evaluate((name) => localStorage.setItem('theme-mode', name), theme);
    await open('/detail?by=day');
    await page.getByRole('slider').waitFor();
    await settled(page);
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await scrollsSideways(page)).toBe(false);
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  test('a balance of nine digits and more cuts off nothing, on a phone, at double size, or with large letters', async () => {
    await page.route('**/api/user/self', async (route) => {
      const answer = await (await route.fetch()).json();
      await route.fulfill({ json: { ...answer, data: { ...answer.data, quota: 1_234_567_890 * 500_000 } } });
    });
    for (const [width, letters] of [
      [360, 13],
      [390, 20],
      [640, 13],
      [920, 13],
    ] as const) {
      await page.setViewportSize({ width, height: 844 });
      await open('/detail');
      await page.evaluate(`document.documentElement.style.fontSize = '${letters}px'`);
      const balance = page.getByRole('main').getByText('$1,234,567,890.00');
      await balance.waitFor();
      await settled(page);
      expect([width, await scrollsSideways(page)]).toEqual([width, false]);
      expect([width, (await endOf(page.getByRole('button', { name: /^用户菜单/ }))) <= width]).toEqual([width, true]);
      const card = page.locator('main .card').filter({ has: page.getByText('$1,234,567,890.00') });
      expect([width, (await endOf(balance)) <= (await endOf(card))]).toEqual([width, true]);
    }
    await page.unroute('**/api/user/self');
  });
});
