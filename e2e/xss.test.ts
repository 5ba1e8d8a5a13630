import type { OptionRow } from '@tollgate/contract';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Browser, chromiumPath, openBrowser } from './support/browser.ts';
import type { Console } from './support/console-client.ts';
import { signInAsRoot } from './support/console-walk.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import { type MockUpstream, startMockUpstream } from './support/mock-upstream.ts';
import { settled } from './support/settled.ts';
import { startTaskUpstream, type TaskUpstream } from './support/task-upstream.ts';
import { vectors } from './support/xss-corpus.ts';
import { contents, writersOf } from './support/xss-writers.ts';

/** Every page that shows what an operator wrote last. A new page is one more line. */
const changing = [
  '/',
  '/about',
  '/login',
  '/register',
  '/topup',
  '/token',
  '/playground',
  '/chat/0',
  '/setting',
  '/setting?tab=other',
];
/** Every page that shows what people and upstreams wrote so far. */
const lists = [
  ...['/pricing', '/token?size=100', '/channel', '/channel?size=100', '/redemption?size=100', '/user?size=100'],
  ...[
    '/log?type=5&size=100',
    '/log?type=2',
    '/detail',
    '/payment',
    '/payment?tab=inbox',
    '/topup/records',
    '/midjourney',
    '/task',
  ],
  ...['/audit?size=100', '/setting?tab=operation', '/setting?tab=history'],
  ...['/channel/edit/4', '/token/edit/2', '/user/edit/3', '/redemption/edit/1'],
  ...[
    '/route?model=<img src=x onerror=alert(1)>',
    '/login?redirect=javascript:alert(1)',
    '/oauth/github?error=<svg onload=alert(1)>',
  ],
];
const model = 'gpt-4o-mini';
const models = [model, 'gpt-4o', 'gpt-4.1'];
/** As many chats and names as an option takes. */
const perRound = 46;
/** Pages on which the corpus must be seen, as text: otherwise this proves nothing. */
const shownOn = [
  ...['/token', '/setting?tab=other', '/token?size=100', '/channel?size=100', '/redemption?size=100', '/user?size=100'],
  ...['/log?type=5&size=100', '/audit?size=100', '/midjourney', '/task'],
];

/** Whether the corpus stands in the text or in a field of an element. */
function writes(element: unknown): boolean {
  const { textContent, querySelectorAll } = element as {
    textContent: string;
    querySelectorAll(query: string): Iterable<{ value: string }>;
  };
  const fields = [...querySelectorAll.call(element, 'input, textarea')].map(({ value }) => value);
  return [textContent, ...fields].some((text) => text.includes('alert(1)'));
}

/** Attributes of the elements in these that could run something. */
function armed(elements: unknown[]): string[] {
  const parts = (
    elements as { querySelectorAll(query: string): Iterable<{ attributes: Iterable<{ name: string; value: string }> }> }[]
  )
    .flatMap((element) => [...element.querySelectorAll('*')])
    .flatMap(({ attributes }) => [...attributes].map(({ name, value }) => `${name}=${value}`));
  return parts.filter((part) => /^(on|srcdoc=)|^(href|src|action|xlink:href)=\s*(javascript|vbscript|data:text)/i.test(part));
}

describe.skipIf(chromiumPath === undefined)('nothing that somebody wrote runs in a page', () => {
  let upstream: MockUpstream;
  let tasks: TaskUpstream;
  let gateway: Gateway;
  let root: Console;
  let browser: Browser;
  let page: Page;
  const ran: string[] = [];

  beforeAll(async () => {
    upstream = await startMockUpstream({ models });
    tasks = await startTaskUpstream();
    gateway = await startGateway({ TASK_POLL_SECONDS: '0.2' });
    root = await gateway.root();
    await root.addChannel({ name: 'main', base_url: upstream.url, key: 'sk-upstream-0001', models: models.join(',') });
    await root.addChannel({ type: 5, name: 'drawings', base_url: tasks.url, models: 'mj_imagine', key: 'mj-key-12345678' });
    await root.addChannel({ type: 36, name: 'music', base_url: tasks.url, models: 'suno_music', key: 'suno-key-12345678' });
    for (const key of ['DrawingEnabled', 'TaskEnabled', 'DataExportEnabled']) await root.setOption(key, true);
    browser = await openBrowser(gateway.url);
    page = await browser.page();
    page.on('dialog', (dialog) => {
      ran.push(`${page.url()}: ${dialog.message()}`);
      void dialog.dismiss();
    });
    await signInAsRoot(page, gateway.url);
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.stop();
    await upstream?.close();
    await tasks?.close();
  });

  /** A page without any policy that trusts what it is given. */
  const trust = async (texts: readonly string[]): Promise<void> => {
    const naive = await browser.context.newPage();
    naive.on('dialog', (dialog) => {
      ran.push(`naive: ${dialog.message()}`);
      void dialog.dismiss();
    });
    await naive.setContent('<!doctype html><body></body>');
    await naive.locator('body').evaluate((element, all) => {
      type Element = { innerHTML: string; ownerDocument: { createElement(name: string): Element }; append(child: Element): void };
      const body = element as unknown as Element;
      for (const text of all) {
        const own = body.ownerDocument.createElement('div');
        body.append(own);
        own.innerHTML = text;
      }
    }, texts);
    // What runs does so with the pictures that cannot be loaded.
    await naive.waitForLoadState('networkidle');
    expect(await naive.locator('body > div').count()).toBeGreaterThanOrEqual(texts.length);
    await naive.close();
  };

  test('the corpus bites: a page that trusts it runs it', async () => {
    await trust(['<img src=x onerror=alert(1)>', '<svg><animate onbegin=alert(1) attributeName=x dur=1s>']);
    expect(ran).not.toEqual([]);
    ran.length = 0;
  });

  test('content is clean in the store: not even a page that trusts it, without a policy, runs any of it', async () => {
    expect(vectors.length).toBeGreaterThanOrEqual(60);
    const stored: string[] = [];
    for (const vector of vectors) {
      const changes = contents.map((key) => ({ key, value: vector }));
      const { body } = await root.raw('PUT', '/api/option/', changes);
      // An address that is none is refused; then there is nothing to show.
      if (!body.success) continue;
      const rows = await root.call<OptionRow[]>('GET', '/api/option/');
      stored.push(...rows.filter(({ key }) => contents.some((known) => known === key)).map(({ value }) => value));
    }
    await trust([...new Set(stored)]);
    expect(ran).toEqual([]);
  });

  /** The vectors, a third to each model. */
  const thirds = models.map((_, index) => vectors.filter((_, at) => at % models.length === index));
  const answers = () => page.getByRole('article');

  test('answers of models: as they come, together and one by one', { timeout: 120_000 }, async () => {
    await root.setOption('Notice', '');
    const own = { ...{ models, group: '', temperature: 0, maxTokens: 0, system: '', tools: '' } };
    const keep = async (turns: unknown[]) => {
      const kept = JSON.stringify({ setup: own, turns });
      await page.evaluate(`localStorage.setItem('playground:${root.userId}', ${JSON.stringify(kept)})`);
      await page.goto(`${gateway.url}/playground`);
    };
    await keep([]);
    upstream.script(({ json }) => {
      const text = thirds[models.indexOf(String(json.model))]?.join('\n\n') ?? '';
      return { text, reasoning: text, chunkDelayMs: 1 };
    });
    await page.getByRole('textbox', { name: /输入消息/ }).fill(vectors.join('\n'));
    await page.keyboard.press('Enter');
    for (const index of models.keys())
      await answers()
        .nth(index)
        .getByText(/输出 \d+ Token/)
        .waitFor();
    expect(await answers().evaluateAll(armed)).toEqual([]);

    const empty = {
      reasoning: '',
      toolCalls: [],
      error: '',
      requestId: '',
      promptTokens: 1,
      completionTokens: 1,
      firstMs: 1,
      totalMs: 1,
    };
    await keep(
      vectors.map((text, index) => ({
        ...{ id: `t${index}`, text, images: [text] },
        answers: [
          {
            ...empty,
            model: text,
            state: 'error',
            text,
            reasoning: text,
            toolCalls: [{ name: text, arguments: text }],
            error: text,
          },
        ],
      })),
    );
    await answers()
      .nth(vectors.length - 1)
      .waitFor();
    expect(await answers().evaluateAll(armed)).toEqual([]);
    await settled(page);
    expect(ran).toEqual([]);
    expect(browser.faults.filter((fault) => fault.includes('uncaught'))).toEqual([]);
    await page.evaluate(`localStorage.removeItem('playground:${root.userId}')`);
  });

  const seen = new Set<string>();
  const walk = async (place: string): Promise<void> => {
    const answer = await page.goto(gateway.url + place);
    const policy = answer?.headers()['content-security-policy'] ?? '';
    expect(policy).toMatch(/script-src 'self'(;|$)/);
    expect(policy).not.toContain('unsafe-eval');
    // A page that asks again and again rests between.
    await settled(page);
    // What stands in the notice stands before the page until somebody has read it.
    const notice = page.getByRole('dialog', { name: '公告' });
    if (await notice.isVisible()) {
      await page.keyboard.press('Escape');
      await notice.waitFor({ state: 'hidden' });
    }
    const detail = page.getByRole('button', { name: '详情', exact: true }).first();
    if (await detail.isVisible()) await detail.click();
    if (await page.locator('body').evaluate(writes)) seen.add(place);
  };

  test('names, models, groups, log texts and content on every page, under the shipped policy', { timeout: 240_000 }, async () => {
    const { key } = await root.addToken({ name: 'caller' });
    // Of what models say the browser tells that it ran none of it.
    const told = browser.faults.length;
    const { write, fail, draw } = writersOf({ url: gateway.url, root, key, upstream, tasks });
    for (let at = 0; at < vectors.length; at += perRound) {
      const texts = vectors.slice(at, at + perRound);
      await write(texts, at / perRound);
      await fail(texts);
      await draw(texts);
      for (const place of changing) await walk(place);
    }
    for (const place of lists) await walk(place);
    expect(shownOn.filter((place) => !seen.has(place))).toEqual([]);
    expect(ran).toEqual([]);
    // Where the policy had to stop something, a page had let it in.
    expect(browser.faults.slice(told).filter((fault) => /Content Security Policy|uncaught/.test(fault))).toEqual([]);
  });
});
