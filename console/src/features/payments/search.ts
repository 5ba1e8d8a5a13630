import { type ListSearch, readListSearch } from '../../lib/list-search.ts';
import { intParam, latestSeconds, type RawSearch, textParam } from '../../lib/search.ts';

export const paymentTabs = ['orders', 'inbox', 'unmatched'] as const;
export type PaymentTab = (typeof paymentTabs)[number];

/** The address of the page: each tab has its own filters. The server finds nothing by a value that it does not know. */
export interface PaymentSearch extends ListSearch {
  /** Absent: the orders. */
  tab?: PaymentTab;
  /** In full, as the next one: the server compares for equality. */
  username?: string;
  trade?: string;
  status?: string;
  from?: number;
  to?: number;
  verdict?: string;
  provider?: string;
}

export const readPaymentSearch = (raw: RawSearch): PaymentSearch => ({
  ...readListSearch(raw),
  tab: paymentTabs.find((tab) => tab === raw.tab),
  username: textParam(raw.username),
  trade: textParam(raw.trade),
  status: textParam(raw.status),
  from: intParam(raw.from, 0, latestSeconds),
  to: intParam(raw.to, 0, latestSeconds),
  verdict: textParam(raw.verdict),
  provider: textParam(raw.provider),
});
