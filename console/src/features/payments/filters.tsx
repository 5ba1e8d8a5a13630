import { inboxVerdicts, orderStates } from '@tollgate/contract';
import {
  filter_status_all,
  log_from,
  log_to,
  payment_provider_all,
  payment_username,
  payment_verdict_all,
  wallet_order_number,
} from '../../i18n/generated/messages.ts';
import { TimeFilter } from '../../ui/form/TimeFilter.tsx';
import { orderFaces } from '../../ui/payment/order.ts';
import { FilterSelect } from '../../ui/table/FilterSelect.tsx';
import { SearchField } from '../../ui/table/SearchField.tsx';
import { verdictFaces } from './model.ts';
import type { PaymentSearch } from './search.ts';

const providers = ['epay', 'stripe'] as const;

export interface FilterProps {
  search: PaymentSearch;
  change(next: PaymentSearch): void;
}

export function OrderFilters({ search, change }: FilterProps) {
  return (
    <>
      <SearchField
        label={payment_username()}
        value={search.username ?? ''}
        onCommit={(username) => change({ username: username || undefined })}
      />
      <SearchField
        label={wallet_order_number()}
        value={search.trade ?? ''}
        onCommit={(trade) => change({ trade: trade || undefined })}
        className="w-56 max-sm:w-full"
      />
      <FilterSelect
        label={filter_status_all()}
        value={search.status}
        options={orderStates}
        textOf={(state) => orderFaces[state].text()}
        onChange={(status) => change({ status })}
      />
      <TimeFilter label={log_from()} seconds={search.from} onChange={(from) => change({ from })} />
      <TimeFilter label={log_to()} seconds={search.to} onChange={(to) => change({ to })} />
    </>
  );
}

export function InboxFilters({ search, change }: FilterProps) {
  return (
    <>
      <FilterSelect
        label={payment_verdict_all()}
        value={search.verdict}
        options={inboxVerdicts}
        textOf={(verdict) => verdictFaces[verdict].text()}
        onChange={(verdict) => change({ verdict })}
      />
      <FilterSelect
        label={payment_provider_all()}
        value={search.provider}
        options={providers}
        textOf={(provider) => provider}
        onChange={(provider) => change({ provider })}
      />
    </>
  );
}
