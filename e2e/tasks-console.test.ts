import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath } from './support/browser.ts';
import { type Console, signIn } from './support/console-client.ts';
import { accessibilityFaults, isUsable, rowOf } from './support/console-walk.ts';
import type { Gateway } from './support/gateway.ts';
import { openAsRoot, type RootInBrowser } from './support/root-in-browser.ts';
import { movie, startTaskUpstream, type TaskUpstream } from './support/task-upstream.ts';

describe.skipIf(chromiumPath === undefined)('drawings and tasks in a browser', () => {
  let upstream: TaskUpstream;
  let gateway: Gateway;
  let root: Console;
  let key: string;
  let shown: RootInBrowser;
  let page: Page;

  beforeAll(async () => {
    upstream = await startTaskUpstream();
    const base_url = upstream.url;
    shown = await openAsRoot({
      env: { TASK_POLL_SECONDS: '0.2', EGRESS_REWRITE: `cdn.discordapp.com=${base_url}` },
      async prepare(console) {
        await console.addChannel({ type: 5, name: 'drawings', base_url, models: 'mj_imagine', key: 'mj-key-12345678' });
        await console.addChannel({ type: 36, name: 'music', base_url, models: 'suno_music', key: 'suno-key-12345678' });
        await console.addChannel({ type: 1, name: 'videos', base_url, models: 'sora-2', key: 'video-key-12345678' });
        await console.setOption('DrawingEnabled', true);
        await console.setOption('TaskEnabled', true);
        key = (await console.addToken({ name: 'tasks' })).key;
      },
    });
    ({ gateway, root, page } = shown);
  });
  afterAll(async () => {
    await shown.close();
    await upstream.close();
  });

  // biome-ignore lint/suspicious/noExplicitAny: answers of three protocols
  const submit = async (path: string, body: unknown): Promise<any> => {
    const headers = { Authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await fetch(gateway.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(answer.status).toBe(200);
    return answer.json();
  };
  const imagine = async (prompt: string): Promise<string> => (await submit('/mj/submit/imagine', { prompt })).result;
  const open = async (name: string) => {
    await page.getByRole('navigation', { name: '主菜单' }).getByRole('link', { name, exact: true }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await page.getByRole('button', { name: '刷新' }).click();
  };

  test('a drawing moves while the page is open, and ends as its picture', async () => {
    const id = await imagine('一只戴帽子的猫，站在雪山之巅眺望远方的海');
    await page.reload();
    await open('绘图');
    const row = rowOf(page, id);
    await row.getByRole('progressbar', { name: '已提交：0%' }).waitFor();
    upstream.set(id, { status: 'IN_PROGRESS', progress: '40%', promptEn: 'a cat with a hat' });
    await row.getByRole('progressbar', { name: '执行中：40%' }).waitFor();
    await page.getByText('有任务进行中，页面自动更新').waitFor();
    upstream.set(id, { status: 'SUCCESS', progress: '100%', imageUrl: 'https://cdn.discordapp.com/pic.png' });
    await row.getByRole('progressbar', { name: '成功：100%' }).waitFor();
    await expect.poll(() => page.getByText('有任务进行中，页面自动更新').count()).toBe(0);
    await row.getByRole('link', { name: '查看图片' }).click();
    const picture = page.getByRole('dialog', { name: `结果图片：${id}` }).getByRole('img');
    await expect.poll(() => picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth)).toBe(1);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await row.getByRole('button', { name: /戴帽子的猫/ }).click();
    await page.getByRole('dialog').getByText('一只戴帽子的猫，站在雪山之巅眺望远方的海', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await isUsable(page);
  });

  test('a failed drawing says why, in red, and what was refused says so', async () => {
    const id = await imagine('a second cat');
    upstream.onSubmit({ body: { code: 24, description: 'a banned word' } });
    await submit('/mj/submit/imagine', { prompt: 'a banned cat' });
    upstream.set(id, { status: 'FAILURE', failReason: 'the upstream gave up' });
    await open('绘图');
    const row = rowOf(page, id);
    await row.getByRole('progressbar', { name: '失败：100%' }).waitFor();
    await row.getByRole('button', { name: 'the upstream gave up' }).click();
    await page.getByRole('dialog', { name: `失败原因：${id}` }).waitFor();
    await page.keyboard.press('Escape');
    await rowOf(page, 'a banned word').getByText('含敏感词').waitFor();
  });

  test('filters live in the address, and find by task, state and time', async () => {
    const id = await imagine('the one that is looked for');
    upstream.set(id, { status: 'SUCCESS', progress: '100%' });
    await open('绘图');
    await page.getByRole('searchbox', { name: '任务 ID' }).fill(id);
    await expect.poll(() => page.url()).toContain(`id=${id}`);
    const rows = page.getByRole('table', { name: '绘图' }).getByRole('row');
    await expect.poll(() => rows.count()).toBe(2);
    await page.getByRole('combobox', { name: '任务状态' }).selectOption('FAILURE');
    await page.getByText('没有符合条件的记录').waitFor();
    await page.getByRole('button', { name: '清除筛选条件' }).click();
    await expect.poll(() => rows.count()).toBeGreaterThan(2);
    await page.getByRole('combobox', { name: '任务状态' }).selectOption('FAILURE');
    await rowOf(page, 'a banned word').waitFor();
    await expect.poll(() => rowOf(page, id).count()).toBe(0);
  });

  test('music and videos have their own page, and move there', async () => {
    const { data: song } = await submit('/suno/submit/music', { prompt: 'a song of autumn' });
    const { id: video } = await submit('/v1/videos', { model: 'sora-2', prompt: 'a river' });
    await open('异步任务');
    await rowOf(page, song).getByText('生成音乐').waitFor();
    await rowOf(page, video).getByText('生成视频').waitFor();
    upstream.set(song, { status: 'SUCCESS', progress: '100%', data: [{ id: 'clip', title: '秋' }] });
    await rowOf(page, song).getByRole('progressbar', { name: '成功：100%' }).waitFor();
    await rowOf(page, song).getByRole('button', { name: '查看' }).click();
    await page.getByRole('dialog').getByText('"title": "秋"').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('combobox', { name: '平台' }).selectOption('video');
    await expect.poll(() => rowOf(page, song).count()).toBe(0);
    await rowOf(page, video).waitFor();
    await isUsable(page);
  });

  test('a video is told to be waited for, then played to its owner, and to nobody else', async () => {
    const { id } = await submit('/v1/videos', { model: 'sora-2', prompt: 'a lake' });
    const place = `/pg/videos/${id}/content`;
    await open('异步任务');
    await rowOf(page, id).getByRole('progressbar').waitFor();
    expect(await rowOf(page, id).getByRole('button', { name: '查看' }).count()).toBe(0);
    upstream.set(id, { status: 'completed', progress: 100 });
    await rowOf(page, id).getByRole('progressbar', { name: '成功：100%' }).waitFor();
    const refusals: string[] = [];
    page.on('console', (message) => message.text().includes('Content Security Policy') && refusals.push(message.text()));
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.url().endsWith(place)),
      rowOf(page, id).getByRole('button', { name: '查看' }).click(),
    ]);
    expect([answer.status(), (await answer.body()).equals(movie)]).toEqual([200, true]);
    const player = page.getByRole('dialog', { name: `结果：${id}` }).locator('video');
    await expect.poll(() => player.evaluate((video) => (video as unknown as { src: string }).src)).toMatch(/^blob:/);
    // These bytes are no film: the player found out for itself, where its policy lets it have them.
    await expect.poll(() => player.evaluate((video) => (video as unknown as { error?: { code: number } }).error?.code)).toBe(4);
    expect(refusals).toEqual([]);
    const [saved] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: '保存视频' }).click()]);
    expect([saved.suggestedFilename(), (await readFile(await saved.path())).equals(movie)]).toEqual([`${id}.mp4`, true]);
    await page.keyboard.press('Escape');
    const person = { username: 'stranger', password: 'correct-horse-battery' };
    await root.call('POST', '/api/user/', person);
    const stranger = await signIn(gateway.url, person.username, person.password);
    const status = async (headers: Record<string, string>) => (await fetch(gateway.url + place, { headers })).status;
    const statuses = [root.headers, stranger.headers, { Authorization: `Bearer ${key}` }, {}].map(status);
    expect(await Promise.all(statuses)).toEqual([200, 404, 400, 401]);
    // Deleted by a program meanwhile.
    await fetch(`${gateway.url}/v1/videos/${id}`, { method: 'DELETE', headers: { Authorization: `Bearer ${key}` } });
    await rowOf(page, id).getByRole('button', { name: '查看' }).click();
    await page.getByRole('alert').getByText(`找不到视频 ${id}`).waitFor();
    await page.keyboard.press('Escape');
  });

  test('the menu follows the switches, and administrators are told that callbacks are off', async () => {
    await open('绘图');
    await page.getByText(/绘图回调未开启/).waitFor();
    await root.setOption('MjNotifyEnabled', true);
    await root.setOption('TaskEnabled', false);
    await page.reload();
    await page.getByRole('heading', { level: 1, name: '绘图' }).waitFor();
    await expect.poll(() => page.getByRole('link', { name: '异步任务' }).count()).toBe(0);
    await expect.poll(() => page.getByText(/绘图回调未开启/).count()).toBe(0);
  });
});
