import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { channelListQuery } from '../../api/channels.ts';
import { routes } from '../../api/routes.ts';
import { selfQuery } from '../../api/self.ts';
import { tokenListQuery } from '../../api/tokens.ts';
import type { Facts } from './steps.ts';

/** The first call comes from elsewhere, so the page asks for it; the rest is done in the console, which then reads it again. */
const pollMs = 10_000;
const rows = 20;

/** The facts, kept up to date while `watching`; undefined until all of them are here. */
export function useFacts(watching: boolean): Facts | undefined {
  const channels = useQuery(channelListQuery({}, { idSort: true, byTag: false }, 1, rows)).data?.items;
  const tokens = useQuery(tokenListQuery({}, 1, 1)).data?.items;
  const self = useQuery({ ...selfQuery, refetchInterval: watching ? pollMs : false }).data;
  const unpriced = useQuery({
    queryKey: ['price', 'unpriced', channels?.map(({ id, models }) => [id, models])],
    queryFn: ({ signal }) => call(routes.price.unpriced, { signal }),
    enabled: channels !== undefined,
    placeholderData: keepPreviousData,
  }).data;
  return channels && tokens && self && unpriced ? { channels, tokens: tokens.length, self, unpriced } : undefined;
}
