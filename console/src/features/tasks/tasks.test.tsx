import { cleanup, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { common, root } from '../../../test/fixtures.ts';
import { ok, refuse } from '../../../test/mock-api.ts';
import { renderApp } from '../../../test/render.tsx';
import { taskOf } from '../../../test/tasks.ts';
import { defaultTaskRange, faceOfAction, faceOfPlatform, resultOf, soundsOf } from './model.ts';
import { readTaskSearch } from './search.ts';

const headers = () => screen.getAllByRole('columnheader').map((cell) => cell.textContent);

describe('what a task shows', () => {
  it('starts with today', () => {
    const noon = new Date(2026, 10, 20, 12).getTime() / 1000;
    expect(defaultTaskRange(noon)).toEqual({ from: new Date(2026, 10, 20).getTime() / 1000, to: noon + 3600 });
  });

  it('has words for what is known, and shows the rest as it is', () => {
    expect([faceOfAction('MUSIC').text, faceOfAction('LYRICS').text, faceOfAction('x').text]).toEqual([
      '生成音乐',
      '生成歌词',
      'x',
    ]);
    expect([faceOfPlatform('video').text, faceOfPlatform('later').text]).toEqual(['视频', 'later']);
  });

  it('writes results of any kind, and nothing for none', () => {
    expect(['', null, undefined].map((data) => resultOf(taskOf({ data })))).toEqual(['', '', '']);
    expect(resultOf(taskOf({ data: 'text' }))).toBe('text');
    expect(resultOf(taskOf({ data: { a: 1 } }))).toBe('{\n  "a": 1\n}');
    expect(resultOf(taskOf({ platform: 'video', status: 'QUEUED', data: { id: 'video_1' } }))).toBe('');
  });
});

describe('the task log', () => {
  it('keeps every filter in the address', () => {
    const raw = { from: '100', to: '200', id: 'a', platform: 'suno', status: 'FAILURE', channel: '3', user: '12' };
    expect(readTaskSearch(raw)).toEqual({ ...raw, from: 100, to: 200, channel: 3, p: undefined, size: undefined });
  });

  it('is narrowed by the states that its tasks can have: drawings alone wait for a choice', async () => {
    const states = async (path: string) => {
      renderApp(path, { signedIn: common });
      const field = await screen.findByRole('combobox', { name: '任务状态' });
      const texts = within(field)
        .getAllByRole('option')
        .map((option) => option.textContent);
      cleanup();
      return texts;
    };
    expect(await states('/task')).toEqual(['全部状态', '未启动', '已提交', '排队中', '执行中', '未知', '失败', '成功']);
    expect(await states('/midjourney')).toContain('等待输入');
  });

  it('asks an administrator for everybody, in seconds, with every filter of the address', async () => {
    const app = renderApp('/task?from=100&to=200&id=0d3f&channel=36&platform=suno&status=SUCCESS&user=alice', { signedIn: root });
    await screen.findByText('0d3f7a52-5cde-4f0e-a1b5-6b5f1f1f0003');
    expect(app.calls.find(({ path }) => path === '/api/task')?.query).toEqual({
      p: '0',
      page_size: '10',
      peek: 'true',
      start_timestamp: '100',
      end_timestamp: '200',
      task_id: '0d3f',
      channel_id: '36',
      platform: 'suno',
      status: 'SUCCESS',
      username: 'alice',
    });
    expect(headers()).toEqual([
      '提交时间',
      '结束时间',
      '用时',
      '渠道',
      '用户',
      '平台',
      '操作',
      '任务 ID',
      '任务状态',
      '花费',
      '进度',
      '提示词',
      '结果',
      '失败原因',
    ]);
  });

  it('says whose a task is, and leads there', async () => {
    const rows = [taskOf({ id: 2 }), taskOf({ id: 1, user_id: 31, username: '' })];
    renderApp('/task', { signedIn: root, override: ({ path }) => (path === '/api/task' ? ok(rows) : undefined) });
    const link = await screen.findByRole('link', { name: 'alice' });
    expect(link.getAttribute('href')).toBe('/user?keyword=alice');
    expect(screen.getByRole('link', { name: '#31' }).getAttribute('href')).toBe('/user?keyword=31');
  });

  it('shows other users their own, without channels', async () => {
    const app = renderApp('/task', { signedIn: common });
    await screen.findByText('video_691f0b2c');
    expect(app.calls.some(({ path }) => path === '/api/task')).toBe(false);
    expect(headers()).not.toContain('渠道');
    expect(headers()).not.toContain('用户');
  });

  it('says what a task cost, what it holds until it ends, and nothing of one that failed', async () => {
    const tasks = (['SUCCESS', 'IN_PROGRESS', 'FAILURE'] as const).map((status, index) =>
      taskOf({ id: index + 1, status, quota: 200_000, task_id: status }),
    );
    renderApp('/task', {
      signedIn: root,
      override: ({ path }) => (path === '/api/task' ? ok(tasks) : undefined),
    });
    await screen.findByText('IN_PROGRESS');
    const at = headers().indexOf('花费');
    const rows = screen.getAllByRole('row').slice(1);
    expect(rows.map((row) => within(row).getAllByRole('cell')[at]?.textContent)).toEqual(['$0.40', '预留中 $0.40', '']);
  });

  it('opens the result in full, to be followed and copied', async () => {
    const app = renderApp('/task', {
      signedIn: root,
      override: ({ path }) => (path === '/api/task' ? ok([taskOf({ data: { url: 'https://x.example/a' } })]) : undefined),
    });
    await app.user.click(await screen.findByRole('button', { name: '查看' }));
    const dialog = await screen.findByRole('dialog');
    expect(dialog.textContent).toContain('"url": "https://x.example/a"');
    const link = within(dialog).getByRole<HTMLAnchorElement>('link', { name: 'https://x.example/a' });
    expect([link.href, link.rel]).toEqual(['https://x.example/a', 'noreferrer']);
    await app.user.click(within(dialog).getByRole('button', { name: '复制全部' }));
    await waitFor(async () => expect(await navigator.clipboard.readText()).toBe('{\n  "url": "https://x.example/a"\n}'));
  });

  it('plays the songs of a task, which are fetched when somebody does', async () => {
    const clip = (title: unknown, audio_url: unknown) => ({ title, audio_url });
    const good = clip('秋', 'https://cdn.example.org/1.mp3');
    const data = [good, clip(7, 'https://cdn.example.org/2.mp3'), clip('x', 'http://10.0.0.1/3.mp3'), clip('y', 4), null];
    expect(soundsOf(taskOf({ data })).map(({ title, src }) => [title, src.at(-5)])).toEqual([
      ['秋', '1'],
      ['', '2'],
    ]);
    expect(soundsOf(taskOf({ data: good }))).toHaveLength(1);
    expect(soundsOf(taskOf({ data: Array(20).fill(good) }))).toHaveLength(8);
    for (const none of [{ data: 'text' }, { data: null }, { data, status: 'IN_PROGRESS' }, { data, platform: 'video' }] as const)
      expect(soundsOf(taskOf(none))).toEqual([]);
    const app = renderApp('/task', {
      signedIn: root,
      override: ({ path }) => (path === '/api/task' ? ok([taskOf({ data })]) : undefined),
    });
    await app.user.click(await screen.findByRole('button', { name: '查看' }));
    const player = (await within(await screen.findByRole('dialog')).findByLabelText('秋')) as HTMLAudioElement;
    expect([player.preload, player.src, player.controls]).toEqual(['none', good.audio_url, true]);
  });

  it('leads to the API for a video that a page cannot hold', async () => {
    const video = taskOf({ platform: 'video', status: 'SUCCESS', user_id: root.id, task_id: 'video_1', data: { id: 'video_1' } });
    const app = renderApp('/task', {
      signedIn: root,
      override: ({ path }) => (path === '/api/task' ? ok([video]) : undefined),
    });
    const shown = await screen.findByRole('button', { name: '查看' });
    const part = { byteLength: 2e9 };
    const body = { getReader: () => ({ read: async () => ({ value: part }), cancel: async () => undefined }) };
    vi.stubGlobal('fetch', async () => ({ ok: true, status: 200, headers: new Headers({ 'Content-Type': 'video/mp4' }), body }));
    await app.user.click(shown);
    expect((await within(await screen.findByRole('dialog')).findByRole('alert')).textContent).toContain('API 下载');
  });

  it('narrows by platform, and clears what finds nothing', async () => {
    const app = renderApp('/task', {
      signedIn: common,
      override: ({ path, query }) => (path === '/api/task/self' && query.platform ? ok([]) : undefined),
    });
    await screen.findByText('video_691f0b2c');
    await app.user.selectOptions(screen.getByRole('combobox', { name: '平台' }), 'video');
    await waitFor(() => expect(app.router.state.location.href).toBe('/task?platform=video'));
    await app.user.click(await screen.findByRole('button', { name: '清除筛选条件' }));
    await waitFor(() => expect(app.router.state.location.href).toBe('/task'));
    await screen.findByText('video_691f0b2c');
  });

  it('takes all filters back at once, and leaves the time', async () => {
    const app = renderApp('/task?platform=video&status=SUCCESS&from=1795000000', { signedIn: common });
    await app.user.click(await screen.findByRole('button', { name: '取消筛选' }));
    await waitFor(() => expect(app.router.state.location.href).toBe('/task?from=1795000000'));
    expect(screen.queryByRole('button', { name: '取消筛选' })).toBeNull();
  });

  it('says that there is nothing yet, and what failed', async () => {
    renderApp('/task', { signedIn: common, override: ({ path }) => (path === '/api/task/self' ? ok([]) : undefined) });
    await screen.findByText('这段时间没有异步任务');
    renderApp('/task', { signedIn: common, override: ({ path }) => (path === '/api/task/self' ? refuse('出错了') : undefined) });
    await screen.findByText(/出错了/);
  });
});
