import { useQuery } from '@tanstack/react-query';
import { log_stat_quota, log_stat_rpm, log_stat_tpm } from '../../i18n/generated/messages.ts';
import { formatNumber } from '../../lib/money.ts';
import { Quota } from '../../ui/Quota.tsx';
import { type LogFilter, logStatQuery } from './queries.ts';

/** How often the sums are asked for while the log is live. */
const liveMs = 10_000;

/** The sums above the table: quota of the range, calls and tokens of the last minute. */
export function Figures({ filter, forAll, live }: { filter: LogFilter; forAll: boolean; live: boolean }) {
  const { data } = useQuery(logStatQuery(filter, forAll, live ? liveMs : undefined));
  const quota = data && (
    <>
      {/* Rows that are not summed yet only add to it. */}
      {data.unsummed ? '≥ ' : ''}
      <Quota value={data.quota} />
    </>
  );
  const figures = [
    { id: 'quota', label: log_stat_quota(), value: quota, tone: 'bg-accent-tint text-accent' },
    { id: 'rpm', label: log_stat_rpm(), value: data && formatNumber(data.rpm), tone: 'bg-violet-tint text-violet' },
    { id: 'tpm', label: log_stat_tpm(), value: data && formatNumber(data.tpm), tone: 'bg-grey-tint text-fg' },
  ];
  return figures.map(({ id, label, value, tone }) => (
    <span key={id} className={`inline-flex h-6 items-center gap-1.5 rounded-sm px-2 tabular-nums ${tone}`}>
      {label} <strong className="min-w-8 text-end font-semibold max-sm:min-w-0">{value ?? '–'}</strong>
    </span>
  ));
}
