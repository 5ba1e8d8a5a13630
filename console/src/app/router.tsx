import type { QueryClient } from '@tanstack/react-query';
import { createRouter, type RouterHistory } from '@tanstack/react-router';
import { onSessionExpired } from '../api/call.ts';
import { forgetUserData } from '../api/forget.ts';
import { followOtherWindows } from '../api/session.ts';
import { parseSearch, stringifySearch } from '../lib/search.ts';
import { routeTree } from './routes.tsx';
import { NotFound, PageError } from './shell/faults.tsx';

/** The application's router; tests pass a history in memory. */
export function createAppRouter(history?: RouterHistory) {
  return createRouter({
    routeTree,
    history,
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    defaultErrorComponent: PageError,
    defaultNotFoundComponent: NotFound,
    scrollRestoration: true,
  });
}
export type AppRouter = ReturnType<typeof createAppRouter>;

declare module '@tanstack/react-router' {
  interface Register {
    router: AppRouter;
  }
  interface HistoryState {
    /** Who is about to sign in. */
    username?: string;
    /** The price editor opens with the models that lack a price. */
    unpriced?: boolean;
  }
}

/** An ended session leads to the login page and from there back. Returns the function that stops it. */
export function followSessionExpiry(router: AppRouter): () => void {
  return onSessionExpired(() => {
    const { pathname, href } = router.state.location;
    if (pathname !== '/login') void router.navigate({ to: '/login', search: { expired: true, redirect: href }, replace: true });
  });
}

/**
 * Another user, or none, in another window: what was read is forgotten and the page asks again who may see it. Whoever signs in
 * again there finds here what they were typing: their forms stand on what was read.
 */
export function followSession(router: AppRouter, client: QueryClient): () => void {
  return followOtherWindows((isBack) => {
    if (!isBack) forgetUserData(client);
    void router.invalidate();
  });
}

/** After a change of page the focus starts at its content, not wherever the last page had it; drawers manage their own. */
export function followFocus(router: AppRouter): () => void {
  const section = (path: string | undefined) => path?.split('/')[1] ?? '';
  return router.subscribe('onRendered', ({ fromLocation, toLocation }) => {
    if (!fromLocation || section(fromLocation.pathname) === section(toLocation.pathname)) return;
    const active = document.activeElement;
    if (active === document.body || active?.closest('header, nav, [role="menu"]'))
      document.getElementById('main')?.focus({ preventScroll: true });
  });
}
