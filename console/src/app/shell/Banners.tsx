import { lazy, Suspense } from 'react';
import { useStatus } from '../../api/status.ts';
import { isOutdated } from '../../api/version.ts';

const BannerLines = lazy(async () => ({ default: (await import('./BannerLines.tsx')).BannerLines }));

/** What every page says first, on the few sites that have something to say. */
export function Banners() {
  const status = useStatus();
  const isDemo = status?.demo_site_enabled === true;
  const isOld = isOutdated(status);
  return <Suspense>{(isDemo || isOld) && <BannerLines isDemo={isDemo} isOld={isOld} />}</Suspense>;
}
