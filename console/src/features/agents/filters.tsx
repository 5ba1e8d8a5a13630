import { countFilters } from '../../api/page.ts';
import { filter_status_all, log_from, log_to } from '../../i18n/generated/messages.ts';
import { TimeFilter } from '../../ui/form/TimeFilter.tsx';
import { FilterSelect } from '../../ui/table/FilterSelect.tsx';
import type { Face } from './model.ts';
import type { RecordSearch } from './search.ts';

interface StateProps {
  /** The states that can be chosen. */
  faces: Readonly<Record<number, Face>>;
  status: number | undefined;
  onChange(status: number | undefined): void;
}

export function StateFilter({ faces, status, onChange }: StateProps) {
  return (
    <FilterSelect
      label={filter_status_all()}
      value={status}
      options={Object.keys(faces).map(Number)}
      textOf={(state) => faces[state]?.text() ?? ''}
      onChange={onChange}
    />
  );
}

export interface FilterProps extends Pick<StateProps, 'faces'> {
  search: RecordSearch;
  change(next: RecordSearch): void;
}

/** State and time: what narrows dividends and withdrawals. */
export function RecordFilters({ search, change, faces }: FilterProps) {
  return (
    <>
      <StateFilter faces={faces} status={search.status} onChange={(status) => change({ status })} />
      <TimeFilter label={log_from()} seconds={search.from} onChange={(from) => change({ from })} />
      <TimeFilter label={log_to()} seconds={search.to} onChange={(to) => change({ to })} />
    </>
  );
}

export const noFilter = { status: undefined, from: undefined, to: undefined } as const;
export const activeFilters = ({ status, from, to }: RecordSearch): number => countFilters({ status, from, to });
