import { useBlocker } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { signOutGuards } from '../../api/session.ts';
import { action_discard, guard_text, guard_title } from '../../i18n/generated/messages.ts';
import { confirm } from '../overlays.ts';

/** Asks whether what was changed and not saved may be lost. */
export const mayDiscard = (): Promise<boolean> =>
  confirm({ title: guard_title(), text: guard_text(), confirmLabel: action_discard(), tone: 'bad' });

/**
 * Asks before changes get lost, by navigation inside the console, by leaving it or by signing out. `release` lets the next one
 * through; `discarded` is told that they may be lost.
 */
export function useGuard(dirty: boolean, discarded?: () => void): { release(): void } {
  const released = useRef(false);
  const isDirty = () => dirty && !released.current;
  useEffect(() => {
    if (!dirty) return;
    const mayEnd = async () => released.current || mayDiscard();
    signOutGuards.add(mayEnd);
    return () => void signOutGuards.delete(mayEnd);
  }, [dirty]);
  useBlocker({
    shouldBlockFn: async ({ current, next }) => {
      if (!isDirty()) return false;
      // A jump within the page loses nothing.
      if (current.pathname === next.pathname && JSON.stringify(current.search) === JSON.stringify(next.search)) return false;
      const isLost = await mayDiscard();
      if (isLost) discarded?.();
      return !isLost;
    },
    enableBeforeUnload: isDirty,
  });
  return {
    release() {
      released.current = true;
    },
  };
}
