import { type Dashboard, logType } from '@tollgate/contract';
import type { DashboardSearch } from './search.ts';

/** Search parameters of the log page. */
export interface LogTarget {
  from?: number;
  to?: number;
  token?: string;
  model?: string;
  group?: string;
  channel?: number;
  user?: string;
  type?: number;
}

/** Leads from a number to the rows that it sums: the page's own filter, and what narrows it further. */
export type LogLink = (more?: LogTarget) => LogTarget;

export function logLinkOf(search: DashboardSearch, { start, end }: Pick<Dashboard, 'start' | 'end'>): LogLink {
  const { model, group, token, user, channel } = search;
  return (more = {}) => ({ from: start, to: end, type: logType.consume, model, group, token, user, channel, ...more });
}
