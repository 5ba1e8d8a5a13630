import { queryOptions } from '@tanstack/react-query';
import { routes } from '../../api/routes.ts';
import { callWithMembers } from '../../api/whole-answer.ts';
import { isRecord } from '../../lib/json.ts';
import type { PriceList } from './model.ts';

const numbers = (value: unknown): Record<string, number> =>
  Object.fromEntries(
    Object.entries(isRecord(value) ? value : {}).flatMap(([name, ratio]) => (typeof ratio === 'number' ? [[name, ratio]] : [])),
  );
const texts = (value: unknown): Record<string, string> =>
  Object.fromEntries(Object.entries(isRecord(value) ? value : {}).map(([name, text]) => [name, String(text)]));

/** What the visitor, or the user, would pay: the groups stand beside the list. */
export const priceListQuery = (userId: number | undefined) =>
  queryOptions({
    queryKey: ['pricing', userId ?? 0],
    queryFn: async ({ signal }): Promise<PriceList> => {
      const { data, members } = await callWithMembers(routes.price.pricing, { signal });
      return { items: data, group_ratio: numbers(members.group_ratio), usable_group: texts(members.usable_group) };
    },
    staleTime: 60_000,
  });
