import { Link } from '@tanstack/react-router';
import { channelStatus } from '@tollgate/contract';
import { Pencil, Power, PowerOff } from 'lucide-react';
import { useTagSwitch, useTagUpdate } from '../../api/channel-ops.ts';
import {
  action_save,
  col_priority,
  col_weight,
  done,
  priority_invalid,
  tag_count,
  tag_disable_all,
  tag_disable_text,
  tag_disable_title,
  tag_edit,
  tag_enable_all,
  tag_mixed,
  tag_priority_text,
  tag_priority_title,
  tag_status,
  tag_weight_text,
  tag_weight_title,
  weight_invalid,
} from '../../i18n/generated/messages.ts';
import { Badge, StatusDot } from '../../ui/Badge.tsx';
import { IconButton, rowLinkClass } from '../../ui/Button.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { confirm } from '../../ui/overlays.ts';
import { parsePriority, parseTagWeight } from './model.ts';
import { NumberCell } from './NumberCell.tsx';
import { figuresOf, type TagRow } from './tags.ts';

export function TagName({ row }: { row: TagRow }) {
  return (
    <span className="inline-flex max-w-full items-center gap-1.5 font-medium">
      <span className="truncate">{row.tag}</span>
      <span className="shrink-0">
        <Badge>{tag_count({ count: row.channels.length })}</Badge>
      </span>
    </span>
  );
}

export function TagStatus({ row }: { row: TagRow }) {
  const { enabled } = figuresOf(row.channels);
  return <StatusDot tone={enabled > 0 ? 'ok' : 'bad'}>{tag_status({ on: enabled, count: row.channels.length })}</StatusDot>;
}

const numbers = {
  priority: {
    label: col_priority,
    parse: parsePriority,
    fault: priority_invalid,
    title: tag_priority_title,
    text: tag_priority_text,
  },
  weight: { label: col_weight, parse: parseTagWeight, fault: weight_invalid, title: tag_weight_title, text: tag_weight_text },
};

/** Priority or weight of all channels of a tag; a change is asked for first. */
export function TagNumber({ row, field }: { row: TagRow; field: keyof typeof numbers }) {
  const update = useTagUpdate();
  const { label, parse, fault, title, text } = numbers[field];
  const commit = async (value: number) => {
    const count = row.channels.length;
    const sure = await confirm({ title: title({ value }), text: text({ tag: row.tag, count }), confirmLabel: action_save() });
    if (sure) update.mutate({ tag: row.tag, [field]: value }, { onError: notifyError, onSuccess: () => notify('ok', done()) });
  };
  return (
    <NumberCell
      label={label()}
      value={figuresOf(row.channels)[field]}
      placeholder={tag_mixed()}
      parse={parse}
      fault={fault}
      onCommit={(value) => void commit(value)}
    />
  );
}

export function TagActions({ row }: { row: TagRow }) {
  const change = useTagSwitch();
  const { tag, channels } = row;
  const set = (enabled: boolean) =>
    change.mutate({ tag, enabled }, { onError: notifyError, onSuccess: () => notify('ok', done()) });
  const disable = async () => {
    const sure = await confirm({
      title: tag_disable_title({ tag }),
      text: tag_disable_text({ tag, count: channels.length }),
      confirmLabel: tag_disable_all(),
      tone: 'bad',
    });
    if (sure) set(false);
  };
  const all = (status: number) => channels.every((channel) => channel.status === status);
  return (
    <span className="inline-flex justify-end">
      <IconButton
        icon={Power}
        label={tag_enable_all()}
        size="sm"
        disabled={all(channelStatus.enabled)}
        onClick={() => set(true)}
      />
      <IconButton
        icon={PowerOff}
        label={tag_disable_all()}
        size="sm"
        disabled={all(channelStatus.disabled)}
        onClick={() => void disable()}
      />
      <Link
        to="/channel/tag/$tag"
        params={{ tag }}
        search={true}
        aria-label={tag_edit()}
        data-tip={tag_edit()}
        className={rowLinkClass}
      >
        <Pencil size={16} aria-hidden />
      </Link>
    </span>
  );
}
