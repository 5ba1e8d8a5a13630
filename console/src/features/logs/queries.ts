import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { pageOfTotal } from '../../api/page.ts';
import { routes } from '../../api/routes.ts';
import type { LogSearch } from './search.ts';

export interface LogFilter extends Omit<LogSearch, 'p' | 'size' | 'from' | 'to'> {
  from: number;
  to: number;
}

/** `model` matches anywhere in the name; the server's pattern needs its wildcards. */
function filterOf(filter: LogFilter, forAll: boolean) {
  const { from, to, token, model, group, channel, user, type } = filter;
  return {
    start_timestamp: from,
    end_timestamp: to,
    token_name: token,
    model_name: model && !model.includes('%') ? `%${model}%` : model,
    group,
    type,
    ...(forAll ? { channel, username: user } : {}),
  };
}

/** One page of the log: everybody's for administrators, else the own rows. */
export const logListQuery = (filter: LogFilter, forAll: boolean, page: number, size: number) =>
  queryOptions({
    queryKey: ['log', 'list', forAll, filter, page, size],
    queryFn: async ({ signal }) => {
      const query = { ...filterOf(filter, forAll), p: page, page_size: size };
      const answer = await (forAll ? call(routes.log.list, { query, signal }) : call(routes.log.self, { query, signal }));
      return pageOfTotal(answer, page, size);
    },
    placeholderData: keepPreviousData,
  });

/** The sums of the same rows; calls and tokens per minute are of the last 60 seconds. */
export const logStatQuery = (filter: LogFilter, forAll: boolean) =>
  queryOptions({
    queryKey: ['log', 'stat', forAll, filter],
    queryFn: ({ signal }) => {
      const query = filterOf(filter, forAll);
      return forAll ? call(routes.log.stat, { query, signal }) : call(routes.log.selfStat, { query, signal });
    },
    placeholderData: keepPreviousData,
  });

/** The arithmetic of one charge; it never changes. */
export const receiptQuery = (logId: number) =>
  queryOptions({
    queryKey: ['log', 'receipt', logId],
    queryFn: ({ signal }) => call(routes.log.receipt, { params: { id: logId }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
