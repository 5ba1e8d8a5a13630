import type { KeyboardEvent } from 'react';

/** Enter sends; with Shift it begins a line, and in an input method it chooses. */
export const sendOnEnter = (send: () => void) => (event: KeyboardEvent) => {
  if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
  event.preventDefault();
  send();
};
