import type { LogEntry } from '@tollgate/contract';
import {
  col_channel,
  col_completion,
  col_cost,
  col_details,
  col_group,
  col_model,
  col_prompt,
  col_retry,
  col_time,
  col_timing,
  col_token,
  col_type,
  col_user,
  log_not_stream,
  log_stream,
  log_upstream_model,
} from '../../i18n/generated/messages.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Quota } from '../../ui/Quota.tsx';
import { Time } from '../../ui/Time.tsx';
import type { Column } from '../../ui/table/columns.ts';
import { billingOf } from './billing.ts';
import { durationTone, firstTokenTone, isCharge, typeOf } from './model.ts';

function Type({ entry }: { entry: LogEntry }) {
  const { text, tone } = typeOf(entry.type);
  return <Badge tone={tone}>{text}</Badge>;
}

/** Whole time, time to the first token, streamed or not: three badges. */
function Timing({ entry }: { entry: LogEntry }) {
  const { firstByteMs } = billingOf(entry);
  return (
    <span className="inline-flex gap-1">
      <Badge tone={durationTone(entry.use_time)}>{entry.use_time} s</Badge>
      {entry.is_stream && firstByteMs !== undefined && (
        <Badge tone={firstTokenTone(firstByteMs / 1000)}>{(firstByteMs / 1000).toFixed(1)} s</Badge>
      )}
      <Badge tone={entry.is_stream ? 'accent' : 'violet'}>{entry.is_stream ? log_stream() : log_not_stream()}</Badge>
    </span>
  );
}

function Model({ entry }: { entry: LogEntry }) {
  const { upstreamModel } = billingOf(entry);
  return <span data-tip={upstreamModel ? log_upstream_model({ model: upstreamModel }) : undefined}>{entry.model_name}</span>;
}

const tokens = (entry: LogEntry, count: number) => (isCharge(entry.type) ? count.toLocaleString('en-US') : null);

const own: readonly Column<LogEntry>[] = [
  { id: 'token', header: col_token, clip: true, cell: (entry) => entry.token_name },
  { id: 'group', header: col_group, cell: (entry) => entry.group && <Badge>{entry.group}</Badge> },
  { id: 'type', header: col_type, card: 'corner', cell: (entry) => <Type entry={entry} /> },
  { id: 'model', header: col_model, clip: true, cell: (entry) => entry.model_name && <Model entry={entry} /> },
  { id: 'timing', header: col_timing, cell: (entry) => isCharge(entry.type) && <Timing entry={entry} /> },
  { id: 'prompt', header: col_prompt, end: true, cell: (entry) => tokens(entry, entry.prompt_tokens) },
  { id: 'completion', header: col_completion, end: true, cell: (entry) => tokens(entry, entry.completion_tokens) },
  { id: 'cost', header: col_cost, end: true, cell: (entry) => entry.quota !== 0 && <Quota value={entry.quota} digits={6} /> },
];
const time: Column<LogEntry> = {
  id: 'time',
  header: col_time,
  card: 'title',
  cell: (entry) => <Time seconds={entry.created_at} />,
};
const details: Column<LogEntry> = {
  id: 'content',
  header: col_details,
  fill: true,
  card: 'none',
  cell: (entry) => entry.content,
};

/** What every user sees of the own calls. */
export const ownColumns: readonly Column<LogEntry>[] = [time, ...own, details];

/** With channel, user and the chain of attempts. */
export const adminColumns: readonly Column<LogEntry>[] = [
  time,
  {
    id: 'channel',
    header: col_channel,
    cell: (entry) => entry.channel > 0 && <Badge tip={entry.channel_name || undefined}>#{entry.channel}</Badge>,
  },
  { id: 'user', header: col_user, clip: true, cell: (entry) => entry.username },
  ...own,
  {
    id: 'retry',
    header: col_retry,
    cell: (entry) => {
      const { channels } = billingOf(entry);
      return channels.length > 1 ? <Badge tone="warn">{channels.join(' → ')}</Badge> : null;
    },
  },
  details,
];
