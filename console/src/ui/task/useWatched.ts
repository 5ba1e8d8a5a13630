import { type QueryKey, type UseQueryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Page } from '../../api/page.ts';
import type { LoadState } from '../table/columns.ts';
import { isFinal } from './status.ts';

/** How often running rows are asked for; never while the page is out of sight. */
export const watchMs = 4000;

/** Whether any of these rows will still change by itself. */
export const isRunning = (rows: readonly { status: string }[] | undefined): boolean =>
  rows?.some(({ status }) => !isFinal(status)) ?? false;

export interface Watched<T> {
  data: Page<T> | undefined;
  running: boolean;
  /** For the table: what the page does by itself does not show as loading. */
  state: LoadState;
  refresh(): void;
}

/** A list that is asked for again as long as something in it is running. */
export function useWatched<T extends { status: string }, Key extends QueryKey>(
  options: UseQueryOptions<Page<T>, Error, Page<T>, Key>,
): Watched<T> {
  const query = useQuery({
    ...options,
    refetchInterval: ({ state }) => (isRunning(state.data?.items) ? watchMs : false),
  });
  const [asked, setAsked] = useState(false);
  const refresh = () => {
    setAsked(true);
    void query.refetch().finally(() => setAsked(false));
  };
  return {
    data: query.data,
    running: isRunning(query.data?.items),
    state: { ...query, isFetching: query.isFetching && (asked || query.isPending || query.isPlaceholderData), refetch: refresh },
    refresh,
  };
}
