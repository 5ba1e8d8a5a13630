import type { Page } from 'playwright-core';

/** What was met on a walk with the Tab key. */
interface Walk {
  /** Names of all that can have the focus, in the order of the page. */
  names: string[];
  /** Their places in `names` in the order of the walk; -1 = something else, such as the page itself. */
  met: number[];
  /** Those that look the same with and without the focus. */
  unseen: number[];
  /** Those that made room for something else as soon as they had it. */
  gone: number[];
  /** What the walk went through that was not there when it began. */
  come: string[];
}

/** The key is held for so many steps: most of one is waiting for the page to be painted. Dialogs and frames take theirs one by one. */
const mostAtOnce = 12;

/**
 * Runs in the page; a text because this workspace has no types of the browser. What can have the focus, in the dialog on
 * top if there is one; what one cannot see or use is none of it, and of radio buttons the chosen one stands for all.
 */
const prepare = `(() => {
  const dialogs = [...document.querySelectorAll('[role=dialog], [role=alertdialog]')].filter((one) => one.checkVisibility());
  const place = dialogs.at(-1) ?? document.body;
  const query = 'a[href], button, input, select, textarea, summary, iframe, audio[controls], video[controls], [tabindex], [contenteditable=true]';
  const usable = (one) =>
    one.tabIndex >= 0 && !one.disabled && !one.closest('[inert], [aria-hidden=true]') && !one.matches('fieldset:disabled *') &&
    one.checkVisibility({ visibilityProperty: true }) && !('baseUiFocusGuard' in one.dataset);
  const radio = (one) => one.type !== 'radio' || one.checked || !all.some((other) => other.name === one.name && other.checked);
  const all = [...place.querySelectorAll(query)].filter(usable);
  const stops = all.filter(radio);
  const looks = (one) => {
    const chain = [one, one.parentElement, one.parentElement?.parentElement, one.nextElementSibling].filter(Boolean);
    return chain.map((each) => {
      const { outlineStyle, outlineWidth, outlineColor, boxShadow, borderColor, backgroundColor } = getComputedStyle(each);
      return [outlineStyle === 'none' ? '' : outlineWidth + outlineColor, boxShadow, borderColor, backgroundColor].join();
    }).join('|');
  };
  document.activeElement?.blur?.();
  const before = stops.map(looks);
  const nameOf = (one) => (one.tagName.toLowerCase() + ' ' + (one.getAttribute('aria-label') ?? one.labels?.[0]?.textContent ?? one.textContent ?? '').trim().slice(0, 40)).trim();
  const walk = { names: stops.map(nameOf), met: [], unseen: [], gone: [], come: [] };
  const step = () => {
    const at = document.activeElement;
    let index = stops.indexOf(at);
    // Of a group of radio buttons any may be the one that has it.
    if (index < 0 && at?.type === 'radio') index = stops.findIndex((one) => one.type === 'radio' && one.name === at.name);
    walk.met.push(index);
    if (index < 0 && at && at !== document.body) walk.come.push(nameOf(at));
    walk.gone = stops.flatMap((one, place) => (one.isConnected ? [] : [place]));
    // What is in a frame shows its focus itself.
    if (index >= 0 && stops[index] === at && at.tagName !== 'IFRAME' && looks(at) === before[index]) walk.unseen.push(index);
  };
  const pressed = ({ key }) => {
    if (key === 'Tab') step();
  };
  addEventListener('keydown', pressed, true);
  // What is pressed in a frame this page does not hear.
  globalThis.tabsMet = () => {
    if (document.activeElement?.tagName === 'IFRAME') step();
    return new Set(walk.met.filter((index) => index >= 0)).size;
  };
  // The walk begins before the first of them. A dialog takes the focus back when what had it goes: that stays until the end.
  const start = document.createElement('span');
  start.tabIndex = -1;
  place.prepend(start);
  start.focus({ preventScroll: true });
  globalThis.tabEnd = () => {
    removeEventListener('keydown', pressed, true);
    start.remove();
    return walk;
  };
  const atOnce = dialogs.length > 0 || stops.some(({ tagName }) => tagName === 'IFRAME') ? 1 : ${mostAtOnce};
  return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve({ stops: stops.length, atOnce }))));
})()`;

/** Walks once around the page as it stands. Faults: what is not reached, out of order, not seen to have the focus, a trap. */
export async function tabFaults(page: Page): Promise<string[]> {
  const { stops, atOnce } = await page.evaluate<{ stops: number; atOnce: number }>(prepare);
  // Something may come to the page while one walks, such as the choices of a field that has the focus.
  for (let left = 2 * stops + 40, met = 0; left > 0 && met < stops; left -= atOnce) {
    await Promise.all(Array.from({ length: Math.min(atOnce, stops - met) }, () => page.keyboard.down('Tab')));
    await page.keyboard.up('Tab');
    met = await page.evaluate<number>('tabsMet()');
  }
  const { names, met, unseen, gone, come } = await page.evaluate<Walk>('tabEnd()');
  const named = (index: number): string => names[index] ?? '';
  const first = met.filter((index, at) => index >= 0 && met.indexOf(index) === at);
  const missed = names.flatMap((name, index) => (first.includes(index) || gone.includes(index) ? [] : [`not reached: ${name}`]));
  const back = first.flatMap((index, at) =>
    at > 0 && index < (first[at - 1] ?? 0) ? [`out of order: ${named(index)} after ${named(first[at - 1] ?? 0)}`] : [],
  );
  const stuck = met.flatMap((index, at) => (index >= 0 && index === met[at - 1] ? [`a trap: ${named(index)}`] : []));
  if (missed.length > 0) missed.push(`went through: ${[...new Set(come)].join(', ')}`);
  return [...missed, ...back, ...new Set(stuck), ...[...new Set(unseen)].map((index) => `not seen: ${named(index)}`)];
}
