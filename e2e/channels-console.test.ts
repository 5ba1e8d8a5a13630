import type { Channel } from '@tollgate/contract';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { chromiumPath } from './support/browser.ts';
import type { Console } from './support/console-client.ts';
import { rowOf, seeNotice } from './support/console-walk.ts';
import type { Gateway } from './support/gateway.ts';
import { type MockUpstream, startMockUpstream } from './support/mock-upstream.ts';
import { openAsRoot, type RootInBrowser } from './support/root-in-browser.ts';

const refused = 'sk-refused-credential';
const model = 'gpt-4o-mini';

describe.skipIf(chromiumPath === undefined)('the channel list in a browser', () => {
  let upstream: MockUpstream;
  let gateway: Gateway;
  let root: Console;
  let shown: RootInBrowser;
  let page: Page;

  beforeAll(async () => {
    upstream = await startMockUpstream({ models: [model, 'gpt-4o', 'brand-new-model'] });
    shown = await openAsRoot();
    ({ gateway, root, page } = shown);
  });
  beforeEach(async () => {
    upstream.reset();
    upstream.script(({ headers }) =>
      headers.authorization === `Bearer ${refused}`
        ? { status: 401, body: { error: { message: 'Incorrect API key provided', type: 'x', code: 'invalid_api_key' } } }
        : undefined,
    );
    for (const { id } of await all()) await root.call('DELETE', `/api/channel/${id}/`);
  });
  afterAll(async () => {
    await shown.close();
    await upstream.close();
  });

  const all = () => root.call<Channel[]>('GET', '/api/channel/?p=0&page_size=100');
  const read = (id: number) => root.call<Channel>('GET', `/api/channel/${id}`);
  const add = (fields: object) =>
    root.addChannel({ base_url: upstream.url, key: 'sk-upstream-0001', models: `${model},gpt-4o`, ...fields });
  const open = async (path: string) => {
    await page.goto(gateway.url + path);
    await page.getByRole('heading', { level: 1 }).waitFor();
  };
  const menu = async (row: string, item: string) => {
    await rowOf(page, row).getByRole('button', { name: '更多操作' }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };

  test('is searched by keyword, model and group, and sorted by id', async () => {
    await add({ name: 'alpha', priority: 5 });
    await add({ name: 'beta', models: 'deepseek-chat', group: 'default,vip' });
    await open('/channel');
    const names = () => page.locator('tbody tr td:nth-child(2)').allTextContents();
    await expect.poll(names).toEqual(['alpha', 'beta']);
    await page.getByRole('switch', { name: 'ID 排序' }).click();
    await expect.poll(names).toEqual(['beta', 'alpha']);
    await page.getByRole('searchbox', { name: 'ID、名称或密钥' }).fill('alph');
    await expect.poll(names).toEqual(['alpha']);
    await page.getByRole('searchbox', { name: 'ID、名称或密钥' }).fill('');
    await page.getByRole('searchbox', { name: '模型关键字' }).fill('deepseek');
    await expect.poll(names).toEqual(['beta']);
    expect(new URL(page.url()).search).toBe('?model=deepseek');
    await page.getByRole('searchbox', { name: '模型关键字' }).fill('');
    await page.getByRole('combobox', { name: '全部分组' }).selectOption('vip');
    await expect.poll(names).toEqual(['beta']);
    await page.getByRole('switch', { name: 'ID 排序' }).click();
  });

  test('shows the largest priority and weight whole, how many a tag has, and that a long tag goes on', async () => {
    await add({ name: 'large', tag: 'tag-'.repeat(60), priority: 1_000_000, weight: 1_000_000 });
    const isWhole = (shown: Locator) => shown.first().evaluate((element) => element.scrollWidth <= element.clientWidth);
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await open('/channel');
      for (const label of ['优先级', '权重'])
        expect(await isWhole(page.getByRole('textbox', { name: label })), `${label} at ${width}`).toBe(true);
      // Where a line is a flex container, it is cut without a sign.
      const badge = page.getByText('tag-tag-').first();
      expect(await badge.evaluate((shown) => String(shown.computedStyleMap().get('display')))).toBe('block');
      await open('/channel?view=tags');
      expect(await isWhole(page.getByText('1 个渠道')), `tag at ${width}`).toBe(true);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  test('tests a channel, also with one of its models, and shows what was measured', async () => {
    const { id } = await add({ name: 'tested' });
    await add({ name: 'refused', key: refused });
    await open('/channel');
    await rowOf(page, 'tested').getByText('未测试').waitFor();
    await rowOf(page, 'tested').getByRole('button', { name: '测试', exact: true }).click();
    await seeNotice(page, /^通道 tested 测试成功，耗时 \d+\.\d\d 秒。$/);
    await rowOf(page, 'tested').getByText('未测试').waitFor({ state: 'detached' });
    await rowOf(page, 'tested').getByRole('button', { name: '选择模型测试' }).click();
    await page.getByRole('menuitem', { name: 'gpt-4o', exact: true }).click();
    await expect.poll(() => upstream.requests().map(({ json }) => json.model)).toEqual([model, 'gpt-4o']);
    await rowOf(page, 'refused').getByRole('button', { name: '测试', exact: true }).click();
    await seeNotice(page, '通道 refused 测试失败：status code 401: Incorrect API key provided');
    await rowOf(page, 'refused').getByText('失败', { exact: true }).waitFor();
    expect((await read(id)).response_time).toBeGreaterThan(0);
  });

  test('asks for a balance on click, checks the upstream, copies and deletes', async () => {
    const { id } = await add({ name: 'handled' });
    await open('/channel');
    await rowOf(page, 'handled').getByRole('button', { name: '余额尚未查询，点击刷新' }).click();
    await seeNotice(page, '通道 handled 余额更新成功！');
    await rowOf(page, 'handled').getByText('$99.50').waitFor();
    await menu('handled', '检测上游');
    const dialog = page.getByRole('dialog', { name: '检测上游：handled' });
    await dialog.getByText('openai-chat').waitFor();
    await dialog.getByRole('button', { name: '关闭' }).last().click();
    await menu('handled', '复制');
    await seeNotice(page, '渠道复制成功');
    await rowOf(page, 'handled_复制').waitFor();
    await menu('handled_复制', '删除');
    await page.getByRole('dialog').getByRole('button', { name: '删除' }).click();
    await rowOf(page, 'handled_复制').waitFor({ state: 'detached' });
    expect((await all()).map((channel) => channel.id)).toEqual([id]);
  });

  test('switches a channel off and on, shades it, and tells who did it', async () => {
    const { id } = await add({ name: 'switched' });
    await open('/channel');
    await rowOf(page, 'switched').getByRole('button', { name: '禁用' }).click();
    await rowOf(page, 'switched').getByText('已禁用').waitFor();
    expect(await rowOf(page, 'switched').getAttribute('data-muted')).toBe('true');
    // The list shows it before the server has it.
    await expect.poll(async () => (await read(id)).status).toBe(2);
    await rowOf(page, 'switched').getByRole('button', { name: '启用' }).click();
    await expect.poll(async () => (await read(id)).status).toBe(1);
    await menu('switched', '健康与时间线');
    const drawer = page.getByRole('dialog', { name: '健康：switched' });
    await drawer.getByText('手动启用').waitFor();
    expect(await drawer.getByText('手动禁用').count()).toBe(1);
    expect(await drawer.getByText('操作者：root').count()).toBe(2);
  });

  test('shows a run over all channels, refuses a second one, and says why a channel was switched off', async () => {
    await root.setOption('AutomaticDisableChannelEnabled', true);
    const { id } = await add({ name: 'dying', key: refused });
    for (let k = 0; k < 3; k += 1) await add({ name: `slow ${k}` });
    // The run lasts until it was seen.
    const looked = Promise.withResolvers<void>();
    upstream.script(({ headers }) =>
      headers.authorization === `Bearer ${refused}`
        ? { status: 401, body: { error: { message: 'Incorrect API key provided', code: 'invalid_api_key' } } }
        : { until: looked.promise },
    );
    await open('/channel');
    await page.getByRole('button', { name: '测试所有通道' }).click();
    await seeNotice(page, '已成功开始测试所有已启用通道，请刷新页面查看结果。');
    await page.getByRole('progressbar', { name: '正在测试通道' }).waitFor();
    await page.getByRole('button', { name: '测试所有通道' }).click();
    await seeNotice(page, '测试已在运行中');
    looked.resolve();
    const panel = page.getByRole('region', { name: '进度' });
    await panel.getByText('4 / 4').waitFor({ timeout: 15_000 });
    await panel.getByText('所有通道测试已完成').waitFor();
    await panel.getByText('失败的渠道').click();
    await panel.getByText('status code 401: Incorrect API key provided').waitFor();
    await panel.getByRole('button', { name: '收起进度' }).click();
    await panel.waitFor({ state: 'detached' });
    const state = rowOf(page, 'dying').getByRole('button', { name: '自动禁用' });
    await state.focus();
    expect(await state.getAttribute('data-tip')).toMatch(/^原因：.*Incorrect API key.*，时间：\d{4}-/);
    expect((await read(id)).status).toBe(3);
    await page.getByRole('button', { name: '更多操作' }).first().click();
    await page.getByRole('menuitem', { name: '更新所有已启用通道余额' }).click();
    await page.getByRole('region', { name: '进度' }).getByText('已更新完毕所有已启用通道余额！').waitFor();
    await root.setOption('AutomaticDisableChannelEnabled', false);
  });

  test('repairs the database and deletes what is disabled', async () => {
    const { id } = await add({ name: 'off' });
    await root.call('PUT', '/api/channel/', { id, status: 2 });
    await open('/channel');
    await page.getByRole('button', { name: '更多操作' }).first().click();
    await page.getByRole('menuitem', { name: '修复数据库一致性' }).click();
    await page.getByRole('dialog').getByRole('button', { name: '继续' }).click();
    await seeNotice(page, /^已修复/);
    await page.getByRole('button', { name: '更多操作' }).first().click();
    await page.getByRole('menuitem', { name: '删除所有禁用的渠道' }).click();
    await page.getByRole('dialog').getByRole('button', { name: '删除' }).click();
    await seeNotice(page, '已删除所有禁用渠道，共计 1 个');
    await page.getByText('还没有渠道').waitFor();
  });

  test('sets tags and deletes in batches, and asks for a selection first', async () => {
    for (const name of ['one', 'two', 'three']) await add({ name });
    await open('/channel');
    await page.getByRole('switch', { name: '批量操作' }).click();
    const bar = page.getByRole('region', { name: '批量操作' });
    await bar.getByRole('button', { name: '删除所选' }).click();
    await seeNotice(page, '请先选择要删除的通道！');
    await bar.getByRole('button', { name: '批量设置标签' }).click();
    await seeNotice(page, '请先选择要设置标签的渠道！');
    for (const name of ['one', 'two']) await rowOf(page, name).getByRole('checkbox').click();
    await bar.getByText('已选 2 个').waitFor();
    await bar.getByRole('button', { name: '批量设置标签' }).click();
    const dialog = page.getByRole('dialog', { name: '为 2 个渠道设置标签' });
    await dialog.getByRole('button', { name: '保存' }).click();
    await dialog.getByText('标签不能为空！').waitFor();
    await dialog.getByLabel('标签').fill('pool');
    await page.keyboard.press('Enter');
    await seeNotice(page, '已为 2 个渠道设置标签！');
    expect((await all()).filter(({ tag }) => tag === 'pool').map(({ name }) => name)).toEqual(['two', 'one']);
    await rowOf(page, 'three').getByRole('checkbox').click();
    await bar.getByRole('button', { name: '删除所选' }).click();
    await page.getByRole('dialog', { name: '删除所选的 1 个渠道？' }).getByRole('button', { name: '删除' }).click();
    await seeNotice(page, '已删除 1 个通道！');
    await expect.poll(async () => (await all()).length).toBe(2);
  });

  test('gathers channels under their tag: open, priority, switch, edit, rename, dissolve', async () => {
    await add({ name: 'first', tag: 'pool', priority: 3, weight: 4 });
    await add({ name: 'second', tag: 'pool', priority: 1, weight: 4 });
    await add({ name: 'untagged' });
    await open('/channel?view=tags');
    const parent = rowOf(page, 'pool');
    await parent.getByText('2 / 2 已启用').waitFor();
    expect(await page.getByText('untagged').count()).toBe(0);
    await parent.getByRole('button', { name: '展开 2 个渠道' }).click();
    await rowOf(page, 'second').waitFor();
    const priority = parent.getByRole('textbox', { name: '优先级' });
    expect([await priority.inputValue(), await priority.getAttribute('placeholder')]).toEqual(['', '多个值']);
    expect(await parent.getByRole('textbox', { name: '权重' }).inputValue()).toBe('4');
    await priority.fill('x');
    await priority.press('Enter');
    await seeNotice(page, '优先级必须是整数！');
    await priority.fill('7');
    await priority.press('Enter');
    await page.getByRole('dialog', { name: '把优先级改为 7？' }).getByRole('button', { name: '保存' }).click();
    await expect.poll(async () => (await all()).map((channel) => channel.priority)).toEqual([7, 7, 0]);
    await parent.getByRole('button', { name: '全部禁用' }).click();
    await page.getByRole('dialog').getByRole('button', { name: '全部禁用' }).click();
    await parent.getByText('0 / 2 已启用').waitFor();
    await parent.getByRole('button', { name: '全部启用' }).click();
    await parent.getByText('2 / 2 已启用').waitFor();

    await parent.getByRole('link', { name: '编辑标签' }).click();
    const drawer = page.getByRole('dialog', { name: '编辑标签：pool' });
    await drawer.getByText('将影响 2 个渠道').waitFor();
    await drawer.getByRole('button', { name: '保存' }).click();
    await seeNotice(page, '没有任何修改！');
    await drawer.getByLabel('模型重定向').focus();
    await drawer.locator('.cm-content').waitFor();
    await page.keyboard.type('nonsense');
    await drawer.getByText('nonsense').waitFor();
    await drawer.getByRole('button', { name: '保存' }).click();
    await drawer.getByText('模型映射必须是合法的 JSON 格式！').waitFor();
    await drawer.locator('.cm-content').fill(`{"${model}": "renamed"}`);
    await drawer.getByLabel('标签名称').fill('lake');
    await drawer.getByRole('button', { name: '保存' }).click();
    await rowOf(page, 'lake').waitFor();
    const renamed = (await all()).filter(({ tag }) => tag === 'lake');
    expect(renamed.map((channel) => channel.model_mapping)).toEqual(Array(2).fill(`{"${model}": "renamed"}`));

    await rowOf(page, 'lake').getByRole('link', { name: '编辑标签' }).click();
    await page.getByRole('dialog', { name: '编辑标签：lake' }).getByLabel('标签名称').fill('');
    await page.getByRole('dialog', { name: '编辑标签：lake' }).getByRole('button', { name: '保存' }).click();
    await page.getByRole('dialog', { name: '解散标签「lake」？' }).getByRole('button', { name: '解散标签' }).click();
    await page.getByText('还没有带标签的渠道').waitFor();
    expect((await all()).map(({ tag }) => tag)).toEqual(['', '', '']);
  });
});
