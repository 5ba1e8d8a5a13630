import { lazy, Suspense, useEffect, useState } from 'react';
import { useSession } from '../api/session.ts';
import { useLanguage } from '../i18n/language.ts';
import { useStore } from '../lib/store.ts';
import { notices } from './notify.ts';
import { confirms, manualCopies, openMenus } from './overlays.ts';
import { followTips, tips } from './tips.ts';

const loadHosts = () => import('./overlay/hosts.tsx');
const Hosts = lazy(async () => ({ default: (await loadHosts()).Hosts }));

/** Only for those who are signed in: visitors rarely need it and often have slow lines. */
function usePrefetch(wanted: boolean): void {
  useEffect(() => {
    if (!wanted || typeof requestIdleCallback !== 'function') return;
    const handle = requestIdleCallback(() => void loadHosts().catch(() => undefined), { timeout: 4000 });
    return () => cancelIdleCallback(handle);
  }, [wanted]);
}

/** Mounts the floating layer at the first request for any of it, and fetches its code while the browser is idle. */
export function OverlayHosts() {
  useLanguage();
  usePrefetch(useSession() !== undefined);
  useEffect(followTips, []);
  const [mounted, setMounted] = useState(false);
  const wanted = [useStore(openMenus), useStore(tips), useStore(confirms), useStore(manualCopies), useStore(notices)[0]];
  if (!mounted && wanted.some((request) => request !== undefined)) setMounted(true);
  return mounted ? (
    <Suspense>
      <Hosts />
    </Suspense>
  ) : null;
}
