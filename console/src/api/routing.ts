import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { ExplainInput, KeySwitch } from '@tollgate/contract';
import { call } from './call.ts';
import { totalQuery } from './page.ts';
import { routes } from './routes.ts';
import { useWrite } from './write.ts';

/** Why calls go where they go, and how channels fare. */

const timelineSize = 20;

/** The plan of a call that is not made. With the same seed the draw is the same. */
export const explainQuery = (input: ExplainInput) =>
  queryOptions({
    queryKey: ['route', 'explain', input],
    queryFn: ({ signal }) => call(routes.route.explain, { body: input, signal }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });

/** What was decided for the call of a log row. */
export const routeRecordQuery = (logId: number) =>
  queryOptions({
    queryKey: ['route', 'record', logId],
    queryFn: ({ signal }) => call(routes.route.record, { params: { id: logId }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const timelineQuery = (id: number, page: number) =>
  totalQuery(['channel-timeline', id], [page, timelineSize], (query, signal) =>
    call(routes.route.timeline, { params: { id }, query, signal }),
  );

export const healthQuery = (id: number) =>
  queryOptions({
    queryKey: ['channel-health', id],
    queryFn: ({ signal }) => call(routes.route.health, { params: { id }, signal }),
    staleTime: 0,
  });

/** Switches one credential of a channel on or off. */
export function useKeySwitch(id: number) {
  const client = useQueryClient();
  return useMutation({
    // One after the other: each answer is the state of all keys.
    scope: { id: `keys ${id}` },
    mutationFn: (body: KeySwitch) => call(routes.route.switchKey, { params: { id }, body }),
    onSuccess: (health) => {
      client.setQueryData(healthQuery(id).queryKey, health);
      void client.invalidateQueries({ queryKey: ['channel-timeline', id] });
    },
    // Perhaps the keys are others by now.
    onError: () => client.invalidateQueries({ queryKey: healthQuery(id).queryKey }),
  });
}

/** Removes the credentials of a channel that were off by `until`; resolves to how many. */
export const useOffKeyRemoval = (id: number) =>
  useWrite(
    (until: number) => call(routes.channel.removeOffKeys, { params: { id }, query: { until } }),
    ['channel-health', id],
    ['channel'],
  );
