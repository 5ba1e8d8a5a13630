/**
 * Behind `npm run look`: pictures of every page with sample data, or of those that are named. Writes PNG files to
 * LOOK_DIR (default: the system's temporary folder) from the build in LOOK_DIST (default: dist), prints requests, nodes and
 * accessibility faults, fails on console errors. LOOK_FULL=1: whole pages. `--manual`: the pictures that the manual shows,
 * in both languages, as small files in docs/manual/images.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe from 'axe-core';
import { chromium } from 'playwright-core';
import { preview } from 'vite';
import { chromiumPath } from '../../e2e/support/browser.ts';
import { root, status as standard } from './fixtures.ts';
import { pages } from './look-pages.ts';
import { answer, readRequest } from './mock-api.ts';
import { operations } from './operations.ts';

const folder = process.env.LOOK_DIR ?? tmpdir();
const flags =
  '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync';

/** Layout shift that a page may have while it loads. */
const maxShift = 0.02;

const views = [
  { name: 'light', width: 1440, height: 900, theme: 'light', language: 'zh' },
  { name: 'dark', width: 1440, height: 900, theme: 'dark', language: 'zh' },
  { name: 'phone', width: 390, height: 844, theme: 'light', language: 'zh' },
  { name: 'phone-dark', width: 390, height: 844, theme: 'dark', language: 'en' },
  { name: 'en', width: 1440, height: 900, theme: 'light', language: 'en' },
];

/** What the pages of the manual name: `channels` for ../images/channels-zh.webp. */
const manual = new URL('../../docs/manual/', import.meta.url);
const manualViews = ['zh', 'en'].map((language) => ({
  ...{ name: language, width: 1100, height: 640, theme: 'light', language },
  folder: new URL('images/', manual),
}));

function manualPages() {
  const texts = readdirSync(new URL('zh/', manual)).map((file) => readFileSync(new URL(`zh/${file}`, manual), 'utf8'));
  return [...new Set(texts.flatMap((text) => [...text.matchAll(/images\/([\w-]+)-zh\.webp/g)].map(([, name]) => name)))];
}

/** Small: half the quality that would be noticed on a photograph, which a page of text is not. */
async function savePicture(page, file) {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 32 });
  writeFileSync(file, Buffer.from(data, 'base64'));
}

function unknown(name) {
  throw new Error(`There is no page "${name}", only: ${Object.keys(pages).join(' ')}`);
}

async function stub(route, user, status) {
  const request = route.request();
  const { status: code, envelope } = answer(readRequest(request.method(), request.url(), request.postData()), {
    user: user ?? root,
    status,
    override: operations,
  });
  await route.fulfill({ status: code, json: envelope, headers: { 'X-Oneapi-Request-Id': '20261120170000123456789AbCdEfGh' } });
}

async function look(browser, origin, name, view) {
  const { path, user = root, status, stored: kept = {}, act } = pages[name] ?? unknown(name);
  const context = await browser.newContext({
    viewport: { width: view.width, height: view.height },
    reducedMotion: 'reduce',
    bypassCSP: true,
  });
  const page = await context.newPage();
  const faults = [];
  let requests = 0;
  page.on('request', () => requests++);
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on('pageerror', (error) => faults.push(String(error)));
  await page.addInitScript(
    ([theme, language, stored, remembered, more]) => {
      // What is framed has no storage.
      if (globalThis.top !== globalThis) return;
      for (const [key, value] of Object.entries(more)) localStorage.setItem(key, JSON.stringify(value));
      globalThis.layoutShift = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.layoutShift += entry.value;
      }).observe({ type: 'layout-shift', buffered: true });
      localStorage.setItem('theme-mode', theme);
      localStorage.setItem('i18nextLng', language);
      if (stored) localStorage.setItem('user', stored);
      // Whoever is signed in has been here before.
      if (stored) localStorage.setItem('status', remembered);
    },
    [view.theme, view.language, user && JSON.stringify(user), JSON.stringify({ ...standard, ...status }), kept],
  );
  await page.route('**/api/**', (route) => stub(route, user, status));
  await page.route('https://chat.example.com/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html><html lang="en"><title>chat</title><h1>chat</h1></html>' }),
  );
  await page.goto(origin + path, { waitUntil: 'networkidle' });
  if (act) await act(page);
  await page.waitForLoadState('networkidle');
  await page.waitForTimeout(400);
  const facts = await page.evaluate(() => ({
    nodes: document.querySelectorAll('*').length,
    rows: [...document.querySelectorAll('tbody tr')].filter((row) => row.getBoundingClientRect().bottom <= innerHeight).length,
    sideways: document.documentElement.scrollWidth > innerWidth,
    shift: globalThis.layoutShift,
  }));
  if (view.folder) {
    await savePicture(page, new URL(`${name}-${view.name}.webp`, view.folder));
    await context.close();
    return faults.length;
  }
  await page.screenshot({ path: join(folder, `${name}-${view.name}.png`), fullPage: process.env.LOOK_FULL === '1' });
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(
    (settled) =>
      globalThis.axe.run(document, {
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
        // What floats stands outside of the landmarks by design.
        rules: { region: { enabled: settled } },
      }),
    act === undefined,
  );
  const found = violations.map(
    (item) =>
      `${item.id} ×${item.nodes.length}: ${item.nodes[0].target.join(' ')} | ${item.nodes[0].failureSummary?.split('\n')[1] ?? ''}`,
  );
  console.log(
    `${name} ${view.name}: ${requests} requests, ${facts.nodes} nodes, ${facts.rows} rows, shift ${facts.shift.toFixed(3)}${facts.sideways ? ', SCROLLS SIDEWAYS' : ''}`,
  );
  for (const line of [...found, ...faults]) console.log(`    ${line}`);
  await context.close();
  return found.length + faults.length + (facts.sideways ? 1 : 0) + (facts.shift > maxShift ? 1 : 0);
}

const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const wantedViews = process.argv.filter((argument) => argument.startsWith('--')).map((argument) => argument.slice(2));
const isForManual = wantedViews.includes('manual');
const shown = isForManual ? manualPages() : Object.keys(pages);
const server = await preview({
  preview: { port: 0, host: '127.0.0.1' },
  build: { outDir: process.env.LOOK_DIST ?? 'dist' },
  logLevel: 'error',
});
const browser = await chromium.launch({
  executablePath: chromiumPath,
  args: flags.split(' '),
});
let faults = 0;
try {
  const origin = `http://127.0.0.1:${server.httpServer.address().port}`;
  for (const name of wanted.length > 0 ? wanted : shown) {
    for (const view of isForManual ? manualViews : views)
      if (isForManual || wantedViews.length === 0 || wantedViews.includes(view.name))
        faults += await look(browser, origin, name, view);
  }
} finally {
  await browser.close();
  await new Promise((resolve) => server.httpServer.close(resolve));
}
process.exitCode = faults > 0 ? 1 : 0;
