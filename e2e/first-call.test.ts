import { execFile, execFileSync } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import OpenAI from 'openai';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { shownIn } from './documents/collect.ts';
import { chromiumPath, openBrowser } from './support/browser.ts';
import { findProgram } from './support/find-program.ts';
import { type MockUpstream, startMockUpstream } from './support/mock-upstream.ts';
import { npmStart, type Started } from './support/npm-start.ts';

const repository = path.resolve(import.meta.dirname, '..');
const password = 'correct-horse-battery';
/** Dependencies are installed and the console is built on the way. */
const coldStartMs = 300_000;
/** From a clean clone to the first answer, beside what installing takes. The machine may be slow and busy; a third of it is usual. */
const firstAnswerMs = 180_000;
/** What the README tells to type, and nothing else. */
const typed = shownIn(repository, 'README.md').map(({ text }) => text);

let upstream: MockUpstream;
let checkout: string;
let server: Started;
let url: string;
let startedMs: number;

/** What a clone would hold: every file that git knows or would add, at its present content. */
async function cloneInto(folder: string): Promise<void> {
  const names = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: repository, encoding: 'utf8' });
  for (const name of names.split('\0').filter((entry) => entry !== '')) {
    // A file that was deleted but not committed is still listed.
    await cp(path.join(repository, name), path.join(folder, name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
}

beforeAll(async () => {
  upstream = await startMockUpstream();
  checkout = await mkdtemp(path.join(tmpdir(), 'tollgate-clone-'));
  await cloneInto(checkout);
  startedMs = performance.now();
  expect(typed).toContain('npm start');
  server = await npmStart(checkout);
  url = server.url;
}, coldStartMs);
afterAll(async () => {
  await server?.stop();
  await upstream.close();
  await rm(checkout, { recursive: true, force: true });
}, 60_000);

async function signInAndChangePassword(page: Page): Promise<void> {
  await page.goto(`${url}/login`);
  await page.getByLabel('用户名或邮箱').fill('root');
  await page.getByLabel('密码', { exact: true }).fill('123456');
  await page.getByRole('main').getByRole('button', { name: '登录', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: '您正在使用默认密码！' });
  await dialog.getByLabel('新密码').fill(password);
  await dialog.getByLabel('再次输入密码').fill(password);
  await dialog.getByRole('button', { name: '修改密码' }).click();
  await page.waitForURL('**/token');
}

async function addChannel(page: Page): Promise<void> {
  await page.getByRole('link', { name: '渠道' }).click();
  await page.waitForURL('**/channel');
  await page.goto(`${url}/channel/add`);
  const drawer = page.getByRole('dialog', { name: '添加渠道' });
  await drawer.getByLabel('名称', { exact: false }).first().fill('mock');
  await drawer.getByLabel('接口地址').fill(upstream.url);
  await drawer.getByRole('textbox', { name: /^密钥/ }).fill('upstream-key');
  await drawer.getByLabel('自定义模型名称（用逗号分隔）').fill('gpt-4o-mini');
  await drawer.getByRole('button', { name: '填入', exact: true }).click();
  await drawer.getByRole('button', { name: '创建渠道' }).click();
  await page.getByRole('cell', { name: 'mock', exact: true }).waitFor();
}

async function addToken(page: Page): Promise<string> {
  await page.goto(`${url}/token/add`);
  const drawer = page.getByRole('dialog', { name: '添加令牌' });
  await drawer.getByLabel('名称').fill('first');
  await drawer.getByRole('switch', { name: '无限额度' }).click();
  await drawer.getByRole('button', { name: '创建令牌' }).click();
  const row = page.getByRole('row').filter({ hasText: 'first' });
  await row.waitFor();
  await row.getByRole('button', { name: '查看密钥' }).click();
  const key = /sk-[0-9A-Za-z]{48}/.exec((await row.textContent()) ?? '')?.[0];
  expect(key).toBeDefined();
  return key ?? '';
}

/** The first call of the README, with this server's address and the key in their places. */
async function firstCall(key: string): Promise<string> {
  const [shown = ''] = typed.filter((command) => command.startsWith('curl '));
  const command = shown.replace('http://localhost:3000', url).replace('sk-...', key);
  expect([command.includes(url), command.includes(key)]).toEqual([true, true]);
  return new Promise((resolve, reject) => {
    execFile('/bin/sh', ['-c', command], { timeout: 30_000 }, (error, out) => (error ? reject(error) : resolve(out)));
  });
}

async function balance(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const { id } = JSON.parse(localStorage.getItem('user') ?? '{}') as { id: number };
    const answer = await fetch('/api/user/self', { headers: { 'New-Api-User': String(id) } });
    return ((await answer.json()) as { data: { quota: number } }).data.quota;
  });
}

test.skipIf(chromiumPath === undefined || findProgram('curl') === undefined)(
  'from a clean clone by the README alone: start, sign in, change the password, channel, token, the first call within three minutes; then with the official SDK',
  async () => {
    const browser = await openBrowser(url);
    const page = await browser.page();
    await signInAndChangePassword(page);
    await addChannel(page);
    const apiKey = await addToken(page);
    const before = await balance(page);

    upstream.script(() => ({ promptTokens: 1_000, completionTokens: 500 }));
    expect(JSON.parse(await firstCall(apiKey))).toMatchObject({ choices: [{ message: { role: 'assistant' } }] });
    const tookMs = performance.now() - startedMs;
    const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
    console.log(
      `first start: answered after ${seconds(tookMs)}; installed after ${seconds(server.installMs)}, listening after ${seconds(server.tookMs)}`,
    );
    expect(server.installMs).toBeGreaterThan(0);
    expect(tookMs - server.installMs).toBeLessThan(firstAnswerMs);

    const client = new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 });
    const request = { model: 'gpt-4o-mini', messages: [{ role: 'user' as const, content: 'hi' }] };
    const whole = await client.chat.completions.create(request);
    expect(whole.choices[0]?.message.content).toBe('Hello! How can I help you today?');
    let streamed = '';
    for await (const chunk of await client.chat.completions.create({ ...request, stream: true })) {
      streamed += chunk.choices[0]?.delta.content ?? '';
    }
    expect(streamed).toBe('Hello! How can I help you today?');

    // gpt-4o-mini: 0.15 dollars in, 0.60 out per million = ratio 0.075 and completion ratio 4.
    // (1000 + 500 x 4) x 0.075 = 225 quota for each of the three calls.
    await expect.poll(async () => before - (await balance(page))).toBe(3 * 225);

    await page.goto(`${url}/log`);
    const rows = page.getByRole('row').filter({ hasText: 'gpt-4o-mini' });
    await expect.poll(() => rows.count(), { timeout: 10_000 }).toBe(3);
    const texts = await rows.allTextContents();
    expect(texts.filter((text) => text.includes('非流')).length).toBe(2);
    expect(browser.faults).toEqual([]);
    await browser.close();
  },
  120_000,
);
