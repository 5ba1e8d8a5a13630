import { useState } from 'react';
import type { Page } from '../../api/page.ts';
import { isRecord } from '../../lib/json.ts';
import { type ListSearch, pageSizes } from '../../lib/list-search.ts';
import { readJson, writeJson } from '../../lib/storage.ts';

const defaultSize = 10;
const maxHidden = 50;

interface TablePrefs {
  size?: number;
  idSort?: boolean;
  /** Ids of the columns that were put away. */
  hidden?: readonly string[];
}

/** Remembered preferences of one table. Foreign or outdated content reads as none. */
export function readPrefs(table: string): TablePrefs {
  const stored = readJson(`table:${table}:v1`, isRecord) ?? {};
  const size = pageSizes.find((known) => known === stored.size);
  const hidden = Array.isArray(stored.hidden)
    ? stored.hidden.filter((id) => typeof id === 'string').slice(0, maxHidden)
    : undefined;
  return { size, idSort: stored.idSort === true || undefined, hidden };
}

export const writePrefs = (table: string, change: TablePrefs): void =>
  writeJson(`table:${table}:v1`, { ...readPrefs(table), ...change });

export interface ListState {
  page: number;
  size: number;
  setPage(page: number): void;
  setSize(size: number): void;
}

/** The number of the last page; 0 where it is not known. */
export const lastPage = ({ size }: ListState, page: Pick<Page<unknown>, 'total' | 'capped'> | undefined): number =>
  page?.total === undefined || page.capped ? 0 : Math.max(1, Math.ceil(page.total / size));

/** Page and page size of a list: the URL first, then what was chosen the last time. `change` writes the URL. */
export function useListState(table: string, search: ListSearch, change: (next: ListSearch) => void): ListState {
  return {
    page: search.p ?? 1,
    size: search.size ?? readPrefs(table).size ?? defaultSize,
    setPage: (page) => change({ p: page > 1 ? page : undefined, size: search.size }),
    setSize(size) {
      writePrefs(table, { size });
      change({ p: undefined, size });
    },
  };
}

/** The same of a list that the address says nothing of. Pages of another length begin with the first one. */
export function usePages(firstSize: number): ListState {
  const [place, setPlace] = useState({ page: 1, size: firstSize });
  return {
    ...place,
    setPage: (page) => setPlace({ ...place, page }),
    setSize: (size) => setPlace({ page: 1, size }),
  };
}
