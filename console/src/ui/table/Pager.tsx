import { ChevronLeft, ChevronRight } from 'lucide-react';
import {
  pager_label,
  pager_next,
  pager_page,
  pager_page_of,
  pager_previous,
  pager_size,
  pager_size_option,
  pager_total,
  pager_total_capped,
} from '../../i18n/generated/messages.ts';
import { pageSizes } from '../../lib/list-search.ts';
import { formatUnits } from '../../lib/money.ts';
import { IconButton } from '../Button.tsx';
import { type ListState, lastPage } from './list-state.ts';

interface Props {
  list: ListState;
  total?: number;
  /** There are more than `total`: neither is the last page known. */
  capped?: boolean;
  hasNext: boolean;
}

/** Page by page through a list whose length may be unknown. */
export function Pager({ list, total, capped = false, hasNext }: Props) {
  const last = lastPage(list, { total, capped });
  return (
    <nav aria-label={pager_label()} className="flex flex-wrap items-center gap-2 py-1 text-muted print:hidden">
      {total !== undefined && (
        <span className="tabular-nums max-sm:hidden">
          {(capped ? pager_total_capped : pager_total)({ count: formatUnits(total) })}
        </span>
      )}
      <select
        className="control ml-auto w-auto"
        aria-label={pager_size()}
        value={list.size}
        onChange={(event) => list.setSize(Number(event.currentTarget.value))}
      >
        {pageSizes.map((size) => (
          <option key={size} value={size}>
            {pager_size_option({ size })}
          </option>
        ))}
      </select>
      <Steps page={list.page} last={last} hasNext={hasNext} setPage={list.setPage} />
    </nav>
  );
}

interface StepsProps {
  page: number;
  /** Absent or 0: not known. */
  last?: number;
  hasNext: boolean;
  setPage(page: number): void;
}

function Steps({ page, last = 0, hasNext, setPage }: StepsProps) {
  return (
    <>
      <IconButton
        icon={ChevronLeft}
        label={pager_previous()}
        disabled={page <= 1}
        // From beyond the end to the last page.
        onClick={() => setPage(Math.min(page - 1, last || page))}
      />
      <span aria-live="polite" className="tabular-nums">
        {last > 0 ? pager_page_of({ page, last }) : pager_page({ page })}
      </span>
      {/* The rows may still be those of the page before. */}
      <IconButton
        icon={ChevronRight}
        label={pager_next()}
        disabled={!hasNext || page === last}
        onClick={() => setPage(page + 1)}
      />
    </>
  );
}

/** The same of a list inside of something else: its pages have one length. */
export const ShortPager = (steps: StepsProps) => (
  <nav aria-label={pager_label()} className="flex items-center justify-end gap-2 py-1 text-muted">
    <Steps {...steps} />
  </nav>
);
