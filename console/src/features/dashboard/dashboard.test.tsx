import { screen, waitFor, within } from '@testing-library/react';
import type { Dashboard } from '@tollgate/contract';
import { describe, expect, test } from 'vitest';
import { common, root } from '../../../test/fixtures.ts';
import { ok, refuse } from '../../../test/mock-api.ts';
import { type Rendered, renderApp } from '../../../test/render.tsx';
import { dashboard, emptyDashboard } from '../../../test/usage.ts';
import { modelPattern } from '../../lib/model-filter.ts';
import { parseSearch } from '../../lib/search.ts';
import { duration, percent, seriesCsv, shares, spanOf } from './model.ts';

const on = { enable_data_export: true };

describe('the arithmetic of the page', () => {
  test('the spans of the points are the range, without gap and overlap', () => {
    const range = { buckets: [0, 100, 200], start: 50, end: 249 };
    expect([0, 1, 2].map((index) => spanOf(range, index))).toEqual([
      { from: 50, to: 99 },
      { from: 100, to: 199 },
      { from: 200, to: 249 },
    ]);
  });

  test('less than all is never shown as all', () => {
    expect(percent(0.99999, 2)).toBe('99.99%');
    expect([percent(1, 2), percent(0), percent(null)]).toEqual(['100%', '0%', '–']);
    expect(shares([1, 3])).toEqual([0.25, 0.75]);
    expect(shares([0, 0])).toEqual([0, 0]);
  });

  test('durations have the unit that fits', () =>
    expect([duration(840, 1), duration(1530, 1), duration(75_000, 1), duration(0, 0)]).toEqual([
      '840 ms',
      '1.53 s',
      '75 s',
      '–',
    ]));

  test('a spreadsheet runs no cell of the CSV, and its reader knows whose time it is', () => {
    const [model] = dashboard.models;
    if (!model) throw new Error('no model');
    const evil: Dashboard = { ...dashboard, models: [{ ...model, model_name: '=cmd("x"),1' }] };
    const [head] = seriesCsv(evil, 'calls', { time: 't', total: 's', others: 'o' }).split('\n');
    expect(head).toBe(`\uFEFFt (${Intl.DateTimeFormat().resolvedOptions().timeZone}),s,"'=cmd(""x""),1"`);
  });

  test('a file of what was spent says in which money', () => {
    const words = { time: 't', total: 's', others: 'o' };
    const [plain = '', dollars = ''] = [1, 500_000].map((unit) => seriesCsv(dashboard, 'quota', words, unit));
    const cells = (text: string) => text.split('\n').map((line) => line.split(','));
    expect([cells(plain)[0]?.[1], cells(dollars)[0]?.[1]]).toEqual(['s', 's ($)']);
    for (const [at, line] of cells(plain).entries())
      if (at > 0)
        expect(cells(dollars)[at]?.slice(1)).toEqual(line.slice(1).map((quota) => (Number(quota) / 500_000).toFixed(6)));
  });

  test('a model field asks for parts, patterns or one whole name', () =>
    expect(['gpt', 'gpt%', '=gpt-4o', '', undefined].map(modelPattern)).toEqual(['%gpt%', 'gpt%', 'gpt-4o', '', undefined]));
});

const searchOf = (router: Rendered['router']) => parseSearch(router.state.location.searchStr);

describe('the dashboard', () => {
  test('of small sums and of no calls fits a phone, and leaves no card without a word', async () => {
    const [model] = dashboard.models;
    if (!model) throw new Error('no model');
    const nothing = {
      ...model,
      calls: 0,
      quota: 0,
      tokens: 0,
      errors: 2,
      series: model.series.map((point) => ({ ...point, quota: 0 })),
    };
    const failed = { ...dashboard, models: [nothing], totals: { ...dashboard.totals, calls: 0, quota: 0, errors: 2 } };
    renderApp('/detail', {
      signedIn: common,
      status: on,
      override: ({ path }) => (path === '/api/data/self/dashboard' ? ok(failed) : undefined),
    });
    const spent = await screen.findByRole('region', { name: '模型消耗分布' });
    expect(within(spent).getByText('$1.00')).toBeTruthy();
    const share = screen.getByRole('region', { name: '模型调用次数占比' });
    expect(within(share).getByText('这段时间没有调用')).toBeTruthy();
  });

  test('says that rows of the log are not in it yet', async () => {
    renderApp('/detail', {
      signedIn: root,
      status: on,
      override: ({ path }) => (path === '/api/data/dashboard' ? ok({ ...dashboard, unsummed: 2_900_000 }) : undefined),
    });
    expect(await screen.findByText('还有约 2.9M 行日志未计入，正在汇总')).toBeTruthy();
  });

  test('leads from numbers to the rows that they sum', async () => {
    const { router, user } = renderApp('/detail?user=alice', { signedIn: root, status: on });
    const models = await screen.findByRole('region', { name: '模型概览' });
    await user.click(within(within(models).getByRole('row', { name: /^gpt-4o / })).getByRole('link', { name: '1,357' }));
    expect(router.state.location.pathname).toBe('/log');
    const { start, end } = dashboard;
    expect(searchOf(router)).toEqual({ from: `${start}`, to: `${end}`, model: '=gpt-4o', user: 'alice', type: '2' });
  });

  test('points are chosen by keys, told in words and opened with Enter', async () => {
    const { router, user } = renderApp('/detail', { signedIn: root, status: on });
    const slider = await screen.findByRole('slider', { name: /选择时间点/ });
    expect(slider.getAttribute('aria-valuetext')).toMatch(/: \$1\.31$/);
    slider.focus();
    await user.keyboard('{Enter}');
    expect(searchOf(router)).toMatchObject({ from: `${dashboard.buckets.at(-1)}`, to: `${dashboard.end}` });
  });

  test('the same numbers stand in a table', async () => {
    const { user } = renderApp('/detail', { signedIn: root, status: on });
    await user.click(await screen.findByRole('button', { name: '以表格显示' }));
    const table = within(await screen.findByRole('region', { name: '各时间点的用量' })).getByRole('table');
    expect(within(table).getAllByRole('row')).toHaveLength(25);
    within(table).getByRole('columnheader', { name: 'gpt-4o' });
  });

  test('users read their own and see neither users nor channels', async () => {
    const { calls } = renderApp('/detail?by=day&token=work', { signedIn: common, status: on });
    await screen.findByText('模型消耗分布');
    const call = calls.find(({ path }) => path.startsWith('/api/data'));
    expect(call).toMatchObject({ path: '/api/data/self/dashboard', query: { granularity: 'day', token_name: 'work' } });
    expect(call?.query.time_zone).toBe(Intl.DateTimeFormat().resolvedOptions().timeZone);
    expect(screen.queryByText('用户消耗分布')).toBeNull();
    expect(screen.queryByText('渠道健康')).toBeNull();
  });

  test('users see which of their tokens spent it, and go to its rows', async () => {
    const { router, user } = renderApp('/detail', { signedIn: common, status: on });
    const link = await screen.findByRole('link', { name: 'codex' });
    const list = within(link.closest('ol') as HTMLElement);
    expect(list.getAllByRole('listitem').map(({ textContent }) => textContent?.replace(/[\d,]+ 次.*/, ''))).toEqual([
      '生产环境',
      'codex',
      'notebook',
      '其他',
    ]);
    await user.click(link);
    expect(searchOf(router)).toMatchObject({ token: 'codex', from: `${dashboard.start}` });
  });

  test('of many channels the dearest are shown and those in trouble, all of them on request', async () => {
    const [healthy] = dashboard.channels;
    if (!healthy) return expect.unreachable();
    const channels = Array.from({ length: 60 }, (_, index) => ({ ...healthy, id: index + 1, name: `c${index + 1}` }));
    channels[39] = { ...healthy, id: 40, name: 'off by itself', status: 3 };
    channels[59] = { ...healthy, id: 60, name: 'failing', calls: 1, errors: 1 };
    const { user } = renderApp('/detail', {
      signedIn: root,
      status: on,
      override: ({ path }) => (path === '/api/data/dashboard' ? ok({ ...dashboard, channels }) : undefined),
    });
    const table = within(await screen.findByRole('region', { name: '渠道健康' }));
    const names = () => table.getAllByRole('link', { name: /#\d+$/ }).map(({ textContent }) => textContent);
    await waitFor(() => expect(names()).toHaveLength(22));
    expect(names().slice(-2)).toEqual(['off by itself #40', 'failing #60']);
    await user.click(screen.getByRole('button', { name: '显示全部 60 个渠道' }));
    await waitFor(() => expect(names()).toHaveLength(60));
    expect(screen.queryByRole('button', { name: /^显示全部/ })).toBeNull();
  });

  test('the users that have no place of their own are a row too: the bars of all are measured by it', async () => {
    const users = Array.from({ length: 11 }, (_, rank) => ({
      ...{ user_id: rank < 10 ? rank + 2 : 0, username: rank < 10 ? `user${rank}` : '' },
      ...{ calls: 1, errors: 0, quota: rank < 10 ? 1_000_000 : 4_000_000, tokens: 1 },
    }));
    renderApp('/detail', {
      signedIn: root,
      status: on,
      override: ({ path }) => (path === '/api/data/dashboard' ? ok({ ...dashboard, users }) : undefined),
    });
    const list = (await screen.findByRole('link', { name: 'user9' })).closest('ol') as HTMLElement;
    expect(within(list).getAllByRole('listitem').at(-1)?.textContent).toContain('其他');
  });

  test('says once that it could not be read again, above the charts that it had', async () => {
    let down = false;
    const { user } = renderApp('/detail', {
      signedIn: root,
      status: on,
      override: ({ path }) => (path === '/api/data/dashboard' && down ? refuse('数据库不可用', 500) : undefined),
    });
    await screen.findByRole('region', { name: '模型概览' });
    down = true;
    await user.click(screen.getByRole('button', { name: '刷新' }));
    expect((await screen.findByRole('alert')).textContent).toContain('数据库不可用');
    screen.getByRole('region', { name: '模型概览' });
  });

  test('numbers that could not be read are not waited for', async () => {
    renderApp('/detail', {
      signedIn: common,
      status: on,
      override: ({ path }) => (path === '/api/data/self/dashboard' ? refuse('数据库不可用', 500) : undefined),
    });
    await screen.findByRole('alert');
    expect((await screen.findByText('平均 RPM')).nextElementSibling?.textContent).toBe('–');
  });

  test('the balance is a link once it is known: one without words says nothing', async () => {
    renderApp('/detail', {
      signedIn: common,
      status: on,
      override: ({ path }) => (path === '/api/user/self' ? refuse('数据库不可用', 500) : undefined),
    });
    const value = (await screen.findByText('当前余额')).nextElementSibling as HTMLElement;
    expect(within(value).queryByRole('link')).toBeNull();
  });

  test('the balance is no longer waited for where it could not be read, and is read again with the rest', async () => {
    let down = true;
    const { user } = renderApp('/detail', {
      signedIn: common,
      status: on,
      override: ({ path }) => (path === '/api/user/self' && down ? refuse('数据库不可用', 500) : undefined),
    });
    const value = (await screen.findByText('当前余额')).nextElementSibling as HTMLElement;
    await waitFor(() => expect(value.textContent).toBe('–'));
    const chip = (await within(screen.getByRole('banner')).findByText('余额')).nextElementSibling;
    // It may have come later, and asked once more.
    await waitFor(() => expect(chip?.textContent).toBe('–'));
    down = false;
    await user.click(screen.getByRole('button', { name: '刷新' }));
    expect(await within(value).findByRole('link')).toBeTruthy();
  });

  test('without a call it offers the month that the range of this name is', async () => {
    const app = renderApp('/detail', {
      signedIn: common,
      status: on,
      override: ({ path }) => (path === '/api/data/self/dashboard' ? ok(emptyDashboard) : undefined),
    });
    await screen.findByText('这段时间没有调用');
    await app.user.click(screen.getByRole('button', { name: '查看近 30 天' }));
    const midnight = new Date().setHours(-24 * 29, 0, 0, 0) / 1000;
    await waitFor(() => expect(app.router.state.location.href).toContain(`from=${midnight}`));
  });

  test('the menu has it when data export is on', async () => {
    renderApp('/token', { signedIn: common, status: on });
    expect((await screen.findByRole('link', { name: '数据看板' })).getAttribute('href')).toBe('/detail');
  });
});
