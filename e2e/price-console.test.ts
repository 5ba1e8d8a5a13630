import type { LedgerProof, Token } from '@tollgate/contract';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath } from './support/browser.ts';
import type { Console } from './support/console-client.ts';
import { accessibilityFaults, copied, isUsable, rowOf, seeNotice } from './support/console-walk.ts';
import type { Gateway } from './support/gateway.ts';
import { type MockUpstream, startMockUpstream } from './support/mock-upstream.ts';
import { postJson } from './support/post-json.ts';
import { openAsRoot, type RootInBrowser } from './support/root-in-browser.ts';

const model = 'gpt-4o-mini';
const unknown = 'house-model';

describe.skipIf(chromiumPath === undefined)('prices in a browser', () => {
  let upstream: MockUpstream;
  let gateway: Gateway;
  let root: Console;
  let shown: RootInBrowser;
  let page: Page;

  beforeAll(async () => {
    upstream = await startMockUpstream({ models: [model, unknown] });
    const channel = { name: 'main', base_url: upstream.url, key: 'sk-upstream-0001', models: `${model},${unknown}` };
    shown = await openAsRoot({ prepare: async (console) => void (await console.addChannel(channel)) });
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
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const priceOf = async (option: string): Promise<unknown> => {
    const rows = await root.call<{ key: string; value: string }[]>('GET', '/api/option/');
    return JSON.parse(rows.find(({ key }) => key === option)?.value ?? 'null');
  };
  const versions = async (): Promise<number> =>
    (await root.call<{ total: number }>('GET', '/api/price/versions?p=1&page_size=10')).total;
  const say = async (key: string) => {
    const answer = await postJson(`${gateway.url}/v1/chat/completions`, key, {
      model: unknown,
      messages: [{ role: 'user', content: 'hello' }],
    });
    expect(answer.status).toBe(200);
  };
  const save = async () => {
    await button('预览并保存').click();
    await page.getByRole('table', { name: '总收入' }).waitFor();
    await button('保存价格').click();
    await seeNotice(page, '保存成功');
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
    await isUsable(page);
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
    await isUsable(page);
  });

  test('two JSON texts that are written before the page shows either are both kept', async () => {
    await open('/setting?tab=operation');
    await button('JSON').click();
    for (const label of ['ModelPrice', 'CacheRatio']) {
      await page.getByLabel(label, { exact: true }).focus();
      await page.locator(`.cm-content[aria-label="${label}"]`).waitFor();
    }
    await page.evaluate(`for (const label of ['ModelPrice', 'CacheRatio']) {
      document.querySelector('.cm-content[aria-label="' + label + '"]').focus();
      document.execCommand('selectAll');
      document.execCommand('insertText', false, '{"two-texts": 1}');
    }`);
    await page.getByText('2 个选项有未保存的修改').waitFor();
    await button('放弃修改').click();
    await isUsable(page);
  });

  test('the catalogue is compared, and nothing changes by that', async () => {
    await open('/setting?tab=operation');
    await button('同步价格').click();
    await button('获取差异').click();
    await page.getByText(/\d+ 处差异/).waitFor();
    await isUsable(page);
    expect(await priceOf('ModelPrice')).toEqual({});
  });

  test('groups and tiers are set as tables: twice is refused, cheaper is refused, one save writes one version', async () => {
    await open('/setting?tab=operation');
    const before = await versions();
    await button('分组倍率').click();
    await button('添加分组').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('分组', { exact: true }).fill('vip');
    await dialog.getByRole('button', { name: '应用' }).click();
    await dialog.getByText('分组已存在').waitFor();
    await dialog.getByLabel('分组', { exact: true }).fill('partner');
    await dialog.getByLabel('倍率', { exact: true }).fill('0.7');
    expect(await accessibilityFaults(page)).toEqual([]);
    await dialog.getByRole('button', { name: '应用' }).click();
    await button('添加特殊倍率').click();
    await dialog.getByLabel('用户所在分组').fill('partner');
    await dialog.getByLabel('使用的分组').fill('default');
    await dialog.getByLabel('倍率', { exact: true }).fill('0.5');
    await page.keyboard.press('Enter');
    await rowOf(page, 'partner').first().waitFor();
    await button('阶梯价格').click();
    await button('添加阶梯价格').click();
    await dialog.getByLabel('模型').first().fill('long-model');
    const tier = (number: number) => dialog.getByRole('group', { name: `第 ${number} 档` });
    await tier(1).getByLabel('模型倍率').fill('1');
    await tier(2).getByLabel('模型倍率').fill('0.5');
    await dialog.getByRole('button', { name: '应用' }).click();
    await tier(2).getByText('不能比上一档便宜').first().waitFor();
    await tier(2).getByLabel('模型倍率').fill('2');
    await dialog.getByRole('button', { name: '应用' }).click();
    await expect.poll(() => rowOf(page, 'long-model').textContent()).toContain('> 200K $4');
    await isUsable(page);
    await save();
    expect(await priceOf('GroupRatio')).toMatchObject({ partner: 0.7, vip: 1 });
    expect(await priceOf('GroupGroupRatio')).toEqual({ partner: { default: 0.5 } });
    expect(await priceOf('PriceTiers')).toEqual({ 'long-model': [{ up_to: 200_000, ratio: 1 }, { ratio: 2 }] });
    expect(await versions()).toBe(before + 1);
    await button('历史版本').click();
    await rowOf(page, `版本 ${before}`).getByRole('button', { name: '回滚到此版本' }).click();
    await dialog.getByRole('button', { name: '回滚到此版本' }).click();
    await seeNotice(page, `已恢复版本 ${before} 的价格`);
    expect(await priceOf('GroupRatio')).not.toHaveProperty('partner');
  });

  test('a save that another came before is refused, shows what it would take back, and keeps the rest', async () => {
    await open('/setting?tab=operation');
    await button(`编辑 ${unknown}`).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('模型倍率', { exact: true }).fill('2');
    await dialog.getByRole('button', { name: '应用' }).click();
    await root.setOption('ModelRatio', { [unknown]: 9, [model]: 0.5 });
    await button('预览并保存').click();
    await page.getByRole('table', { name: '总收入' }).waitFor();
    await button('保存价格').click();
    await dialog.getByText('ModelRatio 在您编辑期间已被修改，本次没有保存任何内容，请核对后再次保存').waitFor();
    const taken = dialog.getByRole('region', { name: '编辑期间也被修改的条目' });
    await expect.poll(() => taken.getByRole('row').last().allInnerTexts()).toEqual([`ModelRatio\t${unknown}\t9\t2`]);
    expect(await priceOf('ModelRatio')).toEqual({ [unknown]: 9, [model]: 0.5 });
    expect(await accessibilityFaults(page)).toEqual([]);
    await button('保存价格').click();
    await seeNotice(page, '保存成功');
    expect(await priceOf('ModelRatio')).toEqual({ [unknown]: 2, [model]: 0.5 });
  });

  test('a charge is explained to the last digit', async () => {
    await say((await root.addToken({ name: 'walk' })).key);
    const charges = () => root.logs('?type=2');
    await expect.poll(async () => (await charges()).length).toBe(1);
    const { quota = 0 } = (await charges())[0] ?? {};
    await open('/log?type=2');
    await rowOf(page, unknown).getByRole('button', { name: '详情' }).click();
    await button('解释这笔费用').click();
    const shown = page.getByRole('region', { name: '这笔费用的计算过程' });
    await shown.getByText('签名有效，重新计算一致').waitFor();
    await expect.poll(() => shown.textContent()).toContain(`(${quota.toLocaleString('en-US')} 点额度)`);
    await isUsable(page);
  });

  test('a token form that stood open gives back nothing that was spent meanwhile', async () => {
    const { id, key } = await root.addToken({ name: 'open', unlimited_quota: false, remain_quota: 500_000 });
    const remain = async () => (await root.call<Token>('GET', `/api/token/${id}`)).remain_quota;
    const drawer = page.getByRole('dialog', { name: /^编辑令牌/ });
    const edit = async (field: RegExp, value: string) => {
      await page.goto(`${gateway.url}/token/edit/${id}`);
      await drawer.getByRole('textbox', { name: field }).fill(value);
      const before = await remain();
      await say(key);
      await expect.poll(remain).toBeLessThan(before);
      const spent = before - (await remain());
      await drawer.getByRole('button', { name: '保存' }).click();
      await seeNotice(page, '保存成功');
      return spent;
    };
    const first = await edit(/^名称/, 'renamed');
    expect(await remain()).toBe(500_000 - first);
    const second = await edit(/^额度/, '2');
    expect(await remain()).toBe(1_000_000 - second);
  });

  test("the proof of the ledger holds, says so in the reader's language, and runs again", async () => {
    await open('/ledger');
    // The site may have proven it by itself meanwhile: then all is read on request.
    await page.getByText(/项一致，0 项不一致|最近一次自动核对/).waitFor();
    await button('重新核对').click();
    await page.getByText(/项一致，0 项不一致/).waitFor();
    await page.getByText(/位用户的余额/).waitFor();
    const { checks } = await root.call<LedgerProof>('GET', '/api/ledger/proof');
    // The server's own words stand in for a check that the console does not know.
    for (const { detail } of checks) expect(await page.getByText(detail, { exact: true }).count(), detail).toBe(0);
    await button('重新核对').click();
    await page.getByText(/项一致，0 项不一致/).waitFor();
    await isUsable(page);
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
    await expect.poll(() => copied(page)).toBe(unknown);
    await rowOf(page, unknown).getByRole('button', { name: '详情' }).click();
    await page.getByRole('table', { name: unknown }).waitFor();
    // Beside the figures of a tablet a name keeps its room.
    await page.setViewportSize({ width: 601, height: 900 });
    const name = page.getByRole('cell').filter({ hasText: unknown }).first();
    await expect.poll(async () => (await name.boundingBox())?.width).toBeGreaterThan(140);
    await isUsable(page);
  });
});
