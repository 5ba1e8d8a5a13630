import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Channel, ChannelInput } from '@tollgate/contract';
import { call } from './call.ts';
import { type Page, pageOfAll, pageOfSlice } from './page.ts';
import { routes } from './routes.ts';

const all = ['channel'] as const;
const minutesMs = 60_000;

export interface ChannelFilter {
  keyword?: string;
  model?: string;
  group?: string;
}

/** One screen of the channels. With a filter the server answers everything that matches, cut here. */
export function channelListQuery(filter: ChannelFilter, idSort: boolean, page: number, size: number) {
  const { keyword, model, group } = filter;
  const filtered = keyword !== undefined || model !== undefined || group !== undefined;
  const sort = idSort ? { id_sort: 'true' } : {};
  return queryOptions({
    queryKey: filtered
      ? [...all, 'search', keyword ?? '', model ?? '', group ?? '', idSort]
      : [...all, 'list', page, size, idSort],
    queryFn: ({ signal }) =>
      filtered
        ? call(routes.channel.search, { query: { keyword, model, group, ...sort }, signal })
        : call(routes.channel.list, { query: { p: page - 1, page_size: size, ...sort }, signal }),
    select: (channels): Page<Channel> => (filtered ? pageOfAll(channels, page, size) : pageOfSlice(channels, size)),
    placeholderData: keepPreviousData,
  });
}

export const channelQuery = (id: number) =>
  queryOptions({
    queryKey: [...all, 'one', id],
    queryFn: ({ signal }) => call(routes.channel.get, { params: { id }, signal }),
    staleTime: 0,
    gcTime: 0,
  });

export const groupNamesQuery = queryOptions({
  queryKey: ['group'],
  queryFn: ({ signal }) => call(routes.channel.groups, { signal }),
  staleTime: minutesMs,
});

/** Every built-in model name, for "fill all". */
export const knownModelsQuery = queryOptions({
  queryKey: ['models', 'known'],
  queryFn: async ({ signal }) => (await call(routes.channel.models, { signal })).map((model) => model.id),
  staleTime: 5 * minutesMs,
});

/** Default model names by channel type, for "fill related". */
export const modelsByTypeQuery = queryOptions({
  queryKey: ['models', 'by-type'],
  queryFn: ({ signal }) => call(routes.channel.modelsByType, { signal }),
  staleTime: 5 * minutesMs,
});

/** A single-field change, shown at once and taken back when refused. Rows keep their places until the next refresh. */
export function useChannelPatch() {
  const client = useQueryClient();
  const patch = (id: number, change: Partial<Channel>) => {
    for (const kind of ['list', 'search']) {
      client.setQueriesData<Channel[]>({ queryKey: [...all, kind] }, (rows) =>
        rows?.map((row) => (row.id === id ? { ...row, ...change } : row)),
      );
    }
  };
  return useMutation({
    mutationFn: ({ channel, change }: { channel: Channel; change: Partial<Pick<Channel, 'status' | 'priority' | 'weight'>> }) =>
      call(routes.channel.update, { body: { id: channel.id, ...change } }),
    onMutate: ({ channel, change }) => patch(channel.id, change),
    onError: (_error, { channel, change }) =>
      patch(channel.id, Object.fromEntries(Object.keys(change).map((name) => [name, channel[name as keyof typeof change]]))),
  });
}

function useRefreshing<Input>(mutationFn: (input: Input) => Promise<unknown>) {
  const client = useQueryClient();
  return useMutation({ mutationFn, onSuccess: () => client.invalidateQueries({ queryKey: all }) });
}

export const useChannelCreation = () => useRefreshing((body: ChannelInput) => call(routes.channel.create, { body }));
export const useChannelUpdate = () =>
  useRefreshing((body: Partial<ChannelInput> & { id: number }) => call(routes.channel.update, { body }));
export const useChannelRemoval = () => useRefreshing((id: number) => call(routes.channel.remove, { params: { id } }));
export function useDisabledRemoval() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => call(routes.channel.removeDisabled),
    onSuccess: () => client.invalidateQueries({ queryKey: all }),
  });
}
