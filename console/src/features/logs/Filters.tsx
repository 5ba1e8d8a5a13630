import {
  col_group,
  col_ip,
  col_model,
  col_token,
  col_type,
  col_user,
  filter_type_all,
  log_from,
  log_range_hour,
  log_range_month,
  log_range_today,
  log_range_week,
  log_to,
  log_upstream_request,
  request_id_label,
} from '../../i18n/generated/messages.ts';
import { lastDays, RangeChips, TimeFilter } from '../../ui/form/TimeFilter.tsx';
import type { TimeRange } from '../../ui/form/useRange.ts';
import { ChannelFilter } from '../../ui/table/ChannelFilter.tsx';
import { FilterSelect } from '../../ui/table/FilterSelect.tsx';
import { SearchField } from '../../ui/table/SearchField.tsx';
import { typeChoices, typeOf } from './model.ts';
import type { LogSearch } from './search.ts';

/** Of the fields whose name is longer than the others'. */
const widths: Record<string, string> = { request: 'w-32', upstream: 'w-44' };

interface Props {
  search: LogSearch;
  range: Partial<TimeRange>;
  change(next: LogSearch): void;
  forAll: boolean;
}

const ranges: { label: () => string; of: () => LogSearch }[] = [
  { label: log_range_hour, of: () => ({ from: undefined, to: undefined }) },
  { label: log_range_today, of: () => lastDays(1) },
  { label: log_range_week, of: () => lastDays(7) },
  { label: log_range_month, of: () => lastDays(30) },
];

/** The usual ranges, one press away. */
export function Ranges({ search, change }: Pick<Props, 'search' | 'change'>) {
  return <RangeChips ranges={ranges} search={search} disabled={!!search.request} change={change} />;
}

/** Everything that narrows the log; all of it lives in the URL. */
export function Filters({ search, range, change, forAll }: Props) {
  const text = (name: 'token' | 'model' | 'group' | 'user' | 'request' | 'upstream' | 'ip', label: string) => (
    <SearchField
      label={label}
      value={search[name] ?? ''}
      maxLength={255}
      onCommit={(value) => change({ [name]: value || undefined })}
      className={`${widths[name] ?? 'w-24'} max-sm:w-[calc(50%-4px)] sm:max-w-44 sm:grow`}
    />
  );
  return (
    <>
      <fieldset disabled={!!search.request} className="contents">
        <TimeFilter label={log_from()} seconds={range.from} onChange={(from) => change({ from, to: range.to })} />
        <TimeFilter label={log_to()} seconds={range.to} onChange={(to) => change({ from: range.from, to })} />
      </fieldset>
      {text('token', col_token())}
      {text('model', col_model())}
      {text('group', col_group())}
      {forAll && <ChannelFilter channel={search.channel} onChange={(channel) => change({ channel })} />}
      {forAll && text('user', col_user())}
      {text('request', request_id_label())}
      {forAll && text('upstream', log_upstream_request())}
      {search.ip && text('ip', col_ip())}
      <FilterSelect
        label={col_type()}
        all={filter_type_all()}
        value={search.type}
        options={typeChoices}
        textOf={(type) => typeOf(type).text}
        onChange={(type) => change({ type })}
        className="w-24 max-sm:w-[calc(50%-4px)]"
      />
    </>
  );
}
