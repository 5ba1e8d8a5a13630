import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { followTips, tips } from './tips.ts';

let stop: () => void;
beforeEach(() => {
  vi.useFakeTimers();
  stop = followTips();
});
afterEach(() => {
  stop();
  vi.useRealTimers();
  document.body.replaceChildren();
});

/** What the pointer is told over a cell whose text needs `width` of its 100 pixels. */
function tipOver(html: string, width: number): string | undefined {
  document.body.innerHTML = html;
  const [cell, place] = [document.querySelector('td'), document.querySelector('b')];
  Object.defineProperties(cell, { scrollWidth: { value: width }, clientWidth: { value: 100 } });
  place?.dispatchEvent(new PointerEvent('pointerover', { bubbles: true, pointerType: 'mouse' }));
  vi.runAllTimers();
  return tips.get()?.text;
}
const table = (cell: string) => `<table><tbody><tr>${cell}</tr></tbody></table>`;

it('shows in full what a cell cuts off, and no other text', () => {
  expect(tipOver(table('<td class="fill"><b>claude-3-7-sonnet-20250219</b></td>'), 140)).toBe('claude-3-7-sonnet-20250219');
});

it.each([
  ['what fits', '<td class="fill"><b>gpt-4o</b></td>', 100],
  ['a cell that is not cut', '<td><b>gpt-4o</b></td>', 140],
])('has no tip for %s', (_, cell, width) => {
  expect(tipOver(table(cell), width)).toBeUndefined();
});

it('prefers the tip that a place has', () => {
  expect(tipOver(table('<td class="clip"><b data-tip="lihua · li@example.com">lihua</b></td>'), 140)).toBe(
    'lihua · li@example.com',
  );
});
