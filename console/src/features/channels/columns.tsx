import type { Channel } from '@tollgate/contract';
import {
  balance_tip,
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
import { PriorityCell, RowActions, WeightCell } from './cells.tsx';
import { responseOf, statusOf, typeOf } from './model.ts';

const maxGroups = 2;

function Name({ channel }: { channel: Channel }) {
  return (
    <span className="inline-flex max-w-full items-center gap-1.5">
      <span className="truncate" data-tip={channel.name.length > 24 ? channel.name : undefined}>
        {channel.name}
      </span>
      {channel.tag && <Badge>{channel.tag}</Badge>}
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
  const { text, tone } = responseOf(channel.response_time);
  return (
    <Badge tone={tone} tip={channel.test_time ? channel_response_tip({ time: formatTime(channel.test_time) }) : undefined}>
      {text}
    </Badge>
  );
}

function Used({ channel }: { channel: Channel }) {
  return (
    <span className="inline-flex gap-1">
      <Quota value={channel.used_quota} />
      <span className="text-muted" data-tip={balance_tip()}>
        / {channel.balance_updated_time ? `$${channel.balance.toFixed(2)}` : '–'}
      </span>
    </span>
  );
}

function Type({ channel }: { channel: Channel }) {
  const { label, tone } = typeOf(channel);
  return <Badge tone={tone}>{label}</Badge>;
}

export const channelColumns: readonly Column<Channel>[] = [
  { id: 'id', header: () => 'ID', end: true, cell: (channel) => channel.id },
  { id: 'name', header: col_name, clip: true, card: 'title', cell: (channel) => <Name channel={channel} /> },
  { id: 'groups', header: col_groups, cell: (channel) => <Groups channel={channel} /> },
  { id: 'type', header: col_type, cell: (channel) => <Type channel={channel} /> },
  { id: 'status', header: col_status, card: 'corner', cell: (channel) => <Status channel={channel} /> },
  { id: 'response', header: col_response, end: true, cell: (channel) => <Response channel={channel} /> },
  { id: 'used', header: col_used_remaining, end: true, cell: (channel) => <Used channel={channel} /> },
  { id: 'priority', header: col_priority, end: true, cell: (channel) => <PriorityCell channel={channel} /> },
  { id: 'weight', header: col_weight, end: true, cell: (channel) => <WeightCell channel={channel} /> },
  { id: 'actions', header: col_actions, end: true, card: 'actions', cell: (channel) => <RowActions channel={channel} /> },
];
