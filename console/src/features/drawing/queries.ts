import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Drawing } from '@tollgate/contract';
import { call } from '../../api/call.ts';
import { type Page, pageOfSlice, peek } from '../../api/page.ts';
import { routes } from '../../api/routes.ts';

export interface DrawingFilter {
  /** Unix seconds. */
  from: number;
  to: number;
  id?: string;
  status?: string;
  channel?: number;
  user?: string;
}

/** One page of the drawings: everybody's for administrators, else the own ones. The server takes milliseconds. */
export const drawingsQuery = (filter: DrawingFilter, forAll: boolean, page: number, size: number) =>
  queryOptions({
    queryKey: ['drawing', forAll, filter, page, size],
    queryFn: async ({ signal }): Promise<Page<Drawing>> => {
      const { from, to, id, status, channel, user } = filter;
      const query = {
        p: page - 1,
        page_size: size,
        peek,
        mj_id: id,
        status,
        start_timestamp: from * 1000,
        // To the end of its second, as the row shows that.
        end_timestamp: to * 1000 + 999,
      };
      const rows = await (forAll
        ? call(routes.drawing.list, { query: { ...query, channel_id: channel, username: user }, signal })
        : call(routes.drawing.self, { query, signal }));
      return pageOfSlice(rows, size);
    },
    placeholderData: keepPreviousData,
  });
