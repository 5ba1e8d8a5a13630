import { keepPreviousData, queryOptions, useQueryClient } from '@tanstack/react-query';
import { type Channel, type ChannelInput, type ChannelUpdate, mostTagged } from '@tollgate/contract';
import { call } from './call.ts';
import { blockOf, isFiltered, type Page, pageOfBlock, pageOfSlice, peek, searchSize } from './page.ts';
import { routes } from './routes.ts';
import { rowsAt, useRowChange } from './rows.ts';
import { useWrite } from './write.ts';

const all = ['channel'] as const;
const minutesMs = 60_000;

export interface ChannelFilter {
  keyword?: string;
  model?: string;
  group?: string;
  status?: number;
  type?: number;
}

/** How the list is arranged: newest first, and whether pages are counted in tags. */
export interface ChannelArrangement {
  idSort: boolean;
  byTag: boolean;
}

/** One screen of the list. With a filter the server answers channels by the hundred, cut here, and tags by the screen. */
export function channelListQuery(filter: ChannelFilter, { idSort, byTag }: ChannelArrangement, page: number, size: number) {
  const filtered = isFiltered(filter);
  const arranged = { peek, ...(idSort ? { id_sort: 'true' } : {}), ...(byTag ? { tag_mode: 'true' } : {}) };
  const blockSize = byTag ? size : searchSize;
  const block = blockOf(page, size, blockSize);
  const screen = <T>(rows: T[]): Page<T> => (filtered ? pageOfBlock(rows, blockSize, page, size) : pageOfSlice(rows, size));
  return queryOptions({
    queryKey: filtered
      ? [...all, 'search', filter, block, blockSize, idSort, byTag]
      : [...all, 'list', page, size, idSort, byTag],
    queryFn: ({ signal }) =>
      filtered
        ? call(routes.channel.search, { query: { ...filter, p: block, page_size: blockSize, ...arranged }, signal })
        : call(routes.channel.list, { query: { p: page - 1, page_size: size, ...arranged }, signal }),
    select: (channels): Page<Channel> => (byTag ? tagScreen(channels, screen) : screen(channels)),
    placeholderData: keepPreviousData,
  });
}

/** The channels of one screen of tags. Where they were cut off, tags of this screen may be missing, and the next one's is not told. */
function tagScreen(channels: Channel[], screen: (tags: string[]) => Page<string>): Page<Channel> {
  const page = screen([...new Set(channels.map((channel) => channel.tag))]);
  const shown = new Set(page.items);
  const cut = channels.length >= mostTagged;
  const items = channels.filter((channel) => shown.has(channel.tag));
  return { ...page, items, cut, capped: page.capped || cut, hasNext: page.hasNext || cut };
}

export const channelQuery = (id: number) =>
  queryOptions({
    queryKey: [...all, 'one', id],
    queryFn: ({ signal }) => call(routes.channel.get, { params: { id }, signal }),
    staleTime: 0,
    gcTime: 0,
  });

/** The newest so many channels of this name, at most ten; others may have created some since. */
export const newestChannels = async (name: string, count: number): Promise<Channel[]> => {
  const newest = await call(routes.channel.list, { query: { p: 0, page_size: 10, id_sort: 'true' } });
  return newest.filter((made) => made.name === name).slice(0, count);
};

export const groupNamesQuery = queryOptions({
  queryKey: ['group'],
  queryFn: ({ signal }) => call(routes.channel.groups, { signal }),
  staleTime: minutesMs,
});

/** Models that some enabled channel serves. */
export const enabledModelsQuery = queryOptions({
  queryKey: ['models', 'enabled'],
  queryFn: async ({ signal }) => (await call(routes.channel.enabledModels, { signal })) ?? [],
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

/** Changes rows of the lists at hand without asking again, so that they keep their places until the next refresh. */
export function useRowPatch(): (id: number, change: Partial<Channel>) => void {
  return rowsAt<Channel>(useQueryClient(), all).patch;
}

/** A change of what a row of the list can be told. */
export const useChannelPatch = () =>
  useRowChange<Channel, Partial<Pick<Channel, 'status' | 'priority' | 'weight'>>>(all, (body) =>
    call(routes.channel.update, { body }),
  );

/** A change of channels, of which some may have been done after an error. */
export const useRefreshing = <Input, Answer>(change: (input: Input) => Promise<Answer>) => useWrite(change, all);

export const useChannelCreation = () => useRefreshing((body: ChannelInput) => call(routes.channel.create, { body }));
export const useChannelUpdate = () => useRefreshing((body: ChannelUpdate) => call(routes.channel.update, { body }));
export const useChannelRemoval = () => useRefreshing((id: number) => call(routes.channel.remove, { params: { id } }));
export const useDisabledRemoval = () => useRefreshing(() => call(routes.channel.removeDisabled));
