import { channelStatus, channelTypes, maxChannelKeyword } from '@tollgate/contract';
import {
  batch_mode,
  channel_id_sort,
  channel_search,
  channel_search_model,
  filter_status_all,
  filter_type_all,
  tag_mode,
} from '../../i18n/generated/messages.ts';
import { FilterSelect } from '../../ui/table/FilterSelect.tsx';
import { GroupFilter } from '../../ui/table/GroupFilter.tsx';
import { SearchField } from '../../ui/table/SearchField.tsx';
import { statusOf, typeOf } from './model.ts';
import type { ChannelSearch } from './search.ts';

const statuses = [channelStatus.enabled, channelStatus.disabled, channelStatus.autoDisabled];
const types = channelTypes.map(({ type }) => type);

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
        className="w-36 max-sm:w-full"
      />
      <GroupFilter group={search.group} onChange={(group) => change({ group })} />
      <FilterSelect
        label={filter_status_all()}
        value={search.status}
        options={statuses}
        textOf={(status) => statusOf({ status, other_info: '' }).text}
        onChange={(status) => change({ status })}
      />
      <FilterSelect
        label={filter_type_all()}
        value={search.type}
        options={search.type === undefined || types.includes(search.type) ? types : [search.type, ...types]}
        textOf={(type) => typeOf({ type }).label}
        onChange={(type) => change({ type })}
        className="w-36 max-sm:w-full"
      />
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
