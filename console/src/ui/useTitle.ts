import { useEffect } from 'react';
import { useStatus } from '../api/status.ts';

const productName = 'Tollgate';

/** Names the browser's tab: the page, then the site. */
export function useTitle(page: string): void {
  const site = useStatus()?.system_name || productName;
  useEffect(() => {
    document.title = page ? `${page} · ${site}` : site;
  }, [page, site]);
}
