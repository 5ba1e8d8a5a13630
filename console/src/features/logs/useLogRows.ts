import { useQuery } from '@tanstack/react-query';
import type { LogEntry } from '@tollgate/contract';
import { useRef, useState } from 'react';
import type { LoadState } from '../../ui/table/columns.ts';
import type { ListState } from '../../ui/table/list-state.ts';
import { type LogFilter, type LogScreen, logListQuery, logTailQuery } from './queries.ts';
import type { LogSearch } from './search.ts';

/** Rows on screen while the log is live. */
const maxRows = 200;

/**
 * Pages by cursor: the screen after one is known from it, those before from the way that led here. Whoever starts in the
 * middle goes back by number.
 */
export function useCursors(list: ListState, search: LogSearch, key: string, change: (next: LogSearch) => void) {
  const way = useRef({ key, cursors: new Map<number, number>() });
  if (way.current.key !== key) way.current = { key, cursors: new Map() };
  const { cursors } = way.current;
  return (nextBefore: number): ListState => ({
    ...list,
    setPage(page) {
      if (page > list.page && nextBefore > 0) cursors.set(page, nextBefore);
      const before = page > 1 ? cursors.get(page) : undefined;
      if (search.before !== undefined) cursors.set(list.page, search.before);
      change({ p: page > 1 ? page : undefined, before, size: search.size });
    },
  });
}

/** The switch of the live log, and what arrived since it is on. */
export interface Live {
  on: boolean;
  set(on: boolean): void;
  count: number;
  skipped: boolean;
  error: Error | null;
}

interface Rows {
  screen: LogScreen | undefined;
  /** The cursor of the page after this one; 0 while the screen is still that of another page. */
  nextBefore: number;
  rows: readonly LogEntry[] | undefined;
  state: LoadState;
  live: Live;
}

/** The rows of the page: one screen, and above it what arrives while the log is live. */
export function useLogRows(filter: LogFilter, forAll: boolean, list: ListState, before: number | undefined): Rows {
  const query = useQuery(logListQuery(filter, forAll, { page: list.page, size: list.size, before }));
  const [on, setOn] = useState(false);
  const [start, setStart] = useState<{ key: string; id: number }>();
  const key = JSON.stringify(filter);
  const known = start?.key === key ? start.id : undefined;
  // The first screen is the ground: what is newer than its first row arrived since.
  const ground = list.page === 1 && !query.isPlaceholderData ? query.data : undefined;
  if (on && known === undefined && ground) setStart({ key, id: ground.items[0]?.id ?? 0 });
  const tail = useQuery({ ...logTailQuery(filter, forAll, known ?? 0), enabled: on && known !== undefined });
  const arrived = on && known !== undefined ? (tail.data?.items ?? []) : [];
  const screen = query.data;
  const seen = new Set(arrived.map(({ id }) => id));
  const below = screen?.items.filter(({ id }) => !seen.has(id));
  return {
    screen,
    nextBefore: (!query.isPlaceholderData && screen?.nextBefore) || 0,
    rows: arrived.length > 0 ? [...arrived, ...(below ?? [])].slice(0, maxRows) : screen?.items,
    state: query,
    live: {
      on,
      set(next) {
        setStart(undefined);
        setOn(next);
      },
      count: arrived.length,
      skipped: on && (tail.data?.skipped ?? false),
      error: on ? tail.error : null,
    },
  };
}
