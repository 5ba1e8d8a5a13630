import { keepPreviousData, queryOptions, useMutation } from '@tanstack/react-query';
import type { NotifyWay, SettingInput } from '@tollgate/contract';
import { call } from '../../api/call.ts';
import { routes } from '../../api/routes.ts';
import { selfQuery } from '../../api/self.ts';
import { useSelfChange, useWrite } from '../../api/write.ts';
import { notice_done, wxpusher_unbound } from '../../i18n/generated/messages.ts';
import { notify } from '../../ui/notify.ts';

const logKey = [...selfQuery.queryKey, 'deliveries'] as const;
export const deliveriesPerPage = 10;

export const deliveriesQuery = (page: number) =>
  queryOptions({
    queryKey: [...logKey, page],
    queryFn: ({ signal }) => call(routes.notify.deliveries, { query: { p: page, page_size: deliveriesPerPage }, signal }),
    placeholderData: keepPreviousData,
  });

/** A change after which its button may be gone: what is to be said cannot wait for it. */
function useSaidChange<Input, Output>(change: (input: Input) => Promise<Output>, said: () => string) {
  return useSelfChange(async (input: Input) => {
    const answer = await change(input);
    notify('ok', said());
    return answer;
  });
}

export const useSettingChange = () =>
  useSaidChange((body: SettingInput) => call(routes.personal.saveSetting, { body }), notice_done);
export const useWxPusherUnbind = () => useSaidChange((_: undefined) => call(routes.notify.wxpusherUnbind), wxpusher_unbound);
export const useWxPusherCode = () => useMutation({ mutationFn: () => call(routes.notify.wxpusherCode) });

/** Asks whether somebody scanned the code, until somebody did or it is worthless. */
export const wxPusherStateQuery = (code: string) =>
  queryOptions({
    queryKey: [...selfQuery.queryKey, 'wxpusher', code],
    queryFn: async ({ signal }) => (await call(routes.notify.wxpusherStatus, { query: { code }, signal })).state,
    refetchInterval: ({ state }) => (state.data === undefined || state.data === 'waiting' ? 3_000 : false),
    gcTime: 0,
  });

/** A change that shows in the log of deliveries. */
const useLogChange = <Input, Output>(change: (input: Input) => Promise<Output>) => useWrite(change, logKey);
export const useTest = () => useLogChange((way: NotifyWay) => call(routes.notify.test, { body: { way } }));
export const useRetry = () => useLogChange((id: number) => call(routes.notify.retry, { params: { id } }));
