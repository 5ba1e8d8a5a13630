import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Browser, chromiumPath, openBrowser } from './support/browser.ts';
import type { Console } from './support/console-client.ts';
import { accessibilityFaults, rowOf, scrollsSideways, seeNotice, signInAsRoot } from './support/console-walk.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import { type MockUpstream, startMockUpstream } from './support/mock-upstream.ts';

const model = 'gpt-4o-mini';
const unknown = 'house-model';

describe.skipIf(chromiumPath === undefined)('prices in a browser', () => {
  let upstream: MockUpstream;
  let gateway: Gateway;
  let root: Console;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    upstream = await startMockUpstream({ models: [model, unknown] });
    gateway = await startGateway();
    root = await gateway.root();
    await root.addChannel({ name: 'main', base_url: upstream.url, key: 'sk-upstream-0001', models: `${model},${unknown}` });
    browser = await openBrowser(gateway.url);
    page = await browser.page();
    await signInAsRoot(page, gateway.url);
  });
  afterAll(async () => {
    expect(browser.faults).toEqual([]);
    await browser.close();
    await gateway.stop();
    await upstream.close();
  });

  const open = async (path: string) => {
    await page.goto(gateway.url + path);
    await page.getByRole('heading', { level: 1 }).waitFor();
  };
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const priceOf = async (option: string): Promise<unknown> => {
    const rows = await root.call<{ key: string; value: string }[]>('GET', '/api/option/');
    return JSON.parse(rows.find(({ key }) => key === option)?.value ?? 'null');
  };
  const save = async () => {
    await button('预览并保存').click();
    await page.getByRole('table', { name: '总收入' }).waitFor();
    await button('保存价格').click();
    await seeNotice(page, '保存成功');
  };
  const isUsable = async () => {
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 800 });
    expect(await scrollsSideways(page)).toBe(false);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.setViewportSize({ width: 1440, height: 900 });
  };

  test('an unpriced model gets its price in dollars, after a look at what that would have brought', async () => {
    await open('/setting?tab=operation');
    await button('未定价模型（1）').click();
    await button(`设置价格 ${unknown}`).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('模型倍率，美元/1M tokens').fill('3');
    await dialog.getByLabel('补全倍率', { exact: true }).fill('5');
    expect(await accessibilityFaults(page)).toEqual([]);
    await dialog.getByRole('button', { name: '应用' }).click();
    await save();
    expect(await priceOf('ModelRatio')).toEqual({ [unknown]: 1.5 });
    expect(await priceOf('CompletionRatio')).toMatchObject({ [unknown]: 5 });
    await button('可视化编辑').click();
    await expect.poll(() => rowOf(page, unknown).textContent()).toContain('$15');
    await isUsable();
  });

  test('a JSON text with a fault is named by line, mended and saved; the version before it comes back', async () => {
    await open('/setting?tab=operation');
    await button('JSON').click();
    const field = page.getByLabel('ModelPrice', { exact: true });
    await field.focus();
    await page.locator('.cm-content').waitFor();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.insertText(`{"${model}": }`);
    await page
      .getByText(/第 1 行/)
      .first()
      .waitFor();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.insertText(`{"${model}": 0.02}`);
    await save();
    expect(await priceOf('ModelPrice')).toEqual({ [model]: 0.02 });
    await button('历史版本').click();
    await expect.poll(() => page.getByRole('table', { name: '历史版本' }).getByRole('row').count()).toBe(4);
    await rowOf(page, '版本 2').getByRole('button', { name: '回滚到此版本' }).click();
    await page.getByRole('dialog').getByRole('button', { name: '回滚到此版本' }).click();
    await seeNotice(page, '已恢复版本 2 的价格');
    expect(await priceOf('ModelPrice')).toEqual({});
    await isUsable();
  });

  test('the catalogue is compared, and nothing changes by that', async () => {
    await open('/setting?tab=operation');
    await button('同步价格').click();
    await button('获取差异').click();
    await page.getByText(/\d+ 处差异/).waitFor();
    await isUsable();
    expect(await priceOf('ModelPrice')).toEqual({});
  });

  test('a charge is explained to the last digit', async () => {
    const { key } = await root.addToken({ name: 'walk' });
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ model: unknown, messages: [{ role: 'user', content: 'hello' }] }),
    });
    expect(answer.status).toBe(200);
    const charges = () => root.logs('?type=2');
    await expect.poll(async () => (await charges()).length).toBe(1);
    const { quota = 0 } = (await charges())[0] ?? {};
    await open('/log?type=2');
    await rowOf(page, unknown).getByRole('button', { name: '详情' }).click();
    await button('解释这笔费用').click();
    const shown = page.getByRole('region', { name: '这笔费用的计算过程' });
    await shown.getByText('签名有效，重新计算一致').waitFor();
    await expect.poll(() => shown.textContent()).toContain(`(${quota.toLocaleString('en-US')} 点额度)`);
    await isUsable();
  });

  test('the proof of the ledger holds, and runs again', async () => {
    await open('/ledger');
    await page.getByText(/项一致，0 项不一致/).waitFor();
    await button('重新核对').click();
    await page.getByText(/项一致，0 项不一致/).waitFor();
    await isUsable();
  });

  test('prices are public: found, filtered and copied without signing in', async () => {
    await root.call('GET', '/api/user/logout');
    await page.context().clearCookies();
    await page.evaluate('localStorage.removeItem("user")');
    await open('/pricing');
    await page.getByText(/当前显示分组：default/).waitFor();
    await page.getByRole('searchbox', { name: '模糊搜索模型' }).fill('house model');
    await rowOf(page, unknown).getByRole('checkbox').check();
    await expect.poll(() => page.getByRole('table', { name: '模型价格' }).getByRole('row').count()).toBe(2);
    await button('复制所选（1）').click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(unknown);
    await rowOf(page, unknown).getByRole('button', { name: '详情' }).click();
    await page.getByRole('table', { name: unknown }).waitFor();
    await isUsable();
  });
});
