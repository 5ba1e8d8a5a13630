import { screen, waitFor, within } from '@testing-library/react';
import { type ChannelJobs, mostTagged } from '@tollgate/contract';
import { describe, expect, it } from 'vitest';
import { channelOf, idleJob, root } from '../../../test/fixtures.ts';
import { ok, refuse } from '../../../test/mock-api.ts';
import { holdWrites, renderApp, seeNotice } from '../../../test/render.tsx';
import { formatBalance } from './model.ts';
import { figuresOf, tagRowsOf } from './tags.ts';

const pool = [
  channelOf({ id: 7, name: 'seven', tag: 'pool', priority: 3, weight: 4, response_time: 400, used_quota: 10 }),
  channelOf({ id: 5, name: 'five', tag: 'pool', priority: 1, weight: 4, response_time: 0, used_quota: 5, status: 3 }),
];
const lake = channelOf({ id: 6, name: 'six', tag: 'lake', response_time: 600 });

describe('channels under their tag', () => {
  it('become one row per tag that no channel can be taken for', () => {
    expect(tagRowsOf([...pool, lake]).map(({ id, tag, channels }) => [id, tag, channels.length])).toEqual([
      [-5, 'pool', 2],
      [-6, 'lake', 1],
    ]);
  });

  it('are summed, averaged over those tested, and show what they share', () => {
    expect(figuresOf(pool)).toEqual({
      enabled: 1,
      usedQuota: 15,
      responseMs: 400,
      testTime: expect.any(Number),
      priority: undefined,
      weight: 4,
    });
  });

  it('are asked for by tag, and selected all at once', async () => {
    const app = renderApp('/channel?view=tags', {
      signedIn: root,
      override: ({ path }) => (path === '/api/channel' ? ok([...pool, lake]) : undefined),
    });
    await screen.findByText('pool');
    expect(app.calls.find((call) => call.path === '/api/channel')?.query).toEqual({
      p: '0',
      page_size: '10',
      peek: 'true',
      tag_mode: 'true',
    });
    await app.user.click(screen.getByRole('switch', { name: '批量操作' }));
    await app.user.click(screen.getByRole('checkbox', { name: '选择其下 2 项' }));
    expect(await screen.findByText('已选 2 个')).toBeTruthy();
    await app.user.click(await screen.findByRole('button', { name: '删除所选' }));
    const question = within(await screen.findByRole('dialog', { name: '删除所选的 2 个渠道？' }));
    await app.user.click(question.getByRole('button', { name: '删除' }));
    await waitFor(() => expect(app.sent('POST', '/api/channel/batch')).toEqual([{ ids: [7, 5] }]));
  });

  it('are read again when a batch breaks off: what was done of it is gone', async () => {
    let rows = [...pool, lake];
    const app = renderApp('/channel?view=tags', {
      signedIn: root,
      override: ({ path }) => {
        if (path === '/api/channel') return ok(rows);
        if (path !== '/api/channel/batch') return undefined;
        rows = [lake];
        return refuse('数据库不可用', 500);
      },
    });
    await app.user.click(await screen.findByRole('switch', { name: '批量操作' }));
    await app.user.click(await screen.findByRole('checkbox', { name: '选择其下 2 项' }));
    await app.user.click(await screen.findByRole('button', { name: '删除所选' }));
    await app.user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: '删除' }));
    await waitFor(() => expect(screen.queryByText('pool')).toBeNull());
    expect(screen.getByText('lake')).toBeTruthy();
  });

  it('are all reached by a filter, a screen of tags at a time', async () => {
    const many = Array.from({ length: 13 }, (_, at) => channelOf({ id: 900 - at, name: `east ${at}`, tag: `tag ${at}` }));
    const app = renderApp('/channel?view=tags&keyword=east', {
      signedIn: root,
      override: ({ path, query }) =>
        path === '/api/channel/search' ? ok(many.slice(Number(query.p) * Number(query.page_size)).slice(0, 11)) : undefined,
    });
    expect(await screen.findByText('tag 9')).toBeTruthy();
    expect(screen.getByText('共 10+ 条')).toBeTruthy();
    await app.user.click(screen.getByRole('button', { name: '下一页' }));
    expect(await screen.findByText('tag 12')).toBeTruthy();
    expect(screen.getByText('共 13 条')).toBeTruthy();
    const asked = app.calls.filter(({ path }) => path === '/api/channel/search').map(({ query }) => query);
    expect(asked).toEqual(['0', '1'].map((p) => ({ keyword: 'east', p, page_size: '10', peek: 'true', tag_mode: 'true' })));
  });

  it('are said to be cut off where they are too many, and lead to the next page all the same', async () => {
    const many = Array.from({ length: mostTagged }, (_, at) => channelOf({ id: 9000 - at, tag: at < 4990 ? 'sea' : 'pond' }));
    const app = renderApp('/channel?view=tags', {
      signedIn: root,
      override: ({ path, query }) => (path === '/api/channel' ? ok(query.p === '0' ? many : [lake]) : undefined),
    });
    expect(await screen.findByText(/只显示前 5,000 个/)).toBeTruthy();
    await app.user.click(screen.getByRole('button', { name: '下一页' }));
    await screen.findByText('lake');
    expect(screen.queryByText(/只显示前/)).toBeNull();
    expect(screen.getByRole('button', { name: '下一页' }).hasAttribute('disabled')).toBe(true);
  });

  it('draw their channels by the hundred', async () => {
    const many = Array.from({ length: 250 }, (_, at) => channelOf({ id: 9000 - at, name: `ship ${at}`, tag: 'sea' }));
    const app = renderApp('/channel?view=tags', {
      signedIn: root,
      override: ({ path }) => (path === '/api/channel' ? ok(many) : undefined),
    });
    await app.user.click(await screen.findByRole('button', { name: '展开 250 个渠道' }));
    expect(await screen.findAllByText(/^ship /)).toHaveLength(100);
    await app.user.click(screen.getByRole('button', { name: '再显示一些（还有 150 个）' }));
    await app.user.click(await screen.findByRole('button', { name: '再显示一些（还有 50 个）' }));
    await waitFor(() => expect(screen.getAllByText(/^ship /)).toHaveLength(250));
    expect(screen.queryByRole('button', { name: /^再显示/ })).toBeNull();
  });

  it('have no next page where one page holds exactly all of them', async () => {
    const ten = Array.from({ length: 10 }, (_, at) => channelOf({ id: 100 + at, tag: `tag ${at}` }));
    renderApp('/channel?view=tags', {
      signedIn: root,
      override: ({ path }) => (path === '/api/channel' ? ok(ten) : undefined),
    });
    await screen.findByText('tag 9');
    expect(screen.getByRole('button', { name: '下一页' }).hasAttribute('disabled')).toBe(true);
  });

  it('change their priority only after a yes', async () => {
    const app = renderApp('/channel?view=tags', {
      signedIn: root,
      override: ({ path }) => (path === '/api/channel' ? ok(pool) : undefined),
    });
    const row = (await screen.findByText('pool')).closest('tr');
    const field = within(row as HTMLElement).getByRole('textbox', { name: '优先级' });
    await app.user.type(field, '9{Enter}');
    const question = within(await screen.findByRole('dialog', { name: '把优先级改为 9？' }));
    await app.user.click(question.getByRole('button', { name: '取消' }));
    expect(app.sent('PUT', '/api/channel/tag')).toEqual([]);
    await app.user.type(field, '9{Enter}');
    await app.user.click(
      within(await screen.findByRole('dialog', { name: '把优先级改为 9？' })).getByRole('button', { name: '保存' }),
    );
    await waitFor(() => expect(app.sent('PUT', '/api/channel/tag')).toEqual([{ tag: 'pool', priority: 9 }]));
  });
});

describe('upstream balances', () => {
  it('have two decimals and lose the middle of long numbers', () => {
    expect([0, 12.345, 99_999.99, 99_999.996, 100_000, 1_234_567.5].map(formatBalance)).toEqual([
      '$0.00',
      '$12.35',
      '$99999.99',
      '$10..00.00',
      '$10..00.00',
      '$12..67.50',
    ]);
  });
});

describe('batch mode', () => {
  it('asks for a selection before it does anything', async () => {
    const app = renderApp('/channel', { signedIn: root });
    await screen.findByText('主线路');
    await app.user.click(screen.getByRole('switch', { name: '批量操作' }));
    await app.user.click(await screen.findByRole('button', { name: '删除所选' }));
    expect(await screen.findByText('请先选择要删除的通道！')).toBeTruthy();
    await app.user.click(screen.getByRole('button', { name: '批量设置标签' }));
    expect(await screen.findByText('请先选择要设置标签的渠道！')).toBeTruthy();
  });

  it('switches the selected channels off after a yes, and on at once', async () => {
    const app = renderApp('/channel', { signedIn: root });
    await screen.findByText('主线路');
    await app.user.click(screen.getByRole('switch', { name: '批量操作' }));
    const choose = async () => {
      await app.user.click(screen.getByRole('checkbox', { name: '选择 #46' }));
      await app.user.click(screen.getByRole('checkbox', { name: '选择 #45' }));
    };
    await choose();
    const bar = within(await screen.findByRole('region', { name: '批量操作' }));
    await app.user.click(bar.getByRole('button', { name: '禁用' }));
    const dialog = within(await screen.findByRole('dialog', { name: '禁用所选的 2 个？' }));
    await app.user.click(dialog.getByRole('button', { name: '禁用' }));
    const off = [46, 45].map((id) => ({ id, status: 2 }));
    await waitFor(() => expect(app.sent('PUT', '/api/channel')).toEqual(off));
    await bar.findByText('已选 0 个');
    await choose();
    await app.user.click(bar.getByRole('button', { name: '启用' }));
    await waitFor(() => expect(app.sent('PUT', '/api/channel')).toEqual([...off, ...off.map(({ id }) => ({ id, status: 1 }))]));
  });

  it('refuses an empty tag', async () => {
    const app = renderApp('/channel', { signedIn: root });
    await screen.findByText('主线路');
    await app.user.click(screen.getByRole('switch', { name: '批量操作' }));
    await app.user.click(screen.getByRole('checkbox', { name: '选择 #46' }));
    await app.user.click(await screen.findByRole('button', { name: '批量设置标签' }));
    const dialog = within(await screen.findByRole('dialog', { name: '为 1 个渠道设置标签' }));
    await app.user.type(dialog.getByLabelText(/^标签/), '  {Enter}');
    expect(dialog.getByText('标签不能为空！')).toBeTruthy();
    await app.user.type(dialog.getByLabelText(/^标签/), 'pool{Enter}');
    await waitFor(() => expect(app.sent('POST', '/api/channel/batch/tag')).toEqual([{ ids: [46], tag: 'pool' }]));
  });
});

describe('runs over all channels', () => {
  it('show how far they are and what failed, whoever started them', async () => {
    const failed = { id: 3, name: 'three', success: false, message: 'status code 401', time: 1 };
    const jobs: ChannelJobs = { test: { running: true, done: 1, total: 4, failed: 1, results: [failed] }, balance: idleJob };
    renderApp('/channel', { signedIn: root, override: ({ path }) => (path === '/api/channel/jobs' ? ok(jobs) : undefined) });
    const panel = within(await screen.findByRole('region', { name: '进度' }));
    expect(panel.getByText('1 / 4')).toBeTruthy();
    expect(panel.getByText('失败 1 个')).toBeTruthy();
    expect(panel.getByText('status code 401')).toBeTruthy();
  });

  it('that ended early say so, and count what was done although not all of it is kept', async () => {
    let jobs: ChannelJobs = { test: { ...idleJob, running: true, total: 5000 }, balance: idleJob };
    const app = renderApp('/channel', {
      signedIn: root,
      override: ({ path }) => (path === '/api/channel/jobs' ? ok(jobs) : undefined),
    });
    const panel = within(await screen.findByRole('region', { name: '进度' }));
    jobs = { test: { running: false, done: 3000, total: 5000, failed: 1200, results: [] }, balance: idleJob };
    await app.readAgain();
    expect(await panel.findByText('通道测试提前结束')).toBeTruthy();
    expect(panel.getByText('成功 1800 个')).toBeTruthy();
    expect(panel.getByText('失败 1200 个')).toBeTruthy();
    expect(panel.getByRole('progressbar').getAttribute('value')).toBe('3000');
  });

  it('that are over at once leave no row as it was before', async () => {
    let status = 1;
    const app = renderApp('/channel', {
      signedIn: root,
      override({ path }) {
        if (path === '/api/channel') return ok([channelOf({ id: 3, name: 'three', status })]);
        if (path !== '/api/channel/test') return undefined;
        status = 3;
        return ok();
      },
    });
    const row = (await screen.findByText('three')).closest('tr') as HTMLElement;
    within(row).getByText('已启用');
    await app.user.click(screen.getByRole('button', { name: '测试所有通道' }));
    await within(row).findByText('自动禁用');
  });

  it("say the server's refusal of a second start", async () => {
    const app = renderApp('/channel', {
      signedIn: root,
      override: ({ path }) => (path === '/api/channel/test' ? refuse('测试已在运行中') : undefined),
    });
    await screen.findByText('主线路');
    await app.user.click(screen.getByRole('button', { name: '测试所有通道' }));
    await seeNotice('测试已在运行中');
    expect(screen.queryByRole('region', { name: '进度' })).toBeNull();
  });
});

it('the state of a channel and what happened to it are read again together', async () => {
  const app = renderApp('/channel/health/46', {
    signedIn: root,
    override({ path }) {
      if (path.endsWith('/health')) return ok({ keys: [], breakers: [] });
      return path.endsWith('/timeline') ? ok({ items: [], page: 1, page_size: 20, total: 0 }) : undefined;
    },
  });
  const drawer = within(await screen.findByRole('dialog'));
  const read = () => ['health', 'timeline'].map((part) => app.calls.filter(({ path }) => path.endsWith(`/46/${part}`)).length);
  await drawer.findByText('还没有状态变化。');
  expect(read()).toEqual([1, 1]);
  await app.user.click(drawer.getByRole('button', { name: '刷新' }));
  await waitFor(() => expect(read()).toEqual([2, 2]));
});

it('of hundreds of keys those that are off come first, and go together', async () => {
  const keys = [true, false, true, false].map((enabled, index) => ({
    index,
    hint: `…${index}`,
    enabled,
    reason: '',
    changed_at: enabled ? 0 : 1_800_000_000 + index,
  }));
  const app = renderApp('/channel/health/46', {
    signedIn: root,
    override({ path }) {
      if (path.endsWith('/key/disabled')) return ok(2);
      if (path.endsWith('/health')) return ok({ keys, breakers: [] });
      return path.endsWith('/timeline') ? ok({ items: [], page: 1, page_size: 20, total: 0 }) : undefined;
    },
  });
  const drawer = within(await screen.findByRole('dialog'));
  const switches = await drawer.findAllByRole('switch');
  expect(switches.map((one) => one.getAttribute('aria-label'))).toEqual(['#2 …1', '#4 …3', '#1 …0', '#3 …2']);
  await app.user.click(drawer.getByRole('button', { name: '测试 #4 …3' }));
  await waitFor(() => expect(app.calls.find(({ path }) => path === '/api/channel/test/46')?.query.key_index).toBe('3'));
  await app.user.click(drawer.getByRole('button', { name: '删除已禁用的 2 个密钥' }));
  const question = within(await screen.findByRole('dialog', { name: '删除已禁用的 2 个密钥' }));
  await app.user.click(question.getByRole('button', { name: '删除' }));
  const removal = () => app.calls.find(({ method, path }) => method === 'DELETE' && path.endsWith('/46/key/disabled'));
  // As they are shown: one that goes off meanwhile stays.
  await waitFor(() => expect(removal()?.query.until).toBe('1800000003'));
});

it('keys are switched one after the other: each answer is the state of them all', async () => {
  const keys = [0, 1].map((index) => ({ index, hint: `…${index}`, enabled: true, reason: '', changed_at: 0 }));
  const app = renderApp('/channel/health/46', {
    signedIn: root,
    override: ({ method, path }) => (method !== 'GET' || path.endsWith('/health') ? ok({ keys, breakers: [] }) : undefined),
  });
  const drawer = within(await screen.findByRole('dialog'));
  const [first, second] = await drawer.findAllByRole('switch');
  const { begun, taken } = holdWrites();
  await app.user.click(first ?? expect.unreachable());
  await app.user.click(second ?? expect.unreachable());
  expect(begun).toEqual([JSON.stringify({ key_index: 0, enabled: false, hint: '…0' })]);
  taken();
  await waitFor(() => expect(begun).toHaveLength(2));
});
