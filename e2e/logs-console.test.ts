import { readFile } from 'node:fs/promises';
import type { LogEntry } from '@tollgate/contract';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath } from './support/browser.ts';
import type { Console } from './support/console-client.ts';
import { accessibilityFaults, copied, isUsable, rowOf, scrollsSideways, seeNotice } from './support/console-walk.ts';
import type { Gateway } from './support/gateway.ts';
import { keyboardOf } from './support/keyboard.ts';
import { type MockUpstream, startMockUpstream } from './support/mock-upstream.ts';
import { postJson } from './support/post-json.ts';
import { openAsRoot, type RootInBrowser } from './support/root-in-browser.ts';
import { eventually } from './support/wait.ts';

const model = 'gpt-4o-mini';
const other = 'gpt-4o';
const calls = 24;

describe.skipIf(chromiumPath === undefined)('the usage log in a browser', () => {
  let upstream: MockUpstream;
  let gateway: Gateway;
  let root: Console;
  let channel: number;
  let key: string;
  let shown: RootInBrowser;
  let page: Page;

  const ask = (content: string, use = model) =>
    postJson(`${gateway.url}/v1/chat/completions`, key, { model: use, messages: [{ role: 'user', content }] });

  beforeAll(async () => {
    upstream = await startMockUpstream({ models: [model, other] });
    shown = await openAsRoot();
    ({ gateway, root, page } = shown);
    const added = await root.addChannel({
      name: 'main',
      base_url: upstream.url,
      key: 'sk-upstream-0001',
      models: `${model},${other}`,
    });
    channel = added.id;
    await root.setOption('LogBodies', 'all');
    key = (await root.addToken({ name: 'walk, "quoted"' })).key;
    for (let count = 0; count < calls; count++) {
      // No two rows look the same.
      upstream.script([{ promptTokens: 1_001 + count }]);
      expect((await ask(`call ${count}`, count % 4 === 0 ? other : model)).status).toBe(200);
    }
    await eventually(async () => expect(await root.logs('type=2')).toHaveLength(calls));
  });
  afterAll(async () => {
    await shown.close();
    await upstream.close();
  });

  const open = async (search = '') => {
    await page.goto(`${gateway.url}/log${search}`);
    await page.getByRole('table', { name: '日志' }).waitFor();
  };
  const rows = () => page.getByRole('table', { name: '日志' }).getByRole('row');

  test('pages go forth and back by cursor, and the address brings the same page again', async () => {
    await open('?type=2');
    await page.getByText(`共 ${calls} 条`).waitFor();
    await expect.poll(() => rows().count()).toBe(11);
    const first = await rows().nth(1).textContent();
    await page.getByRole('button', { name: '下一页' }).click();
    await page.getByText('第 2 / 3 页').waitFor();
    await expect.poll(() => page.url()).toMatch(/p=2&before=\d+/);
    // Until its rows come those of the first page stay.
    await expect.poll(() => rows().nth(1).textContent()).not.toBe(first);
    const second = await rows().nth(1).textContent();
    await page.reload();
    await expect.poll(() => rows().nth(1).textContent()).toBe(second);
    await page.getByRole('button', { name: '下一页' }).click();
    await expect.poll(() => rows().count()).toBe(calls - 20 + 1);
    expect(await page.getByRole('button', { name: '下一页' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: '上一页' }).click();
    await expect.poll(() => rows().nth(1).textContent()).toBe(second);
  });

  test('filters narrow the rows, and live in the address', async () => {
    await open('?type=2&size=50');
    await keyboardOf(page).fill('模型', other);
    await expect.poll(() => page.url()).toContain(`model=${other}`);
    await page.getByRole('searchbox', { name: '模型' }).fill(`=${other}`);
    await expect.poll(() => rows().count()).toBe(calls / 4 + 1);
    await page.getByRole('searchbox', { name: '渠道 ID' }).fill(String(channel + 1));
    await page.getByText('没有符合条件的记录').waitFor();
    await page.getByRole('button', { name: '清除筛选条件' }).click();
    await page.getByText(/共 \d+ 条/).waitFor();
  });

  test('the exported file is exactly the rows of the filter', async () => {
    await open(`?type=2&model=%3D${other}`);
    const expected = await root.logs(`type=2&model_name=${other}`);
    const load = async (name: string) => {
      await page.getByRole('button', { name: '导出', exact: true }).click();
      const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name }).click()]);
      await seeNotice(page, /^已导出/);
      return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') };
    };
    const ndjson = await load('导出 NDJSON');
    expect(ndjson.name).toMatch(/^log_.*\.ndjson$/);
    const lines = ndjson.text.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as LogEntry)).toEqual(expected);
    const csv = await load('导出 CSV');
    expect(csv.text).toMatch(/^\uFEFFid,time,type,/);
    expect(csv.text.trim().split('\r\n')).toHaveLength(expected.length + 1);
    expect(csv.text).toContain('"walk, ""quoted"""');
  });

  test('a call that just happened appears while the log is live', async () => {
    await open();
    // What is there when it begins has not arrived since: it asks from the newest of those rows on.
    const asks = page.waitForRequest((request) => new URL(request.url()).pathname === '/api/log/tail');
    await page.getByRole('button', { name: '实时' }).click();
    await page.getByText('实时更新中，新到 0 条').waitFor();
    await asks;
    expect((await ask('now', other)).status).toBe(200);
    await page.getByText('实时更新中，新到 1 条').waitFor();
    await expect.poll(() => rows().nth(1).textContent()).toContain(other);
    await isUsable(page);
    await page.getByRole('button', { name: '实时' }).click();
    await page.getByText(/共 \d+ 条/).waitFor();
  });

  test('a failed call stands there in red, with both request ids, its route and its bodies', async () => {
    upstream.script(() => ({
      status: 400,
      headers: { 'x-request-id': 'req_of_upstream_1' },
      body: { error: { message: 'bad idea' } },
    }));
    const answer = await ask('fail please');
    expect(answer.status).toBe(400);
    const requestId = answer.headers.get('x-oneapi-request-id') ?? '';
    upstream.script([]);
    await expect.poll(async () => (await root.logs('type=5')).length).toBe(1);
    await open(`?type=5&request=${requestId}`);
    await expect.poll(() => rows().count()).toBe(2);
    await page.getByRole('table', { name: '日志' }).getByText('错误', { exact: true }).waitFor();
    await page.getByRole('button', { name: '详情' }).click();
    await page.getByText(requestId).waitFor();
    await page.getByText('req_of_upstream_1').first().waitFor();
    await page.getByRole('table', { name: '实际尝试' }).waitFor();
    await page.getByRole('button', { name: '复制请求 ID' }).first().click();
    await expect.poll(() => copied(page)).toBe(requestId);
    await page.getByRole('button', { name: '查看请求与响应' }).click();
    await page.getByRole('region', { name: '请求', exact: true }).getByText('"fail please"').waitFor();
    await isUsable(page);
    await open();
    await keyboardOf(page).fill('上游请求 ID', 'req_of_upstream_1');
    await expect.poll(() => page.url()).toContain('upstream=req_of_upstream_1');
    await expect.poll(() => rows().count()).toBe(2);
    await page.getByText('共 1 条').waitFor();
  });

  test('a row leads to its user, its channel and its token, and the channel back to its rows', async () => {
    await open('?type=2');
    await page.getByRole('button', { name: '查看用户 root' }).first().click();
    await page.getByRole('dialog', { name: '用户 root' }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page
      .getByRole('link', { name: `打开渠道 #${channel}` })
      .first()
      .click();
    await page.waitForURL(`**/channel?keyword=${channel}`);
    await rowOf(page, 'main').getByRole('button', { name: '更多操作' }).click();
    await page.getByRole('menuitem', { name: '调用日志' }).click();
    await page.waitForURL(`**/log?channel=${channel}`);
    await page.getByRole('link', { name: 'walk, "quoted"' }).first().click();
    await page.waitForURL('**/token?keyword=*');
  });

  test('what a row says of itself keeps room beside the columns of administrators', async () => {
    const details = async (width: number) => {
      await page.setViewportSize({ width, height: 900 });
      await open('?type=2');
      await rows().nth(1).waitFor();
      expect(await scrollsSideways(page)).toBe(false);
      return (await page.getByRole('columnheader', { name: '详情' }).last().boundingBox())?.width ?? 0;
    };
    expect(await details(1280)).toBeGreaterThan(200);
    expect(await details(1440)).toBeGreaterThan(360);
  });

  test('columns that were put away stay away', async () => {
    await open('?type=2');
    await page.getByRole('button', { name: '选择列' }).click();
    await page.getByRole('menuitemcheckbox', { name: '分组' }).click();
    await page.keyboard.press('Escape');
    await page.reload();
    await page.getByRole('columnheader', { name: '令牌' }).waitFor();
    expect(await page.getByRole('columnheader', { name: '分组' }).count()).toBe(0);
  });
});
