import { useBlocker } from '@tanstack/react-router';
import { useRef } from 'react';
import { action_discard, guard_text, guard_title } from '../../i18n/generated/messages.ts';
import { confirm } from '../overlays.ts';

/** Asks whether what was changed and not saved may be lost. */
export const mayDiscard = (): Promise<boolean> =>
  confirm({ title: guard_title(), text: guard_text(), confirmLabel: action_discard(), tone: 'bad' });

/** Asks before changes get lost, by navigation inside the console or by leaving it. `release` lets the next one through. */
export function useGuard(dirty: boolean): { release(): void } {
  const released = useRef(false);
  useBlocker({
    shouldBlockFn: async ({ current, next }) => {
      if (!dirty || released.current) return false;
      // A jump within the page loses nothing.
      if (current.pathname === next.pathname && JSON.stringify(current.search) === JSON.stringify(next.search)) return false;
      return !(await mayDiscard());
    },
    enableBeforeUnload: () => dirty && !released.current,
  });
  return {
    release() {
      released.current = true;
    },
  };
}
