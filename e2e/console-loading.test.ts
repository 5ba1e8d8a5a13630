import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Browser, chromiumPath, openBrowser } from './support/browser.ts';
import { signInAsRoot } from './support/console-walk.ts';
import { makeCrowd } from './support/crowd.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import { type MockUpstream, startMockUpstream } from './support/mock-upstream.ts';
import { roundsUntil } from './support/rounds.ts';
import { settled } from './support/settled.ts';

/** The document; what it names; what the page asks the server. */
const maxRounds = 3;
/** From here on a page counts as one that jumps. */
const maxShift = 0.1;
const sizes = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];
const watchShifts = `
  globalThis.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries())
      if (!hadRecentInput) globalThis.shifts.push([value, ...sources.map(({ node }) => node?.className ?? node?.nodeName ?? '?')]);
  }).observe({ type: 'layout-shift', buffered: true });`;

describe.skipIf(chromiumPath === undefined)('how a page comes up', () => {
  let upstream: MockUpstream;
  let gateway: Gateway;
  let browser: Browser;
  let visitor: Page;
  let page: Page;

  beforeAll(async () => {
    upstream = await startMockUpstream();
    gateway = await startGateway();
    const root = await gateway.root();
    await root.setOption('DataExportEnabled', true);
    await makeCrowd(gateway.url, root, upstream);
    browser = await openBrowser(gateway.url);
    await browser.context.addInitScript(watchShifts);
    visitor = await browser.page();
    page = await browser.page();
  });
  afterAll(async () => {
    expect(browser?.faults).toEqual([]);
    await browser?.close();
    await gateway?.stop();
    await upstream?.close();
  });

  let entered: Promise<void> | undefined;
  const enter = (): Promise<void> => {
    entered ??= signInAsRoot(page, gateway.url);
    return entered;
  };
  const rounds = async (place: string, text: string, on = page) =>
    roundsUntil(on, gateway.url + place, on.getByRole('main').getByText(text).first());
  /** How far what is on the screen moves by itself until the page is complete, summed up, and what moved most. */
  const shiftOf = async (place: string, on: Page) => {
    await on.goto(gateway.url + place, { waitUntil: 'load' });
    await settled(on);
    const shifts = await on.evaluate<[number, ...string[]][]>('shifts');
    return { sum: shifts.reduce((sum, [value]) => sum + value, 0), of: shifts.filter(([value]) => value > 0.01) };
  };
  /** The pages that jump, on a screen or on a phone. */
  const jumping = async (places: readonly string[], on: Page) => {
    const faults: string[] = [];
    for (const size of sizes) {
      await on.setViewportSize(size);
      for (const place of places) {
        const { sum, of } = await shiftOf(place, on);
        const line = `${place} at ${size.width}: ${sum.toFixed(3)} ${JSON.stringify(of)}`;
        console.log(line);
        if (sum >= maxShift) faults.push(line);
      }
    }
    return faults;
  };

  test.each([
    ['/', '接口地址'],
    ['/login', '密码'],
    ['/pricing', 'gpt-4o-mini'],
  ])('a visitor sees %s after three rounds', async (place, text) => {
    const asked = await rounds(place, text, visitor);
    expect(asked.length, JSON.stringify(asked, undefined, 1)).toBeLessThanOrEqual(maxRounds);
  });

  test('nothing jumps for visitors', async () => {
    expect(await jumping(['/', '/login', '/register', '/pricing', '/about'], visitor)).toEqual([]);
  });

  test.each([
    ['/token', 'program 99'],
    ['/log', 'gpt-4o-mini'],
    ['/detail', 'gpt-4o-mini'],
    ['/channel', 'channel 99'],
    ['/setting', 'root'],
    ['/topup', '余额'],
    ['/user', 'root'],
  ])('whoever is signed in sees %s after three rounds', async (place, text) => {
    await enter();
    const asked = await rounds(place, text);
    expect(asked.length, JSON.stringify(asked, undefined, 1)).toBeLessThanOrEqual(maxRounds);
  });

  test('nothing jumps for whoever is signed in', { timeout: 120_000 }, async () => {
    await enter();
    const lists = ['/detail', '/token', '/log', '/channel', '/user', '/topup', '/redemption', '/playground'];
    const tabs = ['', '?tab=operation', '?tab=system', '?tab=other'].map((tab) => `/setting${tab}`);
    expect(await jumping([...lists, ...tabs], page)).toEqual([]);
  });
});
