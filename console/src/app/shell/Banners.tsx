import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { statusQuery } from '../../api/status.ts';
import { isOutdated } from '../../api/version.ts';

const BannerLines = lazy(async () => ({ default: (await import('./BannerLines.tsx')).BannerLines }));

/** What every page says first, on the few sites that have something to say. */
export function Banners() {
  const { data: status, isError: isFailed } = useQuery(statusQuery);
  const isDemo = status?.demo_site_enabled === true;
  const isOld = isOutdated(status);
  return <Suspense>{(isDemo || isOld || isFailed) && <BannerLines {...{ isDemo, isOld, isFailed }} />}</Suspense>;
}
