import { lazyRouteComponent, Outlet, redirect } from '@tanstack/react-router';
import type { FunctionComponent } from 'react';
import { call } from '../api/call.ts';
import { routes } from '../api/routes.ts';
import { getSession, isAdmin, isRoot, useLastSession } from '../api/session.ts';
import { useLanguage } from '../i18n/language.ts';
import { part } from '../ui/part.tsx';

const Forbidden = part(() => import('./shell/Forbidden.tsx'), 'Forbidden');

/** Subscribes a page to the language, so that a switch redraws it and everything in it without a reload. */
export function translated(Page: FunctionComponent): FunctionComponent {
  return function TranslatedPage() {
    useLanguage();
    return <Page />;
  };
}

/** The router reloads what cannot load, as a newer version may be there. Where nothing is, that would leave nothing on the screen. */
async function unlessAway(fault: unknown): Promise<never> {
  await call(routes.site.status);
  throw fault;
}

/** A page on its own chunk, redrawn on language switches. */
export function page<Name extends string>(load: () => Promise<Record<Name, FunctionComponent>>, name: Name) {
  return lazyRouteComponent(async () => ({ default: translated((await load().catch(unlessAway))[name]) }));
}

/** In front of the door: who is signed in has nothing to do there; also when that happens in another window, such as a provider's. */
export function passSignedIn(href = '/token'): void {
  const session = getSession();
  if (session && !session.must_change_password) throw redirect({ href, replace: true });
}

function Gate({ isOpen }: { isOpen: boolean }) {
  return isOpen ? <Outlet /> : <Forbidden />;
}

/** Around the pages of administrators. */
export function AdminOnly() {
  return <Gate isOpen={isAdmin(useLastSession())} />;
}

/** Around the pages of root. */
export function RootOnly() {
  return <Gate isOpen={isRoot(useLastSession())} />;
}
