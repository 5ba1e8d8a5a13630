import type { Granularity } from '@tollgate/contract';
import {
  col_group,
  col_model,
  col_token,
  col_user,
  dash_by,
  dash_by_day,
  dash_by_hour,
  dash_by_week,
  dash_range_7,
  dash_range_30,
  dash_range_default,
  log_from,
  log_range_today,
  log_to,
} from '../../i18n/generated/messages.ts';
import { Choice } from '../../ui/Choice.tsx';
import { lastDays, RangeChips, TimeFilter } from '../../ui/form/TimeFilter.tsx';
import { ChannelFilter } from '../../ui/table/ChannelFilter.tsx';
import { SearchField } from '../../ui/table/SearchField.tsx';
import { type DashboardSearch, granularities } from './search.ts';

export const lastMonth = (): DashboardSearch => ({ ...lastDays(30), by: 'day' });
const ranges: { label: () => string; of: () => DashboardSearch }[] = [
  { label: dash_range_default, of: () => ({ from: undefined, to: undefined }) },
  { label: log_range_today, of: () => ({ ...lastDays(1), by: 'hour' }) },
  { label: dash_range_7, of: () => ({ ...lastDays(7), by: 'day' }) },
  { label: dash_range_30, of: lastMonth },
];
const granularityNames: Record<Granularity, () => string> = { hour: dash_by_hour, day: dash_by_day, week: dash_by_week };
/** The longest range by hours is a month. */
const hourlyMost = 30 * 86_400;

interface Props {
  search: DashboardSearch;
  change(next: DashboardSearch): void;
}

export function Ranges(props: Props) {
  return <RangeChips ranges={ranges} {...props} />;
}

export function GranularityChoice({ by, search, change }: Props & { by: Granularity }) {
  const choose = (next: Granularity) => {
    const tooLong = next === 'hour' && search.from !== undefined && (search.to ?? Date.now() / 1000) - search.from > hourlyMost;
    change({ by: next, ...(tooLong ? { from: undefined, to: undefined } : {}) });
  };
  return (
    <Choice
      label={dash_by()}
      value={by}
      choices={granularities.map((value) => ({ value, label: granularityNames[value]() }))}
      onChoose={choose}
    />
  );
}

/** Everything that narrows the page; all of it lives in the URL. */
export function Filters({ search, change, range, forAll }: Props & { range: { from?: number; to?: number }; forAll: boolean }) {
  const text = (name: 'token' | 'model' | 'group' | 'user', label: string) => (
    <SearchField
      label={label}
      value={search[name] ?? ''}
      onCommit={(value) => change({ [name]: value || undefined })}
      className="w-32 max-sm:w-[calc(50%-4px)]"
    />
  );
  return (
    <>
      <TimeFilter label={log_from()} seconds={range.from} onChange={(from) => change({ from, to: range.to })} />
      <TimeFilter label={log_to()} seconds={range.to} onChange={(to) => change({ from: range.from, to })} />
      {text('model', col_model())}
      {text('group', col_group())}
      {!forAll && text('token', col_token())}
      {forAll && <ChannelFilter channel={search.channel} onChange={(channel) => change({ channel })} />}
      {forAll && text('user', col_user())}
    </>
  );
}
