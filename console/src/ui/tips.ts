import { createStore } from '../lib/store.ts';

/**
 * Tooltips by delegation: any element with `data-tip="text"` has one, and so has what is cut off. A thousand rows cost one
 * listener.
 */
interface Tip {
  id: string;
  anchor: HTMLElement;
  text: string;
}
export const tips = createStore<Tip | undefined>(undefined);
const tipId = 'tip';
const openAfterMs = 350;
const closeAfterMs = 120;
let timer: ReturnType<typeof setTimeout> | undefined;

const textOf = (place: HTMLElement): string | undefined =>
  place.dataset.tip ?? (place.scrollWidth > place.clientWidth ? place.textContent : undefined);

function anchorOf(target: EventTarget | null): HTMLElement | null {
  const anchor =
    target instanceof Element
      ? (target.closest<HTMLElement>('[data-tip]') ?? target.closest<HTMLElement>('.truncate,.clip,.fill'))
      : null;
  return anchor && textOf(anchor) ? anchor : null;
}

function show(anchor: HTMLElement): void {
  const text = textOf(anchor);
  if (!text || !anchor.isConnected) return;
  tips.get()?.anchor.removeAttribute('aria-describedby');
  // A tip that repeats the name would be read twice.
  if (anchor.dataset.tip && anchor.getAttribute('aria-label') !== text) anchor.setAttribute('aria-describedby', tipId);
  tips.set({ id: tipId, anchor, text });
}

function hide(): void {
  clearTimeout(timer);
  const open = tips.get();
  if (!open) return;
  open.anchor.removeAttribute('aria-describedby');
  tips.set(undefined);
}

function later(action: () => void, delayMs: number): void {
  clearTimeout(timer);
  timer = setTimeout(action, delayMs);
}

export const hoverTip = (): void => clearTimeout(timer);
export const leaveTip = (): void => later(hide, closeAfterMs);

/** Starts listening on the document. Returns the function that stops it. */
export function followTips(): () => void {
  const over = (event: PointerEvent) => {
    const anchor = event.pointerType === 'mouse' ? anchorOf(event.target) : null;
    if (anchor && anchor !== tips.get()?.anchor) later(() => show(anchor), tips.get() ? 0 : openAfterMs);
    else if (anchor) clearTimeout(timer);
  };
  const out = (event: PointerEvent) => {
    if (anchorOf(event.target) && !anchorOf(event.relatedTarget)) later(hide, closeAfterMs);
  };
  const focus = (event: FocusEvent) => {
    const anchor = anchorOf(event.target);
    if (anchor?.matches(':focus-visible')) show(anchor);
    else hide();
  };
  const key = (event: KeyboardEvent) => {
    if (event.key === 'Escape') hide();
  };
  const abort = new AbortController();
  const options = { signal: abort.signal };
  document.addEventListener('pointerover', over, options);
  document.addEventListener('pointerout', out, options);
  document.addEventListener('focusin', focus, options);
  document.addEventListener('focusout', hide, options);
  document.addEventListener('pointerdown', hide, options);
  document.addEventListener('scroll', hide, { ...options, capture: true, passive: true });
  document.addEventListener('keydown', key, options);
  return () => {
    abort.abort();
    hide();
  };
}
