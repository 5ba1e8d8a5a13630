import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { LogEntry } from '@tollgate/contract';
import { call } from '../../api/call.ts';
import { addressOf } from '../../api/client.ts';
import type { Page } from '../../api/page.ts';
import { routes } from '../../api/routes.ts';
import { getLanguage } from '../../i18n/language.ts';
import { modelPattern } from '../../lib/model-filter.ts';
import type { LogSearch } from './search.ts';

export type LogFilter = Omit<LogSearch, 'p' | 'size' | 'before'>;

function filterOf(filter: LogFilter, forAll: boolean) {
  const { from, to, token, model, group, channel, user, type, request, upstream, ip } = filter;
  return {
    start_timestamp: from,
    end_timestamp: to,
    token_name: token,
    model_name: modelPattern(model),
    group,
    type,
    request_id: request,
    ip,
    ...(forAll ? { channel, username: user, upstream_request_id: upstream } : {}),
  };
}

/** One screen of the log. */
export interface LogScreen extends Page<LogEntry> {
  /** There are more than `total`. */
  capped: boolean;
  /** The cursor of the screen after it; 0 = there is none. */
  nextBefore: number;
}

/** Where a screen stands: by the cursor where one is known, else by its number. */
export interface LogPlace {
  page: number;
  size: number;
  before?: number;
}

/** One screen of the log: everybody's for administrators, else the own rows. */
export const logListQuery = (filter: LogFilter, forAll: boolean, place: LogPlace) =>
  queryOptions({
    // The server tells its errors in the language of the page.
    queryKey: ['log', 'list', forAll, filter, place, getLanguage()],
    queryFn: async ({ signal }): Promise<LogScreen> => {
      const { page, size, before } = place;
      const query = { ...filterOf(filter, forAll), ...(before ? { before } : { p: page }), page_size: size };
      const answer = await (forAll ? call(routes.log.list, { query, signal }) : call(routes.log.self, { query, signal }));
      const { items, total, total_capped: capped, next_before: nextBefore } = answer;
      return { items, total, capped, nextBefore, hasNext: nextBefore > 0 };
    },
    placeholderData: keepPreviousData,
  });

export interface LogArrivals {
  /** Newest first. */
  items: LogEntry[];
  after: number;
  skipped: boolean;
}

/** How often new rows are asked for, and how many are kept. */
export const tailMs = 2500;
const maxArrivals = 200;

/**
 * What arrived after the row `start`, from now on where there is none (0), whatever the range; asked for again and again,
 * never while the page is out of sight. Each look adds to what the ones before it found.
 */
export const logTailQuery = (filter: LogFilter, forAll: boolean, start: number) =>
  queryOptions({
    queryKey: ['log', 'tail', forAll, filter, start] as const,
    queryFn: async ({ signal, client, queryKey }): Promise<LogArrivals> => {
      const known = client.getQueryData<LogArrivals>(queryKey);
      const { start_timestamp: _from, end_timestamp: _to, ...same } = filterOf(filter, forAll);
      const query = { ...same, after: known?.after ?? (start || undefined) };
      const tail = await (forAll ? call(routes.log.tail, { query, signal }) : call(routes.log.selfTail, { query, signal }));
      return {
        items: [...tail.items, ...(known?.items ?? [])].slice(0, maxArrivals),
        after: tail.after,
        skipped: tail.skipped || (known?.skipped ?? false),
      };
    },
    refetchInterval: tailMs,
    staleTime: 0,
    gcTime: 0,
  });

export type ExportFormat = 'csv' | 'ndjson';

/** Where the file with the rows of a filter is. */
export const exportAddress = (filter: LogFilter, forAll: boolean, format: ExportFormat): string =>
  addressOf((forAll ? routes.log.export : routes.log.selfExport).path, {}, { ...filterOf(filter, forAll), format });

/** The sums of the same rows; calls and tokens per minute are of the last 60 seconds. */
export const logStatQuery = (filter: LogFilter, forAll: boolean, everyMs?: number) =>
  queryOptions({
    queryKey: ['log', 'stat', forAll, filter],
    queryFn: ({ signal }) => {
      const query = filterOf(filter, forAll);
      return forAll ? call(routes.log.stat, { query, signal }) : call(routes.log.selfStat, { query, signal });
    },
    placeholderData: keepPreviousData,
    refetchInterval: everyMs,
  });

/** The arithmetic of one charge; nothing of it changes but what was given back. */
export const receiptQuery = (logId: number) =>
  queryOptions({
    queryKey: ['log', 'receipt', logId],
    queryFn: ({ signal }) => call(routes.log.receipt, { params: { id: logId }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Gives a charge back. The lists, the sums and the balances are read anew, and no body, whose reading is written down. */
export function useGiveBack(logId: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { refunded: number; reason: string }) => call(routes.log.giveBack, { params: { id: logId }, body }),
    onSettled: () =>
      client.invalidateQueries({
        predicate: ({ queryKey: [kind, part] }) => kind === 'user' || kind === 'self' || (kind === 'log' && part !== 'body'),
      }),
  });
}

/** Who made a call. */
export const ownerQuery = (id: number) =>
  queryOptions({ queryKey: ['user', 'one', id], queryFn: ({ signal }) => call(routes.users.get, { params: { id }, signal }) });

/** What a call was asked and answered. Reading somebody else's is written down, so it is not read twice. */
export const bodyQuery = (logId: number) =>
  queryOptions({
    queryKey: ['log', 'body', logId],
    queryFn: ({ signal }) => call(routes.log.body, { params: { id: logId }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
