import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { rootPassword } from './gateway.ts';
import { eventually } from './wait.ts';

/** Signs in as root through the login page; ends on /token. */
export async function signInAsRoot(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/login`);
  await page.getByLabel('用户名或邮箱').fill('root');
  await page.getByLabel('密码', { exact: true }).fill(rootPassword);
  await page.getByRole('main').getByRole('button', { name: '登录', exact: true }).click();
  await page.waitForURL('**/token');
}

/** The table row that holds a text. */
export const rowOf = (page: Page, text: string): Locator => page.getByRole('row').filter({ hasText: text }).first();

/** Waits for a notice with this text. */
export async function seeNotice(page: Page, text: string | RegExp): Promise<void> {
  await page.getByRole('region', { name: '通知' }).getByText(text).first().waitFor();
}

/** What was copied last: the browser writes it down after the click. */
export const copied = (page: Page): Promise<string> => page.evaluate('navigator.clipboard.readText()');

/** The short form: every page that is looked at reads all of it. */
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The rules whose findings another theme may change. */
const colourRules = ['color-contrast', 'link-in-text-block'];

/** Inside of axe: of a rule that has an impact, every finding has it. */
interface WithRules {
  readonly _audit: { readonly rules: readonly { readonly id: string; readonly impact: string | null }[] };
}

/** Serious and critical accessibility faults of a page as it stands; `colours` = only those that depend on its theme. */
export async function accessibilityFaults(page: Page, what: 'all' | 'colours' = 'all'): Promise<string[]> {
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(axeSource);
  const rules = what === 'colours' ? colourRules : undefined;
  return page.evaluate(async (runOnly) => {
    const { axe: checker } = globalThis as unknown as { axe: typeof import('axe-core') & WithRules };
    // What cannot be serious is a third of the work.
    const lesser = checker._audit.rules.filter(({ impact }) => impact === 'minor' || impact === 'moderate');
    const rules = Object.fromEntries(lesser.map(({ id }) => [id, { enabled: false }]));
    // Nobody reads the text of each element that was looked at.
    checker.configure({ noHtml: true });
    const { violations } = await checker.run({
      resultTypes: ['violations'],
      preload: false,
      // It is not in any frame, and waits for an answer from each.
      iframes: false,
      ...(runOnly === undefined ? { rules } : { runOnly }),
    });
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
  }, rules);
}

/** Those of both themes, the dark one last, which stays: what does not depend on them is looked for in the light alone. */
export async function faultsInBothThemes(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const [theme, what] of [
    ['light', 'all'],
    ['dark', 'colours'],
  ] as const) {
    await page.locator('html').evaluate((html, value) => html.setAttribute('data-theme', value), theme);
    found.push(...(await accessibilityFaults(page, what)).map((fault) => `${theme}: ${fault}`));
  }
  return found;
}

/** Whether the page stays wider than its window; a page that has just changed its shape has a moment to settle. */
export const scrollsSideways = (page: Page): Promise<boolean> =>
  eventually(async () => {
    if (await page.locator('html').evaluate((root) => root.scrollWidth > root.clientWidth)) throw new Error('too wide');
  }).then(
    () => false,
    () => true,
  );

/**
 * What is a few pixels too high for its place, and so has a scroll bar with nothing to scroll where scroll bars are seen. A
 * text: this workspace has no types of the browser.
 */
export const scrollsByAHair = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`[...document.body.querySelectorAll('*')]
    .filter(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight && scrollHeight < clientHeight + 8)
    .filter((one) => /auto|scroll/.test(getComputedStyle(one).overflowY))
    .map((one) => one.tagName + ' ' + one.className)`);

/** The page as it stands has no faults and fits a small phone, too. */
export async function isUsable(page: Page): Promise<void> {
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.setViewportSize({ width: 360, height: 800 });
  try {
    expect(await scrollsSideways(page)).toBe(false);
    expect(await accessibilityFaults(page)).toEqual([]);
  } finally {
    await page.setViewportSize({ width: 1440, height: 900 });
  }
}
