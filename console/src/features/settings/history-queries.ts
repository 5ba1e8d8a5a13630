import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { pageOfTotal } from '../../api/page.ts';
import { routes } from '../../api/routes.ts';
import { useWrite } from '../../api/write.ts';

export const historyQuery = (page: number, size: number, key: string) =>
  queryOptions({
    queryKey: ['options', 'history', page, size, key],
    queryFn: async ({ signal }) =>
      pageOfTotal(await call(routes.option.history, { query: { p: page, page_size: size, key }, signal }), page, size),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });

/** Settings are felt everywhere: afterwards every page that is open asks anew. */
export const useUndo = () => useWrite((id: number) => call(routes.option.rollback, { body: { id } }), []);
