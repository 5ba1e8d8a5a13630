import { queryOptions, useMutation } from '@tanstack/react-query';
import type { Channel, TagUpdate, UnsavedChannel } from '@tollgate/contract';
import { nowSeconds } from '../lib/time.ts';
import { call } from './call.ts';
import { useRefreshing, useRowPatch } from './channels.ts';
import { routes } from './routes.ts';
import { useWrite } from './write.ts';

/** What is done with channels beside writing them. */

const pollMs = 1000;
/** Upstreams may think as long as a call to them may take. */
const upstreamTimeoutMs = 120_000;

/** Both background runs; asked again every second while one of them is under way. */
export const jobsQuery = queryOptions({
  queryKey: ['channel-jobs'],
  queryFn: ({ signal }) => call(routes.channelOps.jobs, { signal }),
  staleTime: 0,
  refetchInterval: ({ state: { data } }) => (data && (data.test.running || data.balance.running) ? pollMs : false),
});

/** Starts a run; throws the server's refusal while one is under way. */
export const useJobStart = () =>
  useWrite(
    (kind: 'test' | 'balance') => call(kind === 'test' ? routes.channelOps.testAll : routes.channelOps.updateBalances),
    jobsQuery.queryKey,
  );

/** Asks one channel a short question. The row shows what was measured, also after a failure. */
export function useChannelTest() {
  const patch = useRowPatch();
  const reread = async (id: number) => {
    const { response_time, test_time, status, other_info } = await call(routes.channel.get, { params: { id } });
    patch(id, { response_time, test_time, status, other_info });
  };
  return useMutation({
    mutationFn: ({ channel, model = '', keyIndex }: { channel: Pick<Channel, 'id'>; model?: string; keyIndex?: number }) =>
      call(routes.channelOps.test, {
        params: { id: channel.id },
        query: { model, key_index: keyIndex },
        timeoutMs: upstreamTimeoutMs,
      }),
    // A row that cannot be read again keeps its old figures; the test has been answered.
    onSettled: (_data, _error, { channel }) => void reread(channel.id).catch(() => undefined),
  });
}

export function useBalanceRefresh() {
  const patch = useRowPatch();
  return useMutation({
    mutationFn: (channel: Channel) =>
      call(routes.channelOps.updateBalance, { params: { id: channel.id }, timeoutMs: upstreamTimeoutMs }),
    onSuccess: ({ balance }, { id }) => patch(id, { balance, balance_updated_time: nowSeconds() }),
  });
}

/** Asked anew whenever the dialog opens: it is a check, not a fact to be kept. */
export const upstreamQuery = (id: number) =>
  queryOptions({
    queryKey: ['channel-upstream', id],
    queryFn: async ({ signal }) =>
      (await call(routes.channelOps.testUpstream, { params: { id }, signal, timeoutMs: upstreamTimeoutMs })).client_types,
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });

export const useBatchRemoval = () =>
  useRefreshing((ids: readonly number[]) => call(routes.channelOps.removeBatch, { body: { ids: [...ids] } }));
export const useBatchTag = () =>
  useRefreshing(({ ids, tag }: { ids: readonly number[]; tag: string }) =>
    call(routes.channelOps.tagBatch, { body: { ids: [...ids], tag } }),
  );
/** One after the other; the first refusal ends it, and what was done stays done. */
export const useBatchSwitch = () =>
  useRefreshing(async ({ ids, status }: { ids: readonly number[]; status: number }) => {
    for (const id of ids) await call(routes.channel.update, { body: { id, status } });
  });
export const useRepair = () => useRefreshing(() => call(routes.channelOps.fix));

export const useTagUpdate = () => useRefreshing((body: TagUpdate) => call(routes.channelOps.editTag, { body }));
export const useTagSwitch = () =>
  useRefreshing(({ tag, enabled }: { tag: string; enabled: boolean }) =>
    call(enabled ? routes.channelOps.enableTag : routes.channelOps.disableTag, { body: { tag } }),
  );

/** The longest model list among the channels of a tag. */
export const tagModelsQuery = (tag: string) =>
  queryOptions({
    queryKey: ['channel', 'tag-models', tag],
    queryFn: ({ signal }) => call(routes.channelOps.tagModels, { query: { tag }, signal }),
  });

/** What an upstream says it serves: a stored channel's with its stored key, or one that is only typed yet. */
export function useModelFetch() {
  return useMutation({
    mutationFn: (from: { id: number } | UnsavedChannel) =>
      'id' in from
        ? call(routes.channelOps.fetchModels, { params: { id: from.id }, timeoutMs: upstreamTimeoutMs })
        : call(routes.channelOps.fetchUnsaved, { body: from, timeoutMs: upstreamTimeoutMs }),
  });
}
