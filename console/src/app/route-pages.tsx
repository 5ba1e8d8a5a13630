import { lazyRouteComponent, Outlet } from '@tanstack/react-router';
import { type FunctionComponent, lazy, Suspense } from 'react';
import { isAdmin, isRoot, useLastSession } from '../api/session.ts';
import { useLanguage } from '../i18n/language.ts';

const Forbidden = lazy(async () => ({ default: (await import('./shell/Forbidden.tsx')).Forbidden }));

/** Subscribes a page to the language, so that a switch redraws it and everything in it without a reload. */
export function translated(Page: FunctionComponent): FunctionComponent {
  return function TranslatedPage() {
    useLanguage();
    return <Page />;
  };
}

/** A page on its own chunk, redrawn on language switches. */
export function page<Name extends string>(load: () => Promise<Record<Name, FunctionComponent>>, name: Name) {
  return lazyRouteComponent(async () => ({ default: translated((await load())[name]) }));
}

function Gate({ isOpen }: { isOpen: boolean }) {
  return isOpen ? (
    <Outlet />
  ) : (
    <Suspense>
      <Forbidden />
    </Suspense>
  );
}

/** Around the pages of administrators. */
export function AdminOnly() {
  return <Gate isOpen={isAdmin(useLastSession())} />;
}

/** Around the pages of root. */
export function RootOnly() {
  return <Gate isOpen={isRoot(useLastSession())} />;
}
