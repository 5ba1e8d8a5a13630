import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath } from './support/browser.ts';
import type { Console } from './support/console-client.ts';
import { accessibilityFaults, rowOf, scrollsSideways, seeNotice } from './support/console-walk.ts';
import type { Gateway } from './support/gateway.ts';
import { type MockUpstream, startMockUpstream } from './support/mock-upstream.ts';
import { postJson } from './support/post-json.ts';
import { openAsRoot, type RootInBrowser } from './support/root-in-browser.ts';

describe.skipIf(chromiumPath === undefined)('the command palette and the first steps in a browser', () => {
  let gateway: Gateway;
  let upstream: MockUpstream;
  let root: Console;
  let shown: RootInBrowser;
  let page: Page;

  beforeAll(async () => {
    upstream = await startMockUpstream();
    shown = await openAsRoot();
    ({ gateway, root, page } = shown);
  });
  afterAll(async () => {
    await shown.close();
    await upstream.close();
  });

  /** What does not depend on the theme is looked for in the light alone. */
  const isCleanInEveryLook = async () => {
    for (const [colorScheme, what] of [
      ['light', 'all'],
      ['dark', 'colours'],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 844 });
        expect(await accessibilityFaults(page, what)).toEqual([]);
        expect(await scrollsSideways(page)).toBe(false);
      }
    }
    await page.setViewportSize({ width: 1440, height: 900 });
  };
  const checklist = () => page.getByRole('region', { name: '快速开始' });
  const says = (text: string) => checklist().getByRole('status').filter({ hasText: text }).waitFor();

  test('the checklist ticks while root adds a channel, tests it, makes a token and calls', async () => {
    await says('已完成 1/6');
    await isCleanInEveryLook();
    await checklist().getByRole('link', { name: '去完成' }).first().click();
    const channel = page.getByRole('dialog', { name: '添加渠道' });
    await channel.getByLabel('名称', { exact: false }).first().fill('starter');
    await channel.getByLabel('接口地址').fill(upstream.url);
    await channel.getByRole('textbox', { name: /^密钥/ }).fill('upstream-key');
    await channel.getByLabel('自定义模型名称（用逗号分隔）').fill('gpt-4o-mini');
    await channel.getByRole('button', { name: '填入', exact: true }).click();
    await channel.getByRole('button', { name: '创建渠道' }).click();
    // Its model has a price from the start.
    await says('已完成 3/6');
    await rowOf(page, 'starter').getByRole('button', { name: '测试', exact: true }).click();
    await seeNotice(page, /^通道 starter 测试成功/);
    await says('已完成 4/6');
    await checklist().getByRole('link', { name: '去完成' }).first().click();
    const token = page.getByRole('dialog', { name: '添加令牌' });
    await token.getByLabel('名称').fill('first');
    await token.getByRole('switch', { name: '无限额度' }).click();
    await token.getByRole('button', { name: '创建令牌' }).click();
    await says('已完成 5/6');

    const { key } = await root.addToken({ name: 'second' });
    const answer = await postJson(`${gateway.url}/v1/chat/completions`, key, {
      model: 'gpt-4o-mini',
      messages: [{ role: 'user', content: 'hi' }],
    });
    expect(answer.status).toBe(200);
    await says('全部完成，网关已可用。');
    await checklist().getByRole('button', { name: '完成', exact: true }).click();
    await checklist().waitFor({ state: 'detached' });
    await page.reload();
    await rowOf(page, 'second').waitFor();
    expect(await checklist().count()).toBe(0);
  }, 90_000);

  const palette = () => page.getByRole('dialog', { name: '命令面板' });
  const find = async (text: string) => {
    await page.keyboard.press('ControlOrMeta+k');
    await palette().getByRole('combobox').waitFor();
    await page.keyboard.type(text);
  };

  test('a page, a channel and a setting are reached by keyboard alone', async () => {
    await find('日志');
    await palette().getByRole('option', { name: '日志' }).first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/log');
    await palette().waitFor({ state: 'detached' });

    await find('strter');
    await palette()
      .getByRole('option', { name: /^starter/ })
      .waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/channel\/edit\/\d+/);
    await page.getByRole('dialog', { name: /starter|编辑渠道/ }).waitFor();

    await page.goto(`${gateway.url}/token`);
    await rowOf(page, 'second').waitFor();
    await page.getByRole('button', { name: /^命令面板/ }).waitFor();
    await find('SMTPPort');
    await palette()
      .getByRole('option', { name: /SMTPPort/ })
      .waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/setting?tab=system#SMTPPort');
    await expect.poll(() => page.locator(':focus').getAttribute('inputmode')).toBe('decimal');
  });

  test('the palette is clean in both themes, wide and narrow, and gives the focus back', async () => {
    await page.goto(`${gateway.url}/token`);
    await rowOf(page, 'second').waitFor();
    await page.getByRole('button', { name: /^命令面板/ }).click();
    await palette().getByRole('option').first().waitFor();
    await isCleanInEveryLook();
    await page.keyboard.press('Escape');
    await palette().waitFor({ state: 'detached' });
    await page.locator('[aria-label^="命令面板"]:focus').waitFor();
  });

  test('the room of the scroll bar is shaded with the page, and only with it', async () => {
    const room = () => page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');
    const plain = await room();
    await page.getByRole('button', { name: '语言' }).click();
    await page.getByRole('menu').waitFor();
    expect(await room()).toBe(plain);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /^命令面板/ }).click();
    await palette().getByRole('option').first().waitFor();
    await expect.poll(room).not.toBe(plain);
    await page.keyboard.press('Escape');
    await palette().waitFor({ state: 'detached' });
    await expect.poll(room).toBe(plain);
  });
});
