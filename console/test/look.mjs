/**
 * Takes pictures of every page with sample data: `node test/look.mjs [page ...]` after `vite build`. Writes PNG files to
 * LOOK_DIR (default: the system's temporary folder), prints requests, nodes and accessibility faults, fails on console errors.
 */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe from 'axe-core';
import { chromium } from 'playwright-core';
import { preview } from 'vite';
import { root } from './fixtures.ts';
import { answer, readRequest } from './mock-api.ts';

const folder = process.env.LOOK_DIR ?? tmpdir();
const flags =
  '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync';

/** Layout shift that a page may have while it loads. */
const maxShift = 0.02;

const click = (name) => (page) => page.getByRole('button', { name }).first().click();
const follow = (name) => (page) => page.getByRole('link', { name }).first().click();
const topup = {
  enable_online_topup: true,
  pay_methods: [
    { name: '支付宝', type: 'alipay', color: 'rgba(var(--semi-blue-5), 1)' },
    { name: '微信', type: 'wxpay', color: 'rgba(var(--semi-green-5), 1)' },
  ],
};
const pages = {
  home: { path: '/', user: null },
  login: { path: '/login?expired=true', user: null },
  register: { path: '/register?aff=Ab3d', user: null },
  forced: { path: '/login', user: { ...root, must_change_password: true } },
  channels: { path: '/channel?size=50' },
  'channel-add': { path: '/channel/add' },
  'channel-edit': { path: '/channel/edit/46' },
  'channel-menu': { path: '/channel', act: click(/更多操作|More actions/) },
  tokens: { path: '/token' },
  'token-add': { path: '/token/add' },
  'token-edit': { path: '/token/edit/11' },
  'token-advanced': { path: '/token/add', act: click(/^(高级设置|Advanced)/) },
  'token-use': { path: '/token', act: follow(/^(如何使用|How to use it)$/) },
  redemption: { path: '/redemption' },
  'redemption-add': { path: '/redemption/add' },
  wallet: { path: '/topup', status: topup },
  'wallet-pay': { path: '/topup', status: topup, act: click(/^(支付宝|Alipay)$/) },
  'wallet-orders': { path: '/topup/records' },
  'wallet-invites': { path: '/aff/records' },
  logs: { path: '/log?size=50' },
  'logs-100': { path: '/log?size=100' },
  'log-detail': { path: '/log', act: click(/^(详情|Details)$/) },
  'log-receipt': {
    path: '/log?type=2',
    async act(page) {
      await click(/^(详情|Details)$/)(page);
      await click(/解释这笔费用|Explain this charge/)(page);
    },
  },
  pricing: { path: '/pricing', user: null, act: click(/^(详情|Details)$/) },
  ledger: { path: '/ledger' },
  'not-found': { path: '/nowhere' },
};
const views = [
  { name: 'light', width: 1440, height: 900, theme: 'light', language: 'zh' },
  { name: 'dark', width: 1440, height: 900, theme: 'dark', language: 'zh' },
  { name: 'phone', width: 390, height: 844, theme: 'light', language: 'zh' },
  { name: 'phone-dark', width: 390, height: 844, theme: 'dark', language: 'en' },
  { name: 'en', width: 1440, height: 900, theme: 'light', language: 'en' },
];

async function stub(route, user, status) {
  const request = route.request();
  const { status: code, envelope } = answer(readRequest(request.method(), request.url(), request.postData()), {
    user: user ?? root,
    status,
  });
  await route.fulfill({ status: code, json: envelope, headers: { 'X-Oneapi-Request-Id': '20261120170000123456789AbCdEfGh' } });
}

async function look(browser, origin, name, view) {
  const { path, user = root, status, act } = pages[name];
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
    ([theme, language, stored]) => {
      globalThis.layoutShift = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.layoutShift += entry.value;
      }).observe({ type: 'layout-shift', buffered: true });
      localStorage.setItem('theme-mode', theme);
      localStorage.setItem('i18nextLng', language);
      if (stored) localStorage.setItem('user', stored);
    },
    [view.theme, view.language, user && JSON.stringify(user)],
  );
  await page.route('**/api/**', (route) => stub(route, user, status));
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
  await page.screenshot({ path: join(folder, `${name}-${view.name}.png`) });
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
const server = await preview({ preview: { port: 0, host: '127.0.0.1' }, logLevel: 'error' });
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: flags.split(' ') });
let faults = 0;
try {
  const origin = `http://127.0.0.1:${server.httpServer.address().port}`;
  for (const name of wanted.length > 0 ? wanted : Object.keys(pages)) {
    for (const view of views)
      if (wantedViews.length === 0 || wantedViews.includes(view.name)) faults += await look(browser, origin, name, view);
  }
} finally {
  await browser.close();
  await new Promise((resolve) => server.httpServer.close(resolve));
}
process.exitCode = faults > 0 ? 1 : 0;
