import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { AnnouncementInput, AnnouncementUpdate } from '@tollgate/contract';
import { call } from '../../api/call.ts';
import { routes } from '../../api/routes.ts';
import { unreadQuery } from '../../api/unread.ts';
import { useWrite } from '../../api/write.ts';

const key = ['announcements'] as const;

export const announcementsQuery = (page: number, size: number) =>
  queryOptions({
    queryKey: [...key, page, size],
    queryFn: ({ signal }) => call(routes.announcement.list, { query: { p: page, page_size: size }, signal }),
    placeholderData: keepPreviousData,
  });

/** Marks as read; the marks on the page stay until it is looked at again. */
export const useReading = () =>
  useWrite(
    (ids: number[] | undefined) => call(routes.announcement.read, { body: ids === undefined ? {} : { ids } }),
    unreadQuery.queryKey,
  );

const useChange = <Input>(change: (input: Input) => Promise<unknown>) => useWrite(change, key, unreadQuery.queryKey);
export const useCreation = () => useChange((body: AnnouncementInput) => call(routes.announcement.create, { body }));
export const useUpdate = () => useChange((body: AnnouncementUpdate) => call(routes.announcement.update, { body }));
export const useRemoval = () => useChange((id: number) => call(routes.announcement.remove, { params: { id } }));
