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
import { Button } from '../Button.tsx';
import { EmptyState } from '../EmptyState.tsx';
import { type Column, rowHeightPx } from './columns.ts';
import { type ListState, lastPage } from './list-state.ts';

const widths = ['w-3/5', 'w-2/5', 'w-4/5', 'w-1/2'];
const maxSkeletons = 20;

/** Rows that have the final geometry before the data is there. */
export function Skeletons<T>({ columns, size, phone }: { columns: readonly Column<T>[]; size: number; phone: boolean }) {
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
  return (
    // Rows beyond the screen are only room, so that what follows the table does not jump.
    <div className="table-scroller" style={{ paddingBottom: Math.max(0, size - maxSkeletons) * rowHeightPx }}>
      <table className="data-table" aria-hidden>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.id}>{column.header()}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row}>
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
