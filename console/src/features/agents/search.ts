import { type ListSearch, readListSearch } from '../../lib/list-search.ts';
import { intParam, latestSeconds, type RawSearch, textParam } from '../../lib/search.ts';

/** The filters of dividends and withdrawals. A state that the server does not know finds nothing. */
export interface RecordSearch extends ListSearch {
  status?: number;
  from?: number;
  to?: number;
}

export const readRecordSearch = (raw: RawSearch): RecordSearch => ({
  ...readListSearch(raw),
  status: intParam(raw.status, 0, 5),
  from: intParam(raw.from, 0, latestSeconds),
  to: intParam(raw.to, 0, latestSeconds),
});

/** What the bars of the earnings show; absent = what was earned. */
export const earningMetrics = ['earned', 'matured', 'withdrawn', 'customers'] as const;
export type EarningMetric = (typeof earningMetrics)[number];
export const earningDays = [7, 30, 90] as const;
export type EarningDays = (typeof earningDays)[number];

export interface EarningsSearch {
  metric?: EarningMetric;
  days?: EarningDays;
  /** The days as a table. */
  view?: 'table';
}

const readEarningsSearch = (raw: RawSearch): EarningsSearch => ({
  metric: earningMetrics.find((metric) => metric === raw.metric && metric !== 'earned'),
  days: earningDays.find((days) => String(days) === String(raw.days) && days !== 30),
  view: raw.view === 'table' ? 'table' : undefined,
});

/** Pages and sizes are those of the customers. */
export type AgentSearch = ListSearch & EarningsSearch;
export const readAgentSearch = (raw: RawSearch): AgentSearch => ({ ...readListSearch(raw), ...readEarningsSearch(raw) });

export const manageTabs = ['agents', 'withdrawals', 'dividends'] as const;
export type ManageTab = (typeof manageTabs)[number];

export interface ManageSearch extends RecordSearch, EarningsSearch {
  /** Absent: the agents. */
  tab?: ManageTab;
  keyword?: string;
  /** User id of an agent. */
  agent?: number;
}

export const readManageSearch = (raw: RawSearch): ManageSearch => ({
  ...readRecordSearch(raw),
  ...readEarningsSearch(raw),
  tab: manageTabs.find((tab) => tab === raw.tab),
  keyword: textParam(raw.keyword),
  agent: intParam(raw.agent, 1, Number.MAX_SAFE_INTEGER),
});
