import { Link } from '@tanstack/react-router';
import { type DashboardChannel, type DashboardModel, type Durations, logType } from '@tollgate/contract';
import {
  col_channel,
  col_model,
  col_status,
  dash_cached,
  dash_calls,
  dash_channel_deleted,
  dash_channel_none,
  dash_errors,
  dash_first_token,
  dash_health_ok,
  dash_health_open,
  dash_latency,
  dash_others,
  dash_quota,
  dash_state_auto_off,
  dash_state_gone,
  dash_state_off,
  dash_success,
  dash_tokens,
} from '../../i18n/generated/messages.ts';
import { exactModel } from '../../lib/model-filter.ts';
import { formatNumber } from '../../lib/money.ts';
import { StatusDot, type Tone } from '../../ui/Badge.tsx';
import { Quota } from '../../ui/Quota.tsx';
import type { Column } from '../../ui/table/columns.ts';
import type { LogLink, LogTarget } from './links.ts';
import { duration, percent, successOf } from './model.ts';

export type ModelRow = DashboardModel & { id: number };

const quiet = 'text-fg hover:underline tabular-nums';

function Count({ value, search }: { value: number; search: LogTarget | undefined }) {
  if (value === 0 || !search) return <span className="tabular-nums">{formatNumber(value)}</span>;
  return (
    <Link to="/log" search={search} className={quiet}>
      {formatNumber(value)}
    </Link>
  );
}

const spread = ({ samples, p50, p90, p99 }: Durations) =>
  samples === 0 ? (
    <span className="text-muted">–</span>
  ) : (
    <span className="whitespace-nowrap tabular-nums">
      {duration(p50, samples)}{' '}
      <span className="text-muted">
        / {duration(p90, samples)} / {duration(p99, samples)}
      </span>
    </span>
  );

const successTone = (share: number | undefined): string =>
  share === undefined || share >= 0.99 ? '' : share >= 0.9 ? 'text-warn' : 'text-bad';

const success = (row: { calls: number; errors: number }) => {
  const share = successOf(row);
  return <span className={`tabular-nums ${successTone(share)}`}>{percent(share, 2)}</span>;
};

/** What each model took and how it answered. */
export function modelColumns(link: LogLink): readonly Column<ModelRow>[] {
  const rowsOf = (row: ModelRow, type: number) =>
    row.model_name === '' ? undefined : link({ model: exactModel(row.model_name), type });
  return [
    { id: 'model', header: col_model, fill: true, clip: true, card: 'title', cell: (row) => row.model_name || dash_others() },
    { id: 'quota', header: dash_quota, end: true, card: 'corner', cell: (row) => <Quota value={row.quota} /> },
    {
      id: 'calls',
      header: dash_calls,
      end: true,
      cell: (row) => <Count value={row.calls} search={rowsOf(row, logType.consume)} />,
    },
    { id: 'tokens', header: dash_tokens, end: true, cell: (row) => formatNumber(row.tokens) },
    {
      id: 'errors',
      header: dash_errors,
      end: true,
      cell: (row) => <Count value={row.errors} search={rowsOf(row, logType.error)} />,
    },
    { id: 'success', header: dash_success, end: true, cell: success },
    { id: 'latency', header: dash_latency, end: true, cell: (row) => spread(row.latency) },
    { id: 'first', header: dash_first_token, end: true, cell: (row) => spread(row.first_token) },
    { id: 'cached', header: dash_cached, end: true, cell: (row) => percent(row.cached) },
  ];
}

const states: Record<number, { text: () => string; tone: Tone }> = {
  0: { text: dash_state_gone, tone: 'grey' },
  2: { text: dash_state_off, tone: 'grey' },
  3: { text: dash_state_auto_off, tone: 'bad' },
};

function Health({ row }: { row: DashboardChannel }) {
  const state = states[row.status];
  if (state) return <StatusDot tone={state.tone}>{state.text()}</StatusDot>;
  if (row.open_breakers > 0) return <StatusDot tone="warn">{dash_health_open({ count: row.open_breakers })}</StatusDot>;
  return <StatusDot tone="ok">{dash_health_ok()}</StatusDot>;
}

function ChannelName({ row }: { row: DashboardChannel }) {
  if (row.id === 0) return <span className="text-muted">{dash_channel_none()}</span>;
  if (row.status === 0) return <span className="text-muted">{dash_channel_deleted({ id: row.id })}</span>;
  return (
    <Link to="/channel/health/$id" params={{ id: String(row.id) }} className={quiet}>
      {row.name} <span className="text-muted text-xs">#{row.id}</span>
    </Link>
  );
}

/** How the channels are and what they carried. */
export function channelColumns(link: LogLink): readonly Column<DashboardChannel>[] {
  const rowsOf = (row: DashboardChannel, type: number) => (row.id === 0 ? undefined : link({ channel: row.id, type }));
  return [
    { id: 'channel', header: col_channel, fill: true, clip: true, card: 'title', cell: (row) => <ChannelName row={row} /> },
    { id: 'health', header: col_status, card: 'corner', cell: (row) => (row.id === 0 ? null : <Health row={row} />) },
    { id: 'quota', header: dash_quota, end: true, cell: (row) => <Quota value={row.quota} /> },
    {
      id: 'calls',
      header: dash_calls,
      end: true,
      cell: (row) => <Count value={row.calls} search={rowsOf(row, logType.consume)} />,
    },
    { id: 'tokens', header: dash_tokens, end: true, cell: (row) => formatNumber(row.tokens) },
    {
      id: 'errors',
      header: dash_errors,
      end: true,
      cell: (row) => <Count value={row.errors} search={rowsOf(row, logType.error)} />,
    },
    { id: 'success', header: dash_success, end: true, cell: success },
  ];
}
