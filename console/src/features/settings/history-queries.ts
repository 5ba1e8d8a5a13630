import { call } from '../../api/call.ts';
import { totalQuery } from '../../api/page.ts';
import { routes } from '../../api/routes.ts';
import { useWrite } from '../../api/write.ts';

export const historyQuery = (page: number, size: number, key: string) => ({
  ...totalQuery(['options', 'history', key], [page, size], (place, signal) =>
    call(routes.option.history, { query: { ...place, key }, signal }),
  ),
  staleTime: 0,
});

/** Settings are felt everywhere: afterwards every page that is open asks anew. */
export const useUndo = () => useWrite((id: number) => call(routes.option.rollback, { body: { id } }), []);
