import { act, screen, waitFor, within } from '@testing-library/react';
import type { Drawing } from '@tollgate/contract';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { common, root } from '../../../test/fixtures.ts';
import { type MockOptions, ok } from '../../../test/mock-api.ts';
import { renderApp } from '../../../test/render.tsx';
import { drawingOf } from '../../../test/tasks.ts';
import { readTaskListSearch } from '../../ui/task/search.ts';
import { durationTone, faceOfStatus, isFinal, percentOf } from '../../ui/task/status.ts';
import { watchMs } from '../../ui/task/useWatched.ts';
import { faceOfAction, faceOfCode } from './model.ts';

const answering =
  (rows: () => Drawing[]): MockOptions['override'] =>
  ({ path }) =>
    path.startsWith('/api/mj') ? ok(rows()) : undefined;
const headers = () => screen.getAllByRole('columnheader').map((cell) => cell.textContent);

describe('what a drawing shows', () => {
  it('is red above a minute', () => {
    expect([60, 61].map(durationTone)).toEqual(['ok', 'bad']);
  });

  it('has words for every state, action and code, and survives those of tomorrow', () => {
    expect(['SUCCESS', '', 'MODAL', 'SOMETHING'].map((status) => faceOfStatus(status).text())).toEqual([
      '成功',
      '正在提交',
      '等待输入',
      '未知',
    ]);
    expect([1, 21, 22, 0].map((code) => faceOfCode(code).text)).toEqual(['已提交', '等待中', '重复提交', '未提交']);
    expect(faceOfCode(77).text).toBe('被拒绝（77）');
    expect(faceOfAction('CUSTOM_ZOOM').text).toBe('自定义变焦');
    expect(faceOfAction('toString').text).toBe('toString');
    expect(['SUCCESS', 'FAILURE', 'MODAL', ''].map(isFinal)).toEqual([true, true, false, false]);
  });

  it('reads progress as a percentage, whatever the text', () => {
    expect(['43%', '100%', '', 'soon', '250%', '-3%'].map(percentOf)).toEqual([43, 100, 0, 0, 100, 0]);
  });
});

describe('the drawing log', () => {
  it('keeps every filter in the address', () => {
    const raw = { from: '100', to: '200', id: 'a', status: 'SUCCESS', channel: '3', p: '2', size: '50' };
    expect(readTaskListSearch(raw)).toEqual({ from: 100, to: 200, id: 'a', status: 'SUCCESS', channel: 3, p: 2, size: 50 });
  });

  it('asks an administrator for everybody, in milliseconds, and shows channel, submit result and status', async () => {
    const app = renderApp('/midjourney?from=100&to=200&id=173&channel=46&status=SUCCESS', { signedIn: root });
    await screen.findByText('1732100000000007');
    expect(app.calls.find(({ path }) => path === '/api/mj')?.query).toEqual({
      p: '0',
      page_size: '10',
      peek: 'true',
      start_timestamp: '100000',
      end_timestamp: '200999',
      mj_id: '173',
      channel_id: '46',
      status: 'SUCCESS',
    });
    expect(headers()).toEqual([
      '提交时间',
      '用时',
      '渠道',
      '用户',
      '操作',
      '任务 ID',
      '提交结果',
      '任务状态',
      '进度',
      '花费',
      '结果图片',
      '提示词',
      '英文提示词',
      '失败原因',
    ]);
  });

  it('shows other users their own of the last 30 days, without the three columns', async () => {
    const app = renderApp('/midjourney?channel=3&user=bob', { signedIn: common });
    await screen.findByText('1732100000000007');
    const query = app.calls.find(({ path }) => path === '/api/mj/self')?.query ?? {};
    expect(query).not.toHaveProperty('channel_id');
    expect(query).not.toHaveProperty('username');
    const span = Number(query.end_timestamp) - Number(query.start_timestamp);
    expect(span).toBe((30 * 86_400 + 3600) * 1000 + 999);
    expect(headers()).not.toContain('渠道');
    expect(headers()).not.toContain('用户');
    expect(headers()).not.toContain('提交结果');
    expect(screen.queryByRole('searchbox', { name: '渠道 ID' })).toBeNull();
  });

  it('opens prompts, reasons and pictures in full', async () => {
    const reason = 'x'.repeat(400);
    const app = renderApp('/midjourney', {
      signedIn: root,
      override: answering(() => [drawingOf({ fail_reason: reason })]),
    });
    await app.user.click(await screen.findByRole('button', { name: reason }));
    const dialog = await screen.findByRole('dialog', { name: '失败原因：1732100000000001' });
    expect(within(dialog).getByText(reason)).toBeTruthy();
    await app.user.keyboard('{Escape}');
    await app.user.click(screen.getByRole('link', { name: '查看图片' }));
    const shown = await screen.findByRole('dialog', { name: '结果图片：1732100000000001' });
    expect(within(shown).getByRole('img').getAttribute('src')).toBe('/mj/image/1732100000000001');
  });

  it('tells administrators, and only them, that callbacks are off', async () => {
    const first = renderApp('/midjourney', { signedIn: root, status: { mj_notify_enabled: false } });
    await screen.findByText(/绘图回调未开启/);
    expect(screen.getByRole('link', { name: '去设置' }).getAttribute('href')).toBe('/setting?tab=operation');
    await act(() => first.router.navigate({ to: '/token' }));
    renderApp('/midjourney', { signedIn: common, status: { mj_notify_enabled: false } });
    await screen.findAllByText('1732100000000007');
    expect(screen.queryByText(/绘图回调未开启/)).toBeNull();
  });

  it('is in the menu while drawing is switched on', async () => {
    renderApp('/token', { signedIn: common, status: { enable_drawing: true, enable_task: false } });
    expect((await screen.findByRole('link', { name: '绘图' })).getAttribute('href')).toBe('/midjourney');
    expect(screen.queryByRole('link', { name: '异步任务' })).toBeNull();
  });
});

describe('progress', () => {
  afterEach(() => void vi.useRealTimers());

  it('moves while something runs, and is not asked for once nothing does', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const states: Drawing[] = [
      drawingOf({ status: 'IN_PROGRESS', progress: '10%', finish_time: 0 }),
      drawingOf({ status: 'IN_PROGRESS', progress: '70%', finish_time: 0 }),
      drawingOf(),
    ];
    const app = renderApp('/midjourney', {
      signedIn: root,
      override: answering(() => [(states.length > 1 ? states.shift() : states[0]) ?? drawingOf()]),
    });
    const asked = () => app.calls.filter(({ path }) => path === '/api/mj').length;
    await screen.findByRole('progressbar', { name: '执行中：10%' });
    expect(screen.getByText('有任务进行中，页面自动更新')).toBeTruthy();
    await act(() => vi.advanceTimersByTimeAsync(watchMs));
    await screen.findByRole('progressbar', { name: '执行中：70%' });
    await act(() => vi.advanceTimersByTimeAsync(watchMs));
    await screen.findByRole('progressbar', { name: '成功：100%' });
    expect(screen.queryByText('有任务进行中，页面自动更新')).toBeNull();
    const before = asked();
    await act(() => vi.advanceTimersByTimeAsync(5 * watchMs));
    expect(asked()).toBe(before);
  });

  it('is not asked for while the page is out of sight', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const app = renderApp('/midjourney', {
      signedIn: root,
      override: answering(() => [drawingOf({ status: 'IN_PROGRESS', progress: '10%', finish_time: 0 })]),
    });
    await screen.findByRole('progressbar', { name: '执行中：10%' });
    const hidden = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
    act(() => void document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
    const before = app.calls.length;
    await act(() => vi.advanceTimersByTimeAsync(5 * watchMs));
    expect(app.calls.length).toBe(before);
    hidden.mockRestore();
    act(() => void document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
    await act(() => vi.advanceTimersByTimeAsync(watchMs));
    await waitFor(() => expect(app.calls.length).toBeGreaterThan(before));
  });
});
