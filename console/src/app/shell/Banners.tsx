import { useQuery } from '@tanstack/react-query';
import { statusQuery } from '../../api/status.ts';
import { isOutdated } from '../../api/version.ts';
import { part } from '../../ui/part.tsx';

const BannerLines = part(() => import('./BannerLines.tsx'), 'BannerLines', undefined, true);

/** What every page says first, on the few sites that have something to say. */
export function Banners() {
  const { data: status, isError, isFetched } = useQuery(statusQuery);
  const isDemo = status?.demo_site_enabled === true;
  const isOld = isOutdated(status);
  const isFailed = isError || (isFetched && !status);
  return (isDemo || isOld || isFailed) && <BannerLines {...{ isDemo, isOld, isFailed }} />;
}
