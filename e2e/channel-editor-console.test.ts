import type { Channel } from '@tollgate/contract';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { chromiumPath } from './support/browser.ts';
import type { Console } from './support/console-client.ts';
import { accessibilityFaults, rowOf, scrollsSideways, seeNotice } from './support/console-walk.ts';
import type { Gateway } from './support/gateway.ts';
import { type MockUpstream, startMockUpstream } from './support/mock-upstream.ts';
import { openAsRoot, type RootInBrowser } from './support/root-in-browser.ts';
import { ask } from './support/routing.ts';
import { settled } from './support/settled.ts';

const model = 'gpt-4o-mini';

describe.skipIf(chromiumPath === undefined)('the channel editor and the route of a call in a browser', () => {
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
  const drawerOn = async (path: string, name: string): Promise<Locator> => {
    await page.goto(gateway.url + path);
    const drawer = page.getByRole('dialog', { name });
    await drawer.waitFor();
    return drawer;
  };
  const chooseType = async (drawer: Locator, label: string) => {
    await drawer.getByRole('combobox', { name: '类型' }).fill(label);
    await page.getByRole('option', { name: label, exact: true }).click();
  };

  test('asks for what each type needs', async () => {
    const drawer = await drawerOn('/channel/add', '添加渠道');
    const asked: [type: string, fields: string[]][] = [
      ['Azure OpenAI', ['部署的终结点', '默认 API 版本']],
      ['自定义渠道', ['完整的接口地址', '额外设置']],
      ['讯飞星火认知', ['模型版本']],
      ['知识库：AI Proxy', ['知识库 ID']],
      ['知识库：FastGPT', ['私有部署地址']],
      ['Suno API', ['接口路径前缀']],
      ['Cloudflare', ['账户 ID']],
      ['Vertex AI', ['部署地区']],
      ['OpenAI', ['组织']],
    ];
    for (const [type, fields] of asked) {
      await chooseType(drawer, type);
      for (const field of fields) await drawer.getByLabel(field).first().waitFor();
    }
    await chooseType(drawer, 'Dify');
    await drawer.getByText('目前仅适配 chatflow 和 agent 应用，agent 暂不支持图片。').waitFor();
  });

  test('fetches models with the values as typed, takes over what was chosen, and tests what it created', async () => {
    const drawer = await drawerOn('/channel/add', '添加渠道');
    await drawer.getByRole('button', { name: '获取模型列表' }).click();
    await seeNotice(page, '请先填写密钥，再获取模型列表。');
    await drawer.getByLabel('名称', { exact: false }).first().fill('fetched');
    await drawer.getByLabel('接口地址').fill(upstream.url);
    await drawer.getByRole('textbox', { name: '密钥' }).fill('sk-typed-0001');
    await drawer.getByLabel('自定义模型名称（用逗号分隔）').fill('vanished-model, gpt-4o');
    await drawer.getByRole('button', { name: '填入', exact: true }).click();
    await drawer.getByRole('button', { name: '获取模型列表' }).click();
    const picker = page.getByRole('dialog', { name: '上游的模型' });
    await picker.getByText('新增（2）').first().waitFor();
    await picker.getByRole('checkbox', { name: model }).click();
    await picker.getByRole('checkbox', { name: 'vanished-model' }).click();
    await picker.getByRole('button', { name: '应用选择（2）' }).click();
    await drawer.getByText('已选 2 个').waitFor();
    expect(upstream.requests().map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ['/v1/models', 'Bearer sk-typed-0001'],
    ]);
    await drawer.getByRole('button', { name: '创建并测试' }).click();
    await seeNotice(page, /^通道 fetched 测试成功/);
    const [created] = await all();
    expect(created).toMatchObject({ name: 'fetched', models: `gpt-4o,${model}` });
  });

  test('what a field has to say that is left does not move what is pressed', async () => {
    const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
    // Nothing is scrolled there: the browser holds nothing in its place.
    await page.setViewportSize({ width, height: 2000 });
    const drawer = await drawerOn('/channel/add', '添加渠道');
    await drawer.locator('input[name=name]:focus').waitFor();
    await drawer.getByRole('button', { name: '获取模型列表' }).click({ delay: 300 });
    await seeNotice(page, '请先填写密钥，再获取模型列表。');
    await drawer.getByText('请填写渠道名称！').waitFor();
    await page.setViewportSize({ width, height });
  });

  test('does not send a stored key to an address that was only typed', async () => {
    const { id } = await add({ name: 'stored' });
    const drawer = await drawerOn(`/channel/edit/${id}`, '编辑渠道：stored');
    await drawer.getByRole('button', { name: '获取模型列表' }).click();
    await page.getByRole('dialog', { name: '上游的模型' }).getByRole('button', { name: '取消' }).click();
    await drawer.getByLabel('接口地址').fill('http://127.0.0.1:9');
    await drawer.getByRole('button', { name: '获取模型列表' }).click();
    await seeNotice(page, /^请先填写密钥：类型或地址已修改/);
    expect(upstream.requests()).toHaveLength(1);
  });

  test('edits JSON with line errors, keeps several keys together, sets time-outs, and guards what is unsaved', async () => {
    const { id } = await add({ name: 'edited' });
    const drawer = await drawerOn(`/channel/edit/${id}`, '编辑渠道：edited');
    await drawer.getByLabel('模型重定向').focus();
    const editor = drawer.locator('.cm-content').first();
    await editor.waitFor();
    await page.keyboard.type('{\n"a": "b"\n"c": 1');
    await drawer.locator('.cm-lint-marker-error').waitFor();
    await page.keyboard.press('Tab');
    await drawer.getByText('不是合法的 JSON 字符串：第 3 行').waitFor();
    await editor.fill('{"a": "gpt-4o"}');
    await drawer.getByRole('combobox', { name: '多密钥' }).selectOption('polling');
    await drawer.getByRole('textbox', { name: '密钥' }).fill('sk-one-11112222\nsk-two-33334444');
    await drawer.getByText(/^这 2 个密钥将替换已保存的全部密钥/).waitFor();
    await drawer.getByLabel('首字节超时（毫秒）').fill('5');
    await drawer.getByText('first_byte_timeout_ms 必须是 10 到 86400000 之间的整数').first().waitFor();
    await drawer.getByLabel('首字节超时（毫秒）').fill('20000');
    await drawer.getByLabel('对冲等待（毫秒）').fill('1500');
    await drawer.getByLabel('合并写出（毫秒）').fill('21');
    await drawer.getByText('coalesce_ms 必须是 1 到 20 之间的整数').first().waitFor();
    await drawer.getByLabel('合并写出（毫秒）').fill('15');

    await page.getByRole('button', { name: '关闭' }).first().click();
    await page.getByRole('dialog', { name: '放弃未保存的修改？' }).getByRole('button', { name: '取消' }).click();
    await drawer.getByRole('button', { name: '保存', exact: true }).click();
    await seeNotice(page, '保存成功');
    const saved = await read(id);
    expect(JSON.parse(saved.model_mapping)).toEqual({ a: 'gpt-4o' });
    expect(JSON.parse(saved.setting)).toEqual({
      ...{ multi_key: 'polling', first_byte_timeout_ms: 20_000, hedge_ms: 1500, coalesce_ms: 15 },
    });

    await rowOf(page, 'edited').getByRole('button', { name: '更多操作' }).click();
    await page.getByRole('menuitem', { name: '健康与时间线' }).click();
    const health = page.getByRole('dialog', { name: '健康：edited' });
    await health.getByRole('switch').nth(1).click();
    await health.getByText('密钥被禁用').waitFor();
    await expect.poll(() => health.getByRole('switch', { checked: true }).count()).toBe(1);
  });

  test('asks before it saves an address that ends in /v1', async () => {
    const { id } = await add({ name: 'addressed' });
    const drawer = await drawerOn(`/channel/edit/${id}`, '编辑渠道：addressed');
    await drawer.getByLabel('接口地址').fill(`${upstream.url}/v1`);
    await drawer.getByRole('button', { name: '保存', exact: true }).click();
    const question = page.getByRole('dialog', { name: '接口地址中已有 /v1' });
    await question.getByRole('button', { name: '取消' }).click();
    expect((await read(id)).base_url).toBe(upstream.url);
    await drawer.getByRole('button', { name: '保存', exact: true }).click();
    await question.getByRole('button', { name: '继续' }).click();
    await expect.poll(async () => (await read(id)).base_url).toBe(`${upstream.url}/v1`);
  });

  test('explains a route, also without a channel, and opens the record of a real call', async () => {
    const first = await add({ name: 'first', priority: 10, key: 'sk-dead' });
    const second = await add({ name: 'second', priority: 5 });
    const off = await add({ name: 'third' });
    await root.call('PUT', '/api/channel/', { id: off.id, status: 2 });
    await page.goto(`${gateway.url}/route`);
    await page.getByRole('button', { name: '解释', exact: true }).click();
    await page.getByText('请填写模型名称').waitFor();
    await page.getByLabel('模型').fill(model);
    await page.getByRole('combobox', { name: '分组' }).selectOption('default');
    await page.keyboard.press('Tab');
    await page.getByRole('button', { name: '解释', exact: true }).click();
    const plan = page.getByRole('region', { name: '尝试顺序' }).getByRole('listitem');
    await expect.poll(() => plan.allTextContents()).toEqual([`1#${first.id} firstdefault`, `2#${second.id} seconddefault`]);
    await rowOf(page, 'third').getByText('已手动禁用').waitFor();
    await rowOf(page, 'first').getByRole('button', { name: '假如禁用它' }).click();
    await expect.poll(() => plan.allTextContents()).toEqual([`1#${second.id} seconddefault`]);
    await rowOf(page, 'first').getByText('假设已禁用').waitFor();
    expect(new URL(page.url()).searchParams.get('exclude')).toBe(String(first.id));
    await rowOf(page, 'first').getByRole('button', { name: '恢复' }).click();
    await expect.poll(() => plan.count()).toBe(2);

    upstream.script(({ headers }) => (headers.authorization === 'Bearer sk-dead' ? { status: 500 } : undefined));
    const { key } = await root.addToken();
    expect((await ask(gateway, { model, key })).status).toBe(200);
    await expect.poll(async () => (await root.logs('type=2&token_name=test')).length).toBe(1);
    await page.goto(`${gateway.url}/log?token=test`);
    await page.getByRole('button', { name: '详情' }).first().click();
    await page.getByRole('button', { name: '查看路由过程' }).click();
    const attempts = page.getByRole('table', { name: '实际尝试' }).locator('tbody tr');
    await expect.poll(() => attempts.count()).toBe(2);
    expect(await attempts.first().textContent()).toContain(`#${first.id} first`);
    expect(await attempts.first().textContent()).toContain('500');
    expect(await attempts.nth(1).textContent()).toContain('200');
  });

  test('fits a phone, and has no serious accessibility fault in either theme', async () => {
    const { id } = await add({ name: 'looked at', tag: 'pool', setting: '{"multi_key":"random"}', key: 'sk-1\nsk-2' });
    const paths = [
      '/channel',
      '/channel?view=tags',
      `/channel/edit/${id}`,
      `/channel/health/${id}`,
      `/channel/upstream/${id}`,
      '/channel/tag/pool?view=tags',
      `/route?model=${model}&group=default`,
    ];
    for (const path of paths) {
      await page.goto(gateway.url + path);
      for (const [theme, width] of [
        ['dark', 1440],
        ['light', 390],
      ] as const) {
        await page.setViewportSize({ width, height: 844 });
        await settled(page);
        await page.locator('html').evaluate((html, value) => html.setAttribute('data-theme', value), theme);
        expect(await scrollsSideways(page), `${path} ${width}`).toBe(false);
        expect(await accessibilityFaults(page), `${path} ${theme}`).toEqual([]);
      }
      await page.setViewportSize({ width: 1440, height: 900 });
    }
  });

  test('is reached and left with the keyboard alone', async () => {
    await add({ name: 'by keyboard' });
    await page.goto(`${gateway.url}/channel`);
    await rowOf(page, 'by keyboard').getByRole('button', { name: '选择模型测试' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: model }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const drawer = page.getByRole('dialog', { name: '编辑渠道：by keyboard' });
    await drawer.waitFor();
    await drawer.locator('[data-autofocus]:focus').waitFor();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).toBe('/channel');
  });
});
