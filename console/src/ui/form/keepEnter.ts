import type { KeyboardEvent } from 'react';

/** For a form's `onKeyDown`: in a field with a list Enter chooses, and never sends the form, also when nothing is chosen. */
export function keepEnter(event: KeyboardEvent<HTMLFormElement>): void {
  const { target } = event;
  if (event.key === 'Enter' && target instanceof HTMLElement && target.getAttribute('role') === 'combobox')
    event.preventDefault();
}
