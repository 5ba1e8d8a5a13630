import { Link } from '@tanstack/react-router';
import { type LogEntry, logType } from '@tollgate/contract';
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
  log_user_show,
} from '../../i18n/generated/messages.ts';
import { formatUnits } from '../../lib/money.ts';
import { Badge } from '../../ui/Badge.tsx';
import { ChannelBadge } from '../../ui/ChannelBadge.tsx';
import { Quota } from '../../ui/Quota.tsx';
import { Time } from '../../ui/Time.tsx';
import type { Column } from '../../ui/table/columns.ts';
import { billingOf } from './billing.ts';
import { contentOf } from './content.ts';
import { durationTone, firstTokenTone, isCharge, typeOf } from './model.ts';

function Type({ entry }: { entry: LogEntry }) {
  const { text, tone } = typeOf(entry.type);
  return <Badge tone={tone}>{text}</Badge>;
}

/** Whole time, time to the first token, streamed or not: three badges. */
function Timing({ entry }: { entry: LogEntry }) {
  const { firstByteMs } = billingOf(entry);
  return (
    <>
      <Badge tone={durationTone(entry.use_time)}>{entry.use_time} s</Badge>{' '}
      {entry.is_stream && firstByteMs !== undefined && (
        <Badge tone={firstTokenTone(firstByteMs / 1000)}>{(firstByteMs / 1000).toFixed(1)} s</Badge>
      )}{' '}
      <Badge tone={entry.is_stream ? 'accent' : 'violet'}>{entry.is_stream ? log_stream() : log_not_stream()}</Badge>
    </>
  );
}

function modelCell(entry: LogEntry) {
  const { upstreamModel } = billingOf(entry);
  return upstreamModel ? (
    <span data-tip={log_upstream_model({ model: upstreamModel })}>{entry.model_name}</span>
  ) : (
    entry.model_name
  );
}

/** Calls take time; a gift does not. */
const hasDuration = ({ type, request_id: id }: LogEntry): boolean => isCharge(type) || (type === logType.error && id !== '');

const tokens = (entry: LogEntry, count: number) => (isCharge(entry.type) ? formatUnits(count) : null);

/** Leads to the token where it is the reader's own. No component: a card leaves out a line that it sees to be empty. */
function tokenCell(entry: LogEntry, readerId: number) {
  if (entry.token_id === 0) return contentOf({ type: entry.type, content: entry.token_name });
  if (entry.token_name === '' || entry.user_id !== readerId) return entry.token_name;
  return (
    <Link to="/token" search={{ keyword: entry.token_name }} preload={false}>
      {entry.token_name}
    </Link>
  );
}

/** The channel that answered or was the last, behind those that were tried before it. */
function channelCell(entry: LogEntry) {
  const before = billingOf(entry).channels.slice(0, -1);
  if (entry.channel <= 0) return null;
  return (
    <>
      {before.length > 0 && (
        <>
          <span data-tip={col_retry()} className="text-warn text-xs">
            {before.map((id) => `#${id} →`).join(' ')}
          </span>{' '}
        </>
      )}
      <ChannelBadge id={entry.channel} name={entry.channel_name} />
    </>
  );
}

/** Who reads the log. */
export interface Reader {
  id: number;
  /** Sees everybody's rows, with channels, users and retries. */
  admin: boolean;
  showUser(id: number, name: string): void;
}

function userCell(entry: LogEntry, showUser: Reader['showUser']) {
  if (entry.user_id === 0) return entry.username;
  return (
    <button
      type="button"
      className="min-h-6 max-w-full truncate text-accent hover:underline"
      aria-label={log_user_show({ name: entry.username })}
      onClick={() => showUser(entry.user_id, entry.username)}
    >
      {entry.username}
    </button>
  );
}

/** The columns of the log for one reader, in the order of the table. */
export function logColumns({ id, admin, showUser }: Reader): readonly Column<LogEntry>[] {
  const forAdmin = <C extends Column<LogEntry>>(column: C): C[] => (admin ? [column] : []);
  return [
    { id: 'time', header: col_time, card: 'title', fixed: true, cell: (entry) => <Time seconds={entry.created_at} /> },
    ...forAdmin({ id: 'channel', header: col_channel, cell: channelCell }),
    ...forAdmin({ id: 'user', header: col_user, clip: true, cell: (entry) => userCell(entry, showUser) }),
    { id: 'token', header: col_token, clip: true, cell: (entry) => tokenCell(entry, id) },
    { id: 'group', header: col_group, cell: (entry) => entry.group && <Badge>{entry.group}</Badge> },
    { id: 'type', header: col_type, card: 'corner', cell: (entry) => <Type entry={entry} /> },
    { id: 'model', header: col_model, clip: true, cell: modelCell },
    { id: 'timing', header: col_timing, cell: (entry) => hasDuration(entry) && <Timing entry={entry} /> },
    { id: 'prompt', header: col_prompt, end: true, cell: (entry) => tokens(entry, entry.prompt_tokens) },
    { id: 'completion', header: col_completion, end: true, cell: (entry) => tokens(entry, entry.completion_tokens) },
    { id: 'cost', header: col_cost, end: true, cell: (entry) => entry.quota !== 0 && <Quota value={entry.quota} digits={6} /> },
    {
      id: 'content',
      header: col_details,
      fill: true,
      // Of a charge it repeats the arithmetic; of anything else it alone says what was moved, or what failed.
      card: ({ type }) => (isCharge(type) ? 'none' : 'line'),
      cell: contentOf,
    },
  ];
}
