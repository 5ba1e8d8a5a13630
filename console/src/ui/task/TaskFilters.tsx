import type { ReactNode } from 'react';
import { col_user, filter_status_all, log_from, log_to, task_col_id, task_col_status } from '../../i18n/generated/messages.ts';
import { TimeFilter } from '../form/TimeFilter.tsx';
import type { TimeRange } from '../form/useRange.ts';
import { ChannelFilter } from '../table/ChannelFilter.tsx';
import { FilterSelect } from '../table/FilterSelect.tsx';
import { SearchField } from '../table/SearchField.tsx';
import type { TaskListSearch } from './search.ts';
import { faceOfStatus, statusChoices } from './status.ts';

interface Props {
  search: TaskListSearch;
  range: TimeRange;
  change(next: TaskListSearch): void;
  forAll: boolean;
  /** Nothing else waits for what a person chooses. */
  drawings?: boolean;
  /** Between the ids and the state. */
  children?: ReactNode;
}

/** The filters; all of them live in the URL. */
export function TaskFilters({ search, range, change, forAll, drawings, children }: Props) {
  return (
    <>
      <TimeFilter label={log_from()} seconds={range.from} onChange={(from) => change({ from, to: range.to })} />
      <TimeFilter label={log_to()} seconds={range.to} onChange={(to) => change({ from: range.from, to })} />
      {forAll && <ChannelFilter channel={search.channel} onChange={(channel) => change({ channel })} />}
      {forAll && (
        <SearchField
          label={col_user()}
          value={search.user ?? ''}
          maxLength={255}
          onCommit={(user) => change({ user: user || undefined })}
          className="w-28 max-sm:w-[calc(50%-4px)]"
        />
      )}
      <SearchField
        label={task_col_id()}
        value={search.id ?? ''}
        onCommit={(id) => change({ id: id || undefined })}
        className="w-44 max-sm:w-[calc(50%-4px)]"
      />
      {children}
      <FilterSelect
        label={task_col_status()}
        all={filter_status_all()}
        value={search.status}
        options={drawings ? statusChoices : statusChoices.filter((status) => status !== 'MODAL')}
        textOf={(status) => faceOfStatus(status).text()}
        onChange={(status) => change({ status })}
        className="w-32 max-sm:w-[calc(50%-4px)]"
      />
    </>
  );
}
