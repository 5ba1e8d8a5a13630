import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Browser, chromiumPath, openBrowser } from './support/browser.ts';
import type { Console } from './support/console-client.ts';
import { accessibilityFaults, copied, scrollsSideways, signInAsRoot } from './support/console-walk.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import { type MockUpstream, startMockUpstream } from './support/mock-upstream.ts';

const code = '```python\nprint("<b>hi</b>")\n```';
const prose = `Two ways:\n\n1. **fast**\n2. slow\n\n${code}\n\n<img src=x onerror="window.broken=1"> done`;
const looks = process.env.LOOK_DIR;

describe.skipIf(chromiumPath === undefined)('the playground in a browser', () => {
  let upstream: MockUpstream;
  let gateway: Gateway;
  let root: Console;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    upstream = await startMockUpstream();
    gateway = await startGateway();
    root = await gateway.root();
    await root.addChannel({ base_url: upstream.url, models: 'gpt-4o-mini,gpt-4o' });
    browser = await openBrowser(gateway.url);
    page = await browser.page();
    await signInAsRoot(page, gateway.url);
    await page.goto(`${gateway.url}/playground`);
  });
  afterAll(async () => {
    // The browser says of the handler in the answer that it did not run it.
    expect(browser.faults.filter((fault) => !/inline event handler[\s\S]*has been blocked/.test(fault))).toEqual([]);
    await browser.close();
    await gateway.stop();
    await upstream.close();
  });

  const look = async (name: string) => {
    if (looks !== undefined) await page.screenshot({ path: `${looks}/${name}.png` });
  };
  const say = async (text: string) => {
    await page.getByRole('textbox', { name: /输入消息/ }).fill(text);
    await page.keyboard.press('Enter');
  };
  const answers = () => page.getByRole('article');
  const told = () =>
    upstream
      .requests()
      .map(({ json }) => ({ model: json.model, said: (json.messages as { role: string }[]).map(({ role }) => role) }));

  test('a question is answered as it comes, with thoughts folded, code coloured and what it cost', async () => {
    await page.getByText('开始对话').waitFor();
    await look('empty');
    upstream.script([{ text: prose, reasoning: 'Let me think.', chunkDelayMs: 2 }]);
    await say('How?');
    const answer = answers().first();
    await answer.getByText('思考过程').waitFor();
    await answer.getByText(/输入 \d+ · 输出 \d+ Token/).waitFor();
    expect(await answer.locator('strong').textContent()).toBe('fast');
    await answer.locator('pre span').first().waitFor();
    expect(await answer.locator('pre').textContent()).toBe('print("<b>hi</b>")');
    expect(await page.evaluate(() => 'broken' in globalThis)).toBe(false);
    expect(await answer.getByText('Let me think.').isVisible()).toBe(false);
    await answer.getByText('思考过程').click();
    await answer.getByText('Let me think.').waitFor();
    // The row follows the answer.
    await expect
      .poll(async () => (await root.logs('type=2')).map(({ token_name }) => token_name))
      .toEqual(['playground-default']);
    const [row] = await root.logs('type=2');
    await answer.getByText(`$${((row?.quota ?? 0) / 500_000).toFixed(6)}`).waitFor();
    await answer.getByRole('button', { name: '复制代码' }).click();
    await expect.poll(() => copied(page)).toBe('print("<b>hi</b>")');
    await look('answered');
  });

  test('what was said before is said again, and can be edited, asked anew, stopped and taken to a program', async () => {
    await say('And then?');
    await answers().nth(1).getByText('Hello! How can I help you today?').waitFor();
    expect(told().at(-1)?.said).toEqual(['user', 'assistant', 'user']);
    await page.getByRole('button', { name: '重新生成' }).last().click();
    await expect.poll(() => upstream.requests().length).toBe(3);
    await answers()
      .nth(1)
      .getByText(/输出 \d+ Token/)
      .waitFor();
    await page.getByRole('button', { name: '编辑并重新提问' }).first().click();
    await page.getByRole('textbox', { name: '您的消息' }).fill('Why?');
    upstream.script([{ text: 'slow '.repeat(200), chunkDelayMs: 50 }]);
    await page.getByRole('button', { name: '重新提问', exact: true }).click();
    await answers().first().getByText('slow slow').waitFor();
    await page.getByRole('button', { name: '停止' }).click();
    await page.getByText('已停止').waitFor();
    expect(told().at(-1)?.said).toEqual(['user']);
    await expect.poll(() => upstream.requests().at(-1)?.aborted).toBe(true);
    await page.getByRole('button', { name: '查看代码' }).click();
    await page.getByRole('dialog').getByText('"content":"Why?"').waitFor();
    await page.keyboard.press('Escape');
  });

  test('several models answer side by side, and a fault stands where the answer would', async () => {
    await page.getByRole('button', { name: '再加一个模型对比' }).click();
    upstream.script(({ json }) =>
      json.model === 'gpt-4o'
        ? { status: 400, body: { error: { message: 'no pictures on Sundays', type: 'invalid_request_error' } } }
        : {},
    );
    await say('Both of you?');
    await answers().nth(1).getByText('Hello! How can I help you today?').waitFor();
    await answers()
      .nth(2)
      .getByText(/no pictures on Sundays/)
      .waitFor();
    await look('compared');
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test('leaving during an answer keeps the question and what came of the answer, by the menu and by the address', async () => {
    upstream.script(() => ({ text: 'slow '.repeat(400), chunkDelayMs: 50 }));
    await say('Wait for it?');
    const answer = answers().last();
    await answer.getByText('slow slow').waitFor();
    await page.getByRole('link', { name: '令牌', exact: true }).click();
    // The address is there before its page: until then nobody has left.
    await page.getByRole('log').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: '操练场', exact: true }).click();
    await answer.getByText('已停止').waitFor();
    await answer.getByText('slow slow').waitFor();
    await page.getByRole('button', { name: '重新生成' }).last().click();
    await answer.getByText('slow slow').waitFor();
    await page.goto(`${gateway.url}/token`);
    await page.goto(`${gateway.url}/playground`);
    await page.getByText('Wait for it?').waitFor();
    await answer.getByText('已停止').waitFor();
    await answer.getByText('slow slow').waitFor();
  });

  test('the conversation is there after a reload, fits a phone in the dark, and goes when it is told to', async () => {
    upstream.reset();
    await page.reload();
    await page.getByText('Both of you?').waitFor();
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: '参数' }).waitFor();
    await look('phone-dark');
    expect(await scrollsSideways(page)).toBe(false);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: '清除上下文' }).click();
    await page.getByRole('button', { name: '清除', exact: true }).click();
    await page.getByText('开始对话').waitFor();
  });

  test('a word longer than the page is broken, and stands whole in its bubble', async () => {
    upstream.reset();
    const word = 'W'.repeat(300);
    await say(word);
    const room = await page.getByRole('log').boundingBox();
    const bubble = await page.getByText(word).boundingBox();
    expect(bubble?.x).toBeGreaterThan(room?.x ?? Number.POSITIVE_INFINITY);
    await answers()
      .last()
      .getByText(/输出 \d+ Token/)
      .waitFor();
  });

  test('the answer to a long question is in view, and so is what is typed next', async () => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await say('a long question\n'.repeat(100));
    const answer = answers().last().getByText('Hello! How can I help you today?');
    await answer.waitFor();
    const { bottom, height } = await answer.evaluate((text) => ({
      bottom: text.getBoundingClientRect().bottom,
      height: text.ownerDocument.documentElement.clientHeight,
    }));
    expect(bottom).toBeLessThan(height);
    const next = await page.getByRole('textbox', { name: /输入消息/ }).boundingBox();
    expect((next?.y ?? height) + (next?.height ?? 0)).toBeLessThan(height);
  });

  test('the next user of the browser finds nothing of it', async () => {
    upstream.reset();
    await say('For me only?');
    await answers()
      .last()
      .getByText(/输出 \d+ Token/)
      .waitFor();
    const kept = () => page.evaluate<string[]>(`Object.keys(localStorage).filter((key) => key.startsWith('playground'))`);
    await expect.poll(kept).toEqual([`playground:${root.userId}`]);
    await root.call('POST', '/api/user', { username: 'clerk', password: 'clerk-password', display_name: '' });
    await page.getByRole('button', { name: /^用户菜单/ }).click();
    await page.getByRole('menuitem', { name: '退出登录' }).click();
    await page.getByLabel('用户名或邮箱').fill('clerk');
    expect(await kept()).toEqual([]);
    await page.getByLabel('密码', { exact: true }).fill('clerk-password');
    await page.getByRole('main').getByRole('button', { name: '登录', exact: true }).click();
    await page.waitForURL('**/token');
    await page.goto(`${gateway.url}/playground`);
    await page.getByText('开始对话').waitFor();
    expect(await page.getByText('For me only?').count()).toBe(0);
  });

  test('says that the models could not be read, and asks for them again', async () => {
    await page.evaluate('localStorage.removeItem(Object.keys(localStorage).find((key) => key.startsWith("playground")))');
    const models = '**/api/user/models';
    await page.route(models, (route) => route.fulfill({ status: 400, json: { success: false, message: 'not now' } }));
    await page.reload();
    await page.getByRole('alert').getByText('not now').waitFor();
    await page.unroute(models);
    await page.getByRole('button', { name: '重试' }).click();
    await page.getByText('开始对话').waitFor();
    await page.getByLabel('模型', { exact: true }).waitFor();
  });
});
