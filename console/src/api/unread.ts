import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';
import { routes } from './routes.ts';

const everyMs = 120_000;

/** How many announcements the signed-in user has not read; the shell shows it, the page changes it. */
export const unreadQuery = queryOptions({
  queryKey: ['unread'],
  queryFn: ({ signal }) => call(routes.announcement.unread, { signal }),
  staleTime: 60_000,
  refetchInterval: everyMs,
  retry: false,
});
