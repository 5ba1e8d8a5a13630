import type { Locator, Page, Route } from 'playwright-core';
import { eventually } from './wait.ts';

const mostRounds = 12;
/** Resolves when no script has work left; a page that may not draw yet has no idle time. A text: there are no types of the browser here. */
const idle = `new Promise((resolve) => {
  let left = 3;
  const next = () => (left-- === 0 ? resolve() : requestIdleCallback(next, { timeout: 100 }));
  next();
})`;

/**
 * What a page asks for, round trip by round trip, until something is seen. Every request is held until the page has nothing
 * left to do without an answer; then all of them are answered, which is one round. What comes in the same round does not
 * wait for each other, however fast or slow a machine is.
 */
export async function roundsUntil(page: Page, url: string, seen: Locator): Promise<string[][]> {
  const held: Route[] = [];
  const hold = (route: Route) => void held.push(route);
  const rounds: string[][] = [];
  // What the page before this one still asks for is none of it.
  await page.goto('about:blank');
  await page.route('**/*', hold);
  try {
    void page.goto(url, { waitUntil: 'commit' }).catch(() => undefined);
    await eventually(() => {
      if (held.length === 0) throw new Error(`${url} is not asked for`);
    });
    while (rounds.length < mostRounds) {
      const released = held.splice(0);
      rounds.push(released.map((route) => new URL(route.request().url()).pathname));
      await Promise.all(released.map(answer));
      let isSeen = false;
      await eventually(async () => {
        await page.evaluate(idle);
        isSeen = await seen.first().isVisible();
        if (!isSeen && held.length === 0) throw new Error(`${url} asks for nothing more, and ${seen} is not there`);
      });
      if (isSeen) return rounds;
    }
    throw new Error(`${url} shows nothing after ${mostRounds} rounds`);
  } finally {
    await page.unroute('**/*', hold);
    await Promise.all(held.map((route) => route.continue().catch(() => undefined)));
  }
}

async function answer(route: Route): Promise<void> {
  const request = route.request();
  await route.continue();
  await (await request.response())?.finished();
}
