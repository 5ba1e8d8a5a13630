import type { RewardState } from '@tollgate/contract';
import { type ListSearch, readListSearch } from '../../lib/list-search.ts';
import { intParam, type RawSearch, textParam } from '../../lib/search.ts';

// Not the contract's list: its schemas would come along into every page.
const states = ['waiting', 'paid', 'void'] as const satisfies readonly RewardState[];

export interface InviteSearch extends ListSearch {
  /** Absent: the invited users. */
  tab?: 'rewards';
  /** Of rewards; absent = all. */
  state?: RewardState;
}

export const readInviteSearch = (raw: RawSearch): InviteSearch => ({
  ...readListSearch(raw),
  tab: raw.tab === 'rewards' ? 'rewards' : undefined,
  state: states.find((state) => state === raw.state),
});

export interface StatementSearch {
  /** `2026-11`; absent: this month. */
  month?: string;
  /** Whose, for administrators; absent: the own one. */
  user?: number;
  /** The own agency's, not that of the balance. */
  agency?: number;
}

export const readStatementSearch = (raw: RawSearch): StatementSearch => ({
  month: textParam(raw.month, 7),
  user: intParam(raw.user, 1, Number.MAX_SAFE_INTEGER),
  agency: intParam(raw.agency, 1, 1),
});
