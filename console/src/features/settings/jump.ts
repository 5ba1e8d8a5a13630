const fields = 'input:not([tabindex="-1"]), select, textarea, [contenteditable="true"]';

/** Brings an option or group of the open tab into view and the focus into it. False when it is not on the page. */
export function jumpTo(name: string): boolean {
  const place = document.getElementById(`opt-${name}`) ?? document.getElementById(name);
  if (!place) return false;
  place.scrollIntoView({ block: place.id === name ? 'start' : 'center' });
  const control = place.querySelector(fields) ?? place.querySelector('button');
  if (control instanceof HTMLElement) control.focus({ preventScroll: true });
  return true;
}
