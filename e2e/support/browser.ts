import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type BrowserContext, chromium, type Page, type Route } from 'playwright-core';
import { watchTraffic } from './settled.ts';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The system's Chromium; undefined when there is none. */
export const chromiumPath = process.env.CHROMIUM_PATH ?? places.find((place) => existsSync(place));

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // No other host has an address.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
];

/**
 * Nobody types into the address bar: what would drop down from it are two pages in each window, and loading them is more than
 * half of what a browser takes to start. `@2` is off. As flags beside them these would replace those of Playwright.
 */
const profileState = { browser: { enabled_labs_experiments: ['webui-omnibox-popup@2', 'webui-omnibox-aim-popup@2'] } };

export interface Browser {
  readonly context: BrowserContext;
  /** A page in a window of its own: what lies behind another tab is drawn once a second. */
  page(): Promise<Page>;
  /**
   * Another origin that pages may ask, played by `answer`, or really there. While one is played the browser keeps nothing
   * in its cache. Resolves with what ends the play.
   */
  play(origin: string, answer?: (route: Route) => Promise<void>): Promise<() => Promise<void>>;
  /** Errors that a person would never see: console errors, failed scripts, requests to other hosts. */
  readonly faults: readonly string[];
  close(): Promise<void>;
}

/** A fresh browser with an empty profile, Chinese, on a wide page. What is asked beside `origin` is noted. */
export async function openBrowser(origin: string): Promise<Browser> {
  const profile = await mkdtemp(path.join(tmpdir(), 'tollgate-browser-'));
  await writeFile(path.join(profile, 'Local State'), JSON.stringify(profileState));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: chromiumPath,
    headless: true,
    args: flags,
    // Without it the browser cannot write a Chinese file name.
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
    viewport: { width: 1440, height: 900 },
    locale: 'zh-CN',
    // What moves has no colour or place that could be judged.
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const faults: string[] = [];
  const known = new Set([origin, `blob:${origin}`, 'data:']);
  context.on('request', (request) => {
    const url = request.url();
    if (![...known].some((start) => url.startsWith(start))) faults.push(`request to ${url}`);
  });
  const [first = await context.newPage()] = context.pages();
  const devTools = await context.newCDPSession(first);
  const openWindow = async () => {
    const opened = context.waitForEvent('page');
    await devTools.send('Target.createTarget', { url: 'about:blank', newWindow: true });
    return opened;
  };
  return {
    context,
    faults,
    async page() {
      const page = await openWindow();
      watchTraffic(page);
      page.on('pageerror', (error) => faults.push(`uncaught: ${error.message}`));
      page.on('console', (message) => {
        if (message.type() === 'error' && !message.text().includes('status of 4')) faults.push(`console: ${message.text()}`);
      });
      return page;
    },
    async play(elsewhere, answer) {
      known.add(elsewhere);
      if (answer === undefined) return async () => void known.delete(elsewhere);
      await context.route(`${elsewhere}/**`, answer);
      return async () => {
        await context.unroute(`${elsewhere}/**`, answer);
        known.delete(elsewhere);
      };
    },
    async close() {
      await context.close();
      await rm(profile, { recursive: true, force: true });
    },
  };
}
