import type { Page, Request } from 'playwright-core';
import { eventually } from './wait.ts';

interface Traffic {
  readonly open: Set<Request>;
  asked: number;
}

const maxMs = 20_000;
const traffics = new WeakMap<Page, Traffic>();
/** Resolves when the page has nothing left to do, with whether it has loaded everything. A text: there are no types of the browser here. */
const idle = `new Promise((resolve) => {
  const rest = (then) => requestIdleCallback(then, { timeout: 1000 });
  rest(() => rest(() =>
    resolve(document.getElementById('root')?.firstChild !== null && document.querySelector('[aria-busy=true]') === null)));
})`;

/** Notes what the page asks for; once for each page, before its first address. */
export function watchTraffic(page: Page): void {
  const traffic: Traffic = { open: new Set(), asked: 0 };
  traffics.set(page, traffic);
  page.on('request', (request) => {
    traffic.open.add(request);
    traffic.asked += 1;
  });
  // Of what a page has asked that another one replaces, nobody may hear the end.
  page.on('response', (response) => {
    const request = response.request();
    if (!request.isNavigationRequest() || request.frame() !== page.mainFrame()) return;
    traffic.open.clear();
    traffic.open.add(request);
  });
  const end = (request: Request) => traffic.open.delete(request);
  page.on('requestfinished', end);
  page.on('requestfailed', end);
}

/** Resolves when the page has shown all that it loads: no request is under way, nothing is busy, no script has work left. */
export function settled(page: Page): Promise<void> {
  const traffic = traffics.get(page);
  if (traffic === undefined) throw new Error('openBrowser did not make this page');
  return eventually(async () => {
    const before = traffic.asked;
    const isIdle = await page.evaluate<boolean>(idle);
    const waiting = [...traffic.open].map((request) => request.url());
    if (!isIdle || waiting.length > 0 || traffic.asked !== before)
      throw new Error(`${page.url()} does not come to rest: ${waiting.join(', ') || (isIdle ? 'it asks on' : 'it is busy')}`);
  }, maxMs);
}
