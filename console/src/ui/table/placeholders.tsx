import { SearchX } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Page } from '../../api/page.ts';
import {
  list_clear_filters,
  list_no_match,
  list_no_match_text,
  list_page_empty,
  list_to_page,
} from '../../i18n/generated/messages.ts';
import { readJson } from '../../lib/storage.ts';
import { Button } from '../Button.tsx';
import { EmptyState } from '../EmptyState.tsx';
import { type Column, cellClass, opens, rowHeightPx, type TableOptions, widthsKey } from './columns.ts';
import { type ListState, lastPage } from './list-state.ts';

const widths = ['w-3/5', 'w-2/5', 'w-4/5', 'w-1/2'];
const maxSkeletons = 20;

const isWidths = (value: unknown): value is number[] => Array.isArray(value) && value.every((one) => typeof one === 'number');

interface SkeletonProps<T> {
  label: string;
  columns: readonly Column<T>[];
  options: TableOptions<T>;
  size: number;
  phone: boolean;
}

/** Rows that have the final geometry before the data is there; columns have that of the last time. */
export function Skeletons<T>({ label, columns, options, size, phone }: SkeletonProps<T>) {
  const rows = Array.from({ length: Math.min(size, maxSkeletons) }, (_, index) => index);
  if (phone) {
    return (
      <div aria-hidden className="flex flex-col gap-2">
        {rows.slice(0, 5).map((row) => (
          <div key={row} className="h-44 rounded-lg border bg-surface p-3">
            <span className="skeleton w-2/5" />
          </div>
        ))}
      </div>
    );
  }
  const before = (options.selection ? 1 : 0) + (opens(options) ? 1 : 0);
  const kept = readJson(widthsKey(label), isWidths);
  const known = kept?.length === before + columns.length ? kept : [];
  return (
    // Rows beyond the screen are only room, so that what follows the table does not jump.
    <div className="table-scroller" style={{ paddingBottom: Math.max(0, size - maxSkeletons) * rowHeightPx }}>
      <table className="data-table" aria-hidden>
        <thead>
          <tr>
            {before > 0 && <th colSpan={before} style={{ width: before * 32 }} />}
            {columns.map((column, index) => (
              <th
                key={column.id}
                className={cellClass({ ...column, clip: false, fill: false })}
                style={{ width: known[before + index] }}
              >
                {column.header()}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row}>
              {before > 0 && <td colSpan={before} />}
              {columns.map((column, index) => (
                <td key={column.id}>
                  <span className={`skeleton ${widths[(row + index) % widths.length]}`} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** There are rows, but none that the filters let through. */
export const NoMatch = ({ clear }: { clear(): void }) => (
  <EmptyState
    icon={SearchX}
    title={list_no_match()}
    text={list_no_match_text()}
    action={<Button onClick={clear}>{list_clear_filters()}</Button>}
  />
);

interface NoRowsProps {
  list: ListState;
  page: Pick<Page<unknown>, 'total' | 'capped'> | undefined;
  /** Takes the filters away; none is set where it is absent. */
  clear?: false | (() => void);
  /** Nothing is there yet. */
  children: ReactNode;
}

/** Why a page has no rows: it is beyond the last one, the filters let none through, or there are none yet. */
export function NoRows({ list, page, clear, children }: NoRowsProps) {
  if (list.page <= 1) return clear ? <NoMatch clear={clear} /> : children;
  const back = Math.min(list.page - 1, lastPage(list, page) || 1);
  const action = <Button onClick={() => list.setPage(back)}>{list_to_page({ page: back })}</Button>;
  return <EmptyState icon={SearchX} title={list_page_empty()} action={action} />;
}
