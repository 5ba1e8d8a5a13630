import type { Channel } from '@tollgate/contract';
import type { ReactNode } from 'react';
import {
  channel_response_tip,
  col_actions,
  col_groups,
  col_name,
  col_priority,
  col_response,
  col_status,
  col_type,
  col_used_remaining,
  col_weight,
} from '../../i18n/generated/messages.ts';
import { splitList } from '../../lib/lists.ts';
import { formatTime } from '../../lib/time.ts';
import { Badge, StatusDot } from '../../ui/Badge.tsx';
import { Quota } from '../../ui/Quota.tsx';
import type { Column } from '../../ui/table/columns.ts';
import { PriorityCell, UsedCell, WeightCell } from './cells.tsx';
import { responseOf, statusOf, typeOf } from './model.ts';
import { RowActions } from './RowActions.tsx';
import { TagActions, TagName, TagNumber, TagStatus } from './TagCells.tsx';
import { type ChannelRow, figuresOf, isTagRow, type TagRow } from './tags.ts';

const maxGroups = 2;

function Name({ channel }: { channel: Channel }) {
  return (
    <span className="inline-flex max-w-full items-center gap-1.5">
      <span className="truncate max-sm:whitespace-normal">{channel.name}</span>
      {channel.tag && (
        <span className="inline-flex max-w-24 shrink-0">
          <Badge>{channel.tag}</Badge>
        </span>
      )}
    </span>
  );
}

function Groups({ channel }: { channel: Channel }) {
  const groups = splitList(channel.group);
  return (
    <span className="inline-flex gap-1">
      {groups.slice(0, maxGroups).map((group) => (
        <Badge key={group}>{group}</Badge>
      ))}
      {groups.length > maxGroups && <Badge tip={groups.slice(maxGroups).join('\n')}>+{groups.length - maxGroups}</Badge>}
    </span>
  );
}

function Status({ channel }: { channel: Channel }) {
  const { text, tone, tip } = statusOf(channel);
  return (
    <StatusDot tone={tone} tip={tip}>
      {text}
    </StatusDot>
  );
}

function Response({ channel }: { channel: Channel }) {
  const { text, tone } = responseOf(channel.response_time, channel.test_time);
  return (
    <Badge tone={tone} tip={channel.test_time ? channel_response_tip({ time: formatTime(channel.test_time) }) : undefined}>
      {text}
    </Badge>
  );
}

function Type({ channel }: { channel: Channel }) {
  const { label, tone } = typeOf(channel);
  return (
    <span title={label} className="inline-flex max-w-full sm:max-[1400px]:max-w-36">
      <Badge tone={tone}>{label}</Badge>
    </span>
  );
}

/** A cell of both kinds of rows; a tag has nothing to say where `tag` is left out. */
const cell =
  (ofChannel: (channel: Channel) => ReactNode, ofTag?: (row: TagRow) => ReactNode) =>
  (row: ChannelRow): ReactNode =>
    isTagRow(row) ? ofTag?.(row) : ofChannel(row);

function TagResponse({ row }: { row: TagRow }) {
  const { responseMs, testTime } = figuresOf(row.channels);
  const { text, tone } = responseOf(responseMs, testTime);
  return <Badge tone={tone}>{text}</Badge>;
}

export const channelColumns: readonly Column<ChannelRow>[] = [
  { id: 'id', header: () => 'ID', end: true, cell: cell((channel) => channel.id) },
  {
    id: 'name',
    header: col_name,
    clip: true,
    card: 'title',
    cell: cell(
      (channel) => <Name channel={channel} />,
      (row) => <TagName row={row} />,
    ),
  },
  { id: 'groups', header: col_groups, cell: cell((channel) => <Groups channel={channel} />) },
  { id: 'type', header: col_type, cell: cell((channel) => <Type channel={channel} />) },
  {
    id: 'status',
    header: col_status,
    card: 'corner',
    cell: cell(
      (channel) => <Status channel={channel} />,
      (row) => <TagStatus row={row} />,
    ),
  },
  {
    id: 'response',
    header: col_response,
    end: true,
    cell: cell(
      (channel) => <Response channel={channel} />,
      (row) => <TagResponse row={row} />,
    ),
  },
  {
    id: 'used',
    header: col_used_remaining,
    end: true,
    cell: cell(
      (channel) => <UsedCell channel={channel} />,
      (row) => <Quota value={figuresOf(row.channels).usedQuota} />,
    ),
  },
  {
    id: 'priority',
    header: col_priority,
    end: true,
    cell: cell(
      (channel) => <PriorityCell channel={channel} />,
      (row) => <TagNumber row={row} field="priority" />,
    ),
  },
  {
    id: 'weight',
    header: col_weight,
    end: true,
    cell: cell(
      (channel) => <WeightCell channel={channel} />,
      (row) => <TagNumber row={row} field="weight" />,
    ),
  },
  {
    id: 'actions',
    header: col_actions,
    end: true,
    card: 'actions',
    cell: cell(
      (channel) => <RowActions channel={channel} />,
      (row) => <TagActions row={row} />,
    ),
  },
];
