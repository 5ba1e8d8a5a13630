import type { Page } from 'playwright-core';
import { eventually } from './wait.ts';

/** Works a page as somebody does who has no mouse. */
export interface Keyboard {
  /** Presses Tab until something with this name has the focus; throws when one round of the page does not reach it. */
  to(name: string | RegExp): Promise<void>;
  /** Goes there, empties it and types. */
  fill(name: string | RegExp, text: string): Promise<void>;
  /** Goes there and presses Enter. */
  press(name: string | RegExp): Promise<void>;
  /** Waits until something with this name has the focus. */
  has(name: string): Promise<void>;
}

const maxSteps = 300;

/** The name that assistive technology reads for what has the focus. A text: this workspace has no types of the browser. */
const readFocusedName = `(() => {
  const element = document.activeElement;
  const label = element?.getAttribute('aria-label') ?? element?.labels?.[0]?.textContent ?? element?.textContent ?? '';
  return label.replaceAll(/\\s+/g, ' ').replace(/\\*$/, '').trim();
})()`;
const focusedName = (page: Page): Promise<string> => page.evaluate(readFocusedName);

export function keyboardOf(page: Page): Keyboard {
  const to: Keyboard['to'] = async (name) => {
    const seen: string[] = [];
    for (let step = 0; step < maxSteps; step++) {
      const focused = await focusedName(page);
      if (typeof name === 'string' ? focused === name : name.test(focused)) return;
      seen.push(focused);
      await page.keyboard.press('Tab');
    }
    throw new Error(`the keyboard does not reach ${name}; it met: ${[...new Set(seen)].join(' | ')}`);
  };
  return {
    to,
    async fill(name, text) {
      await to(name);
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.type(text);
    },
    async press(name) {
      await to(name);
      await page.keyboard.press('Enter');
    },
    has: (name) =>
      eventually(async () => {
        const focused = await focusedName(page);
        if (focused !== name) throw new Error(`the focus is on "${focused}", not on "${name}"`);
      }),
  };
}
