import { useBlocker } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { mayDiscard, watchForm } from './guards.ts';

/**
 * Asks before changes get lost, by navigation inside the console or by leaving it. `release` lets the next one through;
 * `discarded` is told that they may be lost.
 */
export function useGuard(dirty: boolean, discarded?: () => void): { release(): void } {
  const released = useRef(false);
  const isDirty = () => dirty && !released.current;
  const last = useRef(isDirty);
  last.current = isDirty;
  useEffect(() => watchForm(() => last.current()), []);
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
