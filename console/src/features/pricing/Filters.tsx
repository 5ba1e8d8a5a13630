import {
  col_group,
  pricing_all_providers,
  pricing_all_types,
  pricing_hide,
  pricing_provider,
  pricing_search,
  pricing_type,
  pricing_type_call,
  pricing_type_second,
  pricing_type_token,
} from '../../i18n/generated/messages.ts';
import { FilterSelect } from '../../ui/table/FilterSelect.tsx';
import { SearchField } from '../../ui/table/SearchField.tsx';
import { type PriceList, providersOf } from './model.ts';
import { billingTypes, type PricingSearch } from './search.ts';

const typeNames = { token: pricing_type_token, call: pricing_type_call, second: pricing_type_second };

interface Props {
  list: PriceList;
  group: string;
  search: PricingSearch;
  change(next: PricingSearch): void;
}

/** What narrows the list; the group chooses whose prices are shown. */
export function Filters({ list, group, search, change }: Props) {
  return (
    <>
      <SearchField
        label={pricing_search()}
        value={search.q ?? ''}
        onCommit={(q) => change({ q: q || undefined })}
        className="w-60 max-sm:w-full"
      />
      <select
        className="control w-44 max-sm:w-full"
        aria-label={col_group()}
        value={group}
        onChange={(event) => change({ group: event.currentTarget.value })}
      >
        {Object.entries(list.group_ratio).map(([name, ratio]) => (
          <option key={name} value={name}>
            {name} × {ratio}
          </option>
        ))}
      </select>
      <FilterSelect
        label={pricing_type()}
        all={pricing_all_types()}
        value={search.type}
        options={billingTypes}
        textOf={(type) => typeNames[type]()}
        onChange={(type) => change({ type })}
        className="w-36 max-sm:w-full"
      />
      <FilterSelect
        label={pricing_provider()}
        all={pricing_all_providers()}
        value={search.provider}
        options={providersOf(list.items)}
        textOf={(provider) => provider}
        onChange={(provider) => change({ provider })}
      />
      <label className="flex min-h-8 items-center gap-2">
        <input
          type="checkbox"
          className="checkbox"
          checked={search.hide === '1'}
          onChange={(event) => change({ hide: event.currentTarget.checked ? '1' : undefined })}
        />
        {pricing_hide()}
      </label>
    </>
  );
}
