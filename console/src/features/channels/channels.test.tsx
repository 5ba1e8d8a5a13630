import { screen, waitFor, within } from '@testing-library/react';
import { channelBody } from '@tollgate/contract';
import { describe, expect, it } from 'vitest';
import { channelOf, channels, common, root } from '../../../test/fixtures.ts';
import { ok, refuse } from '../../../test/mock-api.ts';
import { holdWrites, renderApp, seeNotice } from '../../../test/render.tsx';
import { copyOf, parsePriority, parseTagWeight, parseWeight, responseOf, statusOf, typeOf } from './model.ts';

const rowOf = async (name: string): Promise<HTMLElement> => {
  const row = (await screen.findByText(name)).closest('tr');
  if (!row) throw new Error(`no row for ${name}`);
  return row;
};

describe('the channel list', () => {
  it('is for administrators only', async () => {
    const app = renderApp('/channel', { signedIn: common });
    expect(await screen.findByRole('heading', { name: '没有访问权限' })).toBeTruthy();
    expect(app.calls.some((call) => call.path.startsWith('/api/channel'))).toBe(false);
  });

  it('asks the server for its own page size, so that no row is skipped', async () => {
    const app = renderApp('/channel?size=20', { signedIn: root });
    await rowOf('主线路');
    expect(app.calls.find((call) => call.path === '/api/channel')?.query).toEqual({ p: '0', page_size: '20', peek: 'true' });
    await app.user.click(screen.getByRole('button', { name: '下一页' }));
    await rowOf('主线路 3');
    expect(app.calls.filter((call) => call.path === '/api/channel').at(-1)?.query).toEqual({
      p: '1',
      page_size: '20',
      peek: 'true',
    });
    expect(app.router.state.location.href).toBe('/channel?size=20&p=2');
  });

  it('says that it could not be read again above the rows that it had, until it can', async () => {
    let down = false;
    const app = renderApp('/channel', {
      signedIn: root,
      override: ({ path }) => (path === '/api/channel' && down ? refuse('数据库不可用', 500) : undefined),
    });
    await rowOf('主线路');
    down = true;
    await app.user.click(screen.getByRole('button', { name: '刷新' }));
    const fault = await screen.findByRole('alert');
    expect(fault.textContent).toContain('加载失败');
    expect(fault.textContent).toContain('数据库不可用');
    await rowOf('主线路');
    down = false;
    await app.user.click(within(fault).getByRole('button', { name: '重试' }));
    await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
  });

  it('that could not be read again makes no claim that there is nothing', async () => {
    let down = false;
    const app = renderApp('/channel', {
      signedIn: root,
      override: ({ path }) => (path !== '/api/channel' ? undefined : down ? refuse('数据库不可用', 500) : ok([])),
    });
    await screen.findByText('还没有渠道');
    down = true;
    await app.user.click(screen.getByRole('button', { name: '刷新' }));
    await screen.findByRole('alert');
    expect(screen.queryByText('还没有渠道')).toBeNull();
  });

  it('pages through the result of a search without asking again', async () => {
    const app = renderApp('/channel?keyword=线&size=10', { signedIn: root });
    await rowOf('主线路');
    expect(screen.getByText('共 10 条')).toBeTruthy();
    expect(app.calls.filter((call) => call.path === '/api/channel/search')).toHaveLength(1);
    expect(screen.getByRole('button', { name: '下一页' }).hasAttribute('disabled')).toBe(true);
  });

  it('is narrowed by status and type with all else, in the address and on the server, and cleared again', async () => {
    const app = renderApp('/channel?keyword=主&p=2', { signedIn: root });
    const types = await screen.findByRole('combobox', { name: '全部类型' });
    await app.user.selectOptions(screen.getByRole('combobox', { name: '全部状态' }), '自动禁用');
    await app.user.selectOptions(types, 'Anthropic Claude');
    const asked = { keyword: '主', status: '3', type: '14', p: '0', page_size: '100', peek: 'true' };
    await waitFor(() => expect(app.calls.at(-1)).toMatchObject({ path: '/api/channel/search', query: asked }));
    expect(decodeURI(app.router.state.location.href)).toBe('/channel?keyword=主&status=3&type=14');
    await app.user.click(screen.getByRole('button', { name: '取消筛选' }));
    await rowOf('主线路');
    expect(app.router.state.location.href).toBe('/channel');
  });

  it('searches for a whole key, however long, and still after the page was opened anew', async () => {
    const key = `sk-proj-${'aB3_'.repeat(39)}`;
    const app = renderApp('/channel', { signedIn: root });
    await rowOf('主线路');
    await app.user.click(screen.getByRole('searchbox', { name: 'ID、名称或密钥' }));
    await app.user.paste(key);
    await app.user.keyboard('{Enter}');
    const asked = () => app.calls.find((call) => call.path === '/api/channel/search')?.query.keyword;
    await waitFor(() => expect(asked()).toBe(key));
    expect(app.router.state.location.search).toMatchObject({ keyword: key });
  });

  it('remembers the order by id', async () => {
    const app = renderApp('/channel', { signedIn: root });
    await rowOf('主线路');
    await app.user.click(screen.getByRole('switch', { name: 'ID 排序' }));
    await waitFor(() => expect(app.calls.at(-1)?.query).toMatchObject({ id_sort: 'true' }));
    expect(JSON.parse(localStorage.getItem('table:channel:v1') ?? '{}')).toEqual({ idSort: true });
  });

  it('keeps a change that was taken although the list was read as it was before meanwhile', async () => {
    const app = renderApp('/channel', { signedIn: root });
    const row = within(await rowOf('主线路'));
    const { taken } = holdWrites();
    await app.user.click(row.getByRole('button', { name: '禁用' }));
    await row.findByText('已禁用');
    await app.user.click(screen.getByRole('button', { name: '刷新' }));
    await row.findByText('已启用');
    taken();
    expect(await row.findByText('已禁用')).toBeTruthy();
  });

  it('sends a second change of mind when the first has been taken, whatever is shown by then', async () => {
    const app = renderApp('/channel', { signedIn: root });
    const row = within(await rowOf('主线路'));
    const { begun, taken } = holdWrites();
    await app.user.click(row.getByRole('button', { name: '禁用' }));
    await row.findByText('已禁用');
    await app.user.click(row.getByRole('button', { name: '启用' }));
    await row.findByText('已启用');
    expect(begun).toHaveLength(1);
    taken();
    await waitFor(() => expect(app.sent('PUT', '/api/channel')).toMatchObject([{ status: 2 }, { status: 1 }]));
    expect(await row.findByText('已启用')).toBeTruthy();
  });

  it('keeps showing what the server has when an undo is refused', async () => {
    let changes = 0;
    const override = ({ method, path }: { method: string; path: string }) => {
      if (method !== 'PUT' || path !== '/api/channel') return undefined;
      changes += 1;
      return changes === 1 ? undefined : refuse('不行');
    };
    const app = renderApp('/channel', { signedIn: root, override });
    const row = await rowOf('华东节点');
    await app.user.click(within(row).getByRole('button', { name: '禁用' }));
    await app.user.click(await screen.findByRole('button', { name: '撤销' }));
    await seeNotice('不行');
    expect(app.sent('PUT', '/api/channel')).toEqual([
      { id: 44, status: 2 },
      { id: 44, status: 1 },
    ]);
    expect(within(row).getByText('已禁用')).toBeTruthy();
  });

  it('saves a priority with Enter and leaves the row where it is', async () => {
    const app = renderApp('/channel', { signedIn: root });
    const field = within(await rowOf('华东节点')).getByRole<HTMLInputElement>('textbox', { name: '优先级' });
    await app.user.clear(field);
    await app.user.type(field, '-5000{Enter}');
    await waitFor(() => expect(app.sent('PUT', '/api/channel')).toEqual([{ id: 44, priority: -999 }]));
    expect(field.value).toBe('-999');
    const names = screen
      .getAllByRole('row')
      .slice(1, 4)
      .map((row) => row.textContent);
    expect(names[2]).toContain('华东节点');
    expect(app.calls.filter((call) => call.path === '/api/channel' && call.method === 'GET')).toHaveLength(1);
  });

  it('refuses what is no number in the words of the product, and takes an empty field back', async () => {
    const app = renderApp('/channel', { signedIn: root });
    const row = within(await rowOf('华东节点'));
    const priority = row.getByRole<HTMLInputElement>('textbox', { name: '优先级' });
    await app.user.clear(priority);
    await app.user.type(priority, '1.5{Enter}');
    await seeNotice('优先级必须是整数！');
    const weight = row.getByRole<HTMLInputElement>('textbox', { name: '权重' });
    await app.user.clear(weight);
    await app.user.type(weight, 'x{Enter}');
    await seeNotice('权重必须是非负整数！');
    await app.user.clear(weight);
    await app.user.tab();
    expect(weight.value).toBe('14');
    expect(app.sent('PUT', '/api/channel')).toEqual([]);
  });

  it('takes a refused change back', async () => {
    const app = renderApp('/channel', {
      signedIn: root,
      override: ({ method }) => (method === 'PUT' ? refuse('渠道不存在', 404) : undefined),
    });
    const weight = within(await rowOf('华东节点')).getByRole<HTMLInputElement>('textbox', { name: '权重' });
    await app.user.clear(weight);
    await app.user.type(weight, '-3{Enter}');
    await seeNotice('渠道不存在');
    expect(app.sent('PUT', '/api/channel')).toEqual([{ id: 44, weight: 0 }]);
    await waitFor(() => expect(weight.value).toBe('14'));
  });

  it('copies a channel by its id, without a key', async () => {
    const app = renderApp('/channel', { signedIn: root });
    await app.user.click(within(await rowOf('主线路')).getByRole('button', { name: '更多操作' }));
    await app.user.click(await screen.findByRole('menuitem', { name: '复制' }));
    expect(await screen.findByText('渠道复制成功')).toBeTruthy();
    const [body] = app.sent('POST', '/api/channel');
    expect(body).toMatchObject({ name: '主线路_复制', copy_from: 46, models: 'gpt-4o,gpt-4o-mini,o3-mini' });
    expect(body).not.toHaveProperty('key');
    expect(channelBody.safeParse(body).success).toBe(true);
  });

  it('says why a channel was not copied, and under which id the log has it', async () => {
    const app = renderApp('/channel', {
      signedIn: root,
      override: ({ method }) =>
        method === 'POST' ? { ...refuse('数据库忙', 503), headers: { 'X-Oneapi-Request-Id': 'call-1' } } : undefined,
    });
    await app.user.click(within(await rowOf('主线路')).getByRole('button', { name: '更多操作' }));
    await app.user.click(await screen.findByRole('menuitem', { name: '复制' }));
    await seeNotice('渠道复制失败: 数据库忙');
    expect(screen.getByText(/call-1/)).toBeTruthy();
  });

  it('deletes all disabled channels only after a question', async () => {
    const app = renderApp('/channel', {
      signedIn: root,
      override: ({ method }) =>
        method === 'DELETE' ? { status: 200, envelope: { success: true, message: '', data: 9 } } : undefined,
    });
    await rowOf('主线路');
    await app.user.click(screen.getAllByRole('button', { name: '更多操作' })[0] ?? document.body);
    await app.user.click(await screen.findByRole('menuitem', { name: '删除所有禁用的渠道' }));
    const question = await screen.findByRole('dialog', { name: '删除所有禁用的渠道' });
    expect(app.calls.some((call) => call.method === 'DELETE')).toBe(false);
    await app.user.click(within(question).getByRole('button', { name: '删除' }));
    expect(await screen.findByText('已删除所有禁用渠道，共计 9 个')).toBeTruthy();
  });
});

describe('a channel', () => {
  it('says why and when it was switched off', () => {
    const off = channelOf({ status: 3, other_info: '{"status_reason":"401","status_time":0}' });
    expect(statusOf(off).tip).toMatch(/^原因：401，时间：\d{4}-/);
    expect(statusOf({ ...off, status: 2 }).tip).toMatch(/^原因：401/);
    expect(statusOf(channelOf({ status: 3, other_info: 'broken' })).tip).toBeUndefined();
    expect([1, 2, 3, 0].map((status) => statusOf(channelOf({ status })).text)).toEqual([
      '已启用',
      '已禁用',
      '自动禁用',
      '未知状态',
    ]);
  });

  it('shows its response time in the steps of the product', () => {
    expect([1, 1000, 3000, 5000, 5001].map((time) => responseOf(time, 9).tone)).toEqual(['ok', 'ok', 'info', 'warn', 'bad']);
    expect(responseOf(0, 0)).toEqual({ text: '未测试', tone: 'grey' });
    expect(responseOf(0, 9)).toEqual({ text: '失败', tone: 'bad' });
    expect(responseOf(1234, 9).text).toBe('1.23 s');
  });

  it('of an unknown type shows its number', () => {
    expect(typeOf(channelOf({ type: 999 })).label).toBe('#999');
  });

  it('is copied without its figures', () => {
    const copy = copyOf(channels[0] ?? channelOf({}));
    for (const name of ['id', 'balance', 'used_quota', 'response_time', 'test_time', 'other_info', 'status', 'key'])
      expect(copy).not.toHaveProperty(name);
    expect(copyOf(channelOf({ name: `${'c'.repeat(251)}🚀d` })).name).toBe(`${'c'.repeat(251)}_复制`);
    expect([1, 2, 3].map((status) => copyOf(channelOf({ status })).status)).toEqual([undefined, 2, undefined]);
  });

  it('takes priorities from -999 and weights from 0', () => {
    expect(['5', '-999', '-1000', '1.5', '', '1e3'].map(parsePriority)).toEqual([5, -999, -999, undefined, undefined, undefined]);
    expect(['5', '-1', '0', 'x'].map(parseWeight)).toEqual([5, 0, 0, undefined]);
    expect(['5', '-1', '0', 'x'].map(parseTagWeight)).toEqual([5, undefined, 0, undefined]);
  });
});
