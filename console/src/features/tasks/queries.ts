import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { AsyncTask } from '@tollgate/contract';
import { call } from '../../api/call.ts';
import { type Page, pageOfSlice, peek } from '../../api/page.ts';
import { routes } from '../../api/routes.ts';

export interface TaskFilter {
  /** Unix seconds. */
  from: number;
  to: number;
  id?: string;
  platform?: string;
  status?: string;
  channel?: number;
  user?: string;
}

/** One page of the tasks: everybody's for administrators, else the own ones. */
export const tasksQuery = (filter: TaskFilter, forAll: boolean, page: number, size: number) =>
  queryOptions({
    queryKey: ['task', forAll, filter, page, size],
    queryFn: async ({ signal }): Promise<Page<AsyncTask>> => {
      const { from, to, id, platform, status, channel, user } = filter;
      const query = {
        p: page - 1,
        page_size: size,
        peek,
        task_id: id,
        platform,
        status,
        start_timestamp: from,
        end_timestamp: to,
      };
      const rows = await (forAll
        ? call(routes.task.list, { query: { ...query, channel_id: channel, username: user }, signal })
        : call(routes.task.self, { query, signal }));
      return pageOfSlice(rows, size);
    },
    placeholderData: keepPreviousData,
  });
