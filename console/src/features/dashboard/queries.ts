import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Granularity } from '@tollgate/contract';
import { call } from '../../api/call.ts';
import { routes } from '../../api/routes.ts';
import { modelPattern } from '../../lib/model-filter.ts';
import type { DashboardSearch } from './search.ts';

export interface DashboardFilter extends Omit<DashboardSearch, 'metric' | 'view' | 'by'> {
  by: Granularity;
}

const fallbackSeconds = 300;

/** Everything on the page; read again as often as the server reads it. */
export const dashboardQuery = (filter: DashboardFilter, forAll: boolean) =>
  queryOptions({
    queryKey: ['dashboard', forAll, filter],
    queryFn: ({ signal }) => {
      const query = {
        start_timestamp: filter.from,
        end_timestamp: filter.to,
        granularity: filter.by,
        time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        model_name: modelPattern(filter.model),
        group: filter.group,
      };
      return forAll
        ? call(routes.data.dashboard, { query: { ...query, username: filter.user, channel: filter.channel }, signal })
        : call(routes.data.ownDashboard, { query: { ...query, token_name: filter.token }, signal });
    },
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.refresh_seconds ?? fallbackSeconds) * 1000,
  });
