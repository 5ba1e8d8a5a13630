import { useQuery } from '@tanstack/react-query';
import { maxChannelKeyword } from '@tollgate/contract';
import { groupNamesQuery } from '../../api/channels.ts';
import {
  batch_mode,
  channel_id_sort,
  channel_search,
  channel_search_model,
  filter_group_all,
  tag_mode,
} from '../../i18n/generated/messages.ts';
import { SearchField } from '../../ui/table/SearchField.tsx';
import type { ChannelSearch } from './search.ts';

function Toggle({ label, checked, onChange }: { label: string; checked: boolean; onChange(on: boolean): void }) {
  return (
    <label className="inline-flex min-h-6 items-center gap-1.5 whitespace-nowrap">
      <input
        type="checkbox"
        role="switch"
        className="switch"
        checked={checked}
        aria-checked={checked}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      {label}
    </label>
  );
}

interface Props {
  search: ChannelSearch;
  change(next: ChannelSearch): void;
  idSort: boolean;
  setIdSort(on: boolean): void;
  batch: boolean;
  setBatch(on: boolean): void;
}

/** What narrows and arranges the list. */
export function Filters({ search, change, idSort, setIdSort, batch, setBatch }: Props) {
  const { data: groups = [] } = useQuery(groupNamesQuery);
  return (
    <>
      <SearchField
        label={channel_search()}
        value={search.keyword ?? ''}
        maxLength={maxChannelKeyword}
        onCommit={(keyword) => change({ keyword: keyword || undefined })}
      />
      <SearchField
        label={channel_search_model()}
        value={search.model ?? ''}
        onCommit={(model) => change({ model: model || undefined })}
      />
      <select
        className="control w-32 max-sm:w-full"
        aria-label={filter_group_all()}
        value={search.group ?? ''}
        onChange={(event) => change({ group: event.currentTarget.value || undefined })}
      >
        <option value="">{filter_group_all()}</option>
        {groups.map((group) => (
          <option key={group} value={group}>
            {group}
          </option>
        ))}
      </select>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Toggle label={channel_id_sort()} checked={idSort} onChange={setIdSort} />
        <Toggle
          label={tag_mode()}
          checked={search.view === 'tags'}
          onChange={(on) => change({ view: on ? 'tags' : undefined })}
        />
        <Toggle label={batch_mode()} checked={batch} onChange={setBatch} />
      </div>
    </>
  );
}
