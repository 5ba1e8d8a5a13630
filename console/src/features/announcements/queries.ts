import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { AnnouncementInput, AnnouncementUpdate } from '@tollgate/contract';
import { call } from '../../api/call.ts';
import { routes } from '../../api/routes.ts';
import { unreadQuery } from '../../api/unread.ts';

const key = ['announcements'] as const;

export const announcementsQuery = (page: number, size: number) =>
  queryOptions({
    queryKey: [...key, page, size],
    queryFn: ({ signal }) => call(routes.announcement.list, { query: { p: page, page_size: size }, signal }),
    placeholderData: keepPreviousData,
  });

/** Marks as read; the marks on the page stay until it is looked at again. */
export function useReading() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (ids: number[] | undefined) => call(routes.announcement.read, { body: ids === undefined ? {} : { ids } }),
    onSuccess: () => client.invalidateQueries({ queryKey: unreadQuery.queryKey }),
  });
}

function useChange<Input>(change: (input: Input) => Promise<unknown>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: () =>
      Promise.all([client.invalidateQueries({ queryKey: key }), client.invalidateQueries({ queryKey: unreadQuery.queryKey })]),
  });
}

export const useCreation = () => useChange((body: AnnouncementInput) => call(routes.announcement.create, { body }));
export const useUpdate = () => useChange((body: AnnouncementUpdate) => call(routes.announcement.update, { body }));
export const useRemoval = () => useChange((id: number) => call(routes.announcement.remove, { params: { id } }));
