import { type FunctionComponent, useEffect, useState } from 'react';
import { useSession } from '../api/session.ts';
import { useLanguage } from '../i18n/language.ts';
import { useStore } from '../lib/store.ts';
import { notices } from './notify.ts';
import { confirms, manualCopies, openMenus, previews } from './overlays.ts';
import { followTips, tips } from './tips.ts';

/** Something asks to be shown and cannot be before its code is here. */
function useWanted(): boolean {
  const requests = [
    useStore(openMenus),
    useStore(tips),
    useStore(confirms),
    useStore(manualCopies),
    useStore(previews),
    useStore(notices)[0],
  ];
  return requests.some((request) => request !== undefined);
}

function whenIdle(action: () => void): () => void {
  if (typeof requestIdleCallback !== 'function') return () => undefined;
  const handle = requestIdleCallback(action, { timeout: 4000 });
  return () => cancelIdleCallback(handle);
}

/**
 * Loads the floating layer at the first request for any of it, or while the browser is idle; the latter only for those who
 * are signed in, since visitors rarely need it and often have slow lines. Without Suspense, which would hold it back.
 */
function useHosts(): FunctionComponent | undefined {
  const wanted = useWanted();
  const signedIn = useSession() !== undefined;
  const [hosts, setHosts] = useState<{ Hosts: FunctionComponent }>();
  const missing = hosts === undefined;
  useEffect(() => {
    if (!missing || !(wanted || signedIn)) return;
    // A lost connection is tried again with the next request.
    const load = () => void import('./overlay/hosts.tsx').then(setHosts, () => undefined);
    return wanted ? load() : whenIdle(load);
  }, [missing, wanted, signedIn]);
  return hosts?.Hosts;
}

export function OverlayHosts() {
  useLanguage();
  useEffect(followTips, []);
  const Hosts = useHosts();
  return Hosts ? <Hosts /> : null;
}
