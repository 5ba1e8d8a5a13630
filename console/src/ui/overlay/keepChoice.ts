import type { BaseUIEvent } from '@base-ui/react/types';
import { type KeyboardEvent, useState } from 'react';

/**
 * The library empties a choice when Escape is pressed on a closed list: seventy models gone by a key that means "leave".
 * Spread `root` on the Combobox and `input` on its input; Escape then only closes.
 */
export function useKeptChoice() {
  const [open, setOpen] = useState(false);
  return {
    root: { open, onOpenChange: setOpen },
    input: {
      onKeyDown(event: BaseUIEvent<KeyboardEvent<HTMLInputElement>>) {
        if (event.key === 'Escape' && !open) event.preventBaseUIHandler();
      },
    },
  };
}
