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
import { IconButton } from '../Button.tsx';
import type { ListState } from './list-state.ts';

interface Props {
  list: ListState;
  total?: number;
  /** There are more than `total`: neither is the last page known. */
  capped?: boolean;
  hasNext: boolean;
}

/** Page by page through a list whose length may be unknown. */
export function Pager({ list, total, capped = false, hasNext }: Props) {
  const last = total === undefined || capped ? 0 : Math.max(1, Math.ceil(total / list.size));
  return (
    <nav aria-label={pager_label()} className="flex flex-wrap items-center gap-2 py-1 text-muted">
      {total !== undefined && (
        <span className="tabular-nums max-sm:hidden">
          {(capped ? pager_total_capped : pager_total)({ count: total.toLocaleString('en-US') })}
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
      <IconButton
        icon={ChevronLeft}
        label={pager_previous()}
        disabled={list.page <= 1}
        // From beyond the end to the last page.
        onClick={() => list.setPage(Math.min(list.page - 1, last || list.page))}
      />
      <span aria-live="polite" className="tabular-nums">
        {last > 0 ? pager_page_of({ page: list.page, last }) : pager_page({ page: list.page })}
      </span>
      {/* The rows may still be those of the page before. */}
      <IconButton
        icon={ChevronRight}
        label={pager_next()}
        disabled={!hasNext || list.page === last}
        onClick={() => list.setPage(list.page + 1)}
      />
    </nav>
  );
}
