import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Browser, chromiumPath, openBrowser } from './support/browser.ts';
import { readRoutes, signedIn, visitors } from './support/console-pages.ts';
import { accessibilityFaults, scrollsByAHair, scrollsSideways, signInAsRoot } from './support/console-walk.ts';
import { furnish, type Ids, placeOf } from './support/furnished.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import { settled } from './support/settled.ts';
import { tabFaults } from './support/tab-walk.ts';
import { startTaskUpstream, type TaskUpstream } from './support/task-upstream.ts';

const wide = { width: 1440, height: 900 };
const phone = { width: 390, height: 844 };
const looks = {
  zh: [
    { size: phone, theme: 'dark' },
    { size: wide, theme: 'light' },
  ],
  en: [
    { size: phone, theme: 'light' },
    { size: wide, theme: 'dark' },
  ],
} as const;
type Language = keyof typeof looks;

const maxGroupMs = 120_000;
/** So many pages are one test. */
const groupSize = 4;

/** The page after a provider's leads on by itself. */
const stays = (place: string) => !(visitors['/oauth/$provider'] ?? []).includes(place);

/** The addresses of these pages, a few at a time. */
function groupsOf(pages: Readonly<Record<string, readonly string[]>>): (readonly string[])[] {
  const places = Object.values(pages).flat();
  return Array.from({ length: Math.ceil(places.length / groupSize) }, (_, index) =>
    places.slice(index * groupSize, (index + 1) * groupSize),
  );
}

describe.skipIf(chromiumPath === undefined)('every page, in both themes and languages, on a screen and on a phone', () => {
  let upstream: TaskUpstream;
  let gateway: Gateway;
  let browser: Browser;
  const tabs = {} as Record<Language, Page>;
  let ids: Ids = {};

  beforeAll(async () => {
    upstream = await startTaskUpstream();
    gateway = await startGateway({ TASK_POLL_SECONDS: '0.2' });
    ids = await furnish(gateway.url, await gateway.root(), upstream);
    browser = await openBrowser(gateway.url);
    for (const language of ['zh', 'en'] as const) {
      const page = await browser.page();
      await page.addInitScript(`try { localStorage.setItem('i18nextLng', '${language}') } catch {}`);
      tabs[language] = page;
    }
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.stop();
    await upstream?.close();
  });

  /** Whether the page takes the width of its window; a table becomes cards with the next frame only. */
  const fits = (page: Page): Promise<boolean> =>
    expect
      .poll(() => scrollsSideways(page), { interval: 20, timeout: 2000 })
      .toBe(false)
      .then(
        () => true,
        () => false,
      );

  /** Chinese pages come by their address, English ones within the console where they can: a fifth of the work, and the other way to a page. */
  const open = async (place: string, language: Language, isFirst: boolean) => {
    const page = tabs[language];
    const url = gateway.url + placeOf(place, ids);
    // One of them leads to another site.
    if (language === 'zh' || isFirst || !page.url().startsWith(gateway.url)) {
      await page.setViewportSize(wide);
      await page.goto(url, { waitUntil: 'load' });
    } else await page.evaluate(`history.pushState({}, '', ${JSON.stringify(url)})`);
    await settled(page);
    // A frame with nothing in it yet is passed by the keyboard.
    for (const frame of page.frames().slice(1)) await frame.getByRole('link').waitFor();
  };

  /** Faults of these pages in one language. */
  async function faultsOf(places: readonly string[], language: Language): Promise<string[]> {
    const page = tabs[language];
    const faults: string[] = [];
    for (const [index, place] of places.entries()) {
      await open(place, language, index === 0);
      // Each change of the size costs as much as a look.
      const isWide = page.viewportSize()?.width === wide.width;
      const order = language === 'en' && isWide ? looks[language].toReversed() : looks[language];
      for (const { size, theme } of order) {
        await page.setViewportSize(size);
        await page.locator('html').evaluate((html, value) => html.setAttribute('data-theme', value), theme);
        const where = `${place} ${language} ${theme} ${size.width}`;
        if (!(await fits(page))) faults.push(`${where}: scrolls sideways`);
        faults.push(...(await scrollsByAHair(page)).map((place) => `${where}: scrolls by a hair: ${place}`));
        faults.push(...(await accessibilityFaults(page)).map((fault) => `${where}: ${fault}`));
      }
      // The way through a page is the same in every look.
      if (language === 'zh' && stays(place)) faults.push(...(await tabFaults(page)).map((fault) => `${place}: ${fault}`));
    }
    return faults;
  }
  // One after the other: what is in a frame gets the focus in the window on top only.
  const both = async (places: readonly string[]) => [...(await faultsOf(places, 'zh')), ...(await faultsOf(places, 'en'))];

  /** Some pages show another site. */
  const beside = async <T>(places: readonly string[], look: () => Promise<T>): Promise<T> => {
    if (!places.some((place) => place.startsWith('/chat'))) return look();
    const end = await browser.play('https://chat.example.com', (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: '<!doctype html><html lang="en"><title>chat</title><h1>chat</h1><a href="#a">a</a></html>',
      }),
    );
    return look().finally(end);
  };

  let entered: Promise<void> | undefined;
  const enter = (): Promise<void> => {
    entered ??= signInAsRoot(tabs.zh, gateway.url);
    return entered;
  };

  test('no page is left out', () => {
    expect([...Object.keys(visitors), ...Object.keys(signedIn)].sort()).toEqual(readRoutes().sort());
  });

  const what = 'no serious fault for assistive technology, nothing wider than the window, all by keyboard in its order';

  describe.each(groupsOf(visitors).map((places) => [places.join(' '), places] as const))('visitors: %s', (_name, places) => {
    test(what, { timeout: maxGroupMs }, async () => {
      expect(await both(places)).toEqual([]);
    });
  });

  describe.each(groupsOf(signedIn).map((places) => [places.join(' '), places] as const))('signed in: %s', (_name, places) => {
    test(what, { timeout: maxGroupMs }, async () => {
      await enter();
      expect(await beside(places, () => both(places))).toEqual([]);
      expect(browser.faults).toEqual([]);
    });
  });
});
