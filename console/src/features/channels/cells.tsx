import { Link } from '@tanstack/react-router';
import { type Channel, channelStatus } from '@tollgate/contract';
import { Copy, Ellipsis, Pencil, Power, PowerOff, Trash2 } from 'lucide-react';
import { useChannelCreation, useChannelPatch, useChannelRemoval } from '../../api/channels.ts';
import { textOf } from '../../api/errors.ts';
import {
  action_copy,
  action_delete,
  action_disable,
  action_edit,
  action_enable,
  action_more,
  action_undo,
  channel_copied,
  channel_copy_failed,
  channel_delete_text,
  channel_delete_title,
  col_priority,
  col_weight,
  delete_done,
  done,
  priority_invalid,
  weight_invalid,
} from '../../i18n/generated/messages.ts';
import { IconButton } from '../../ui/Button.tsx';
import { MenuButton } from '../../ui/MenuButton.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { confirm } from '../../ui/overlays.ts';
import { copyOf, parsePriority, parseWeight } from './model.ts';
import { NumberCell } from './NumberCell.tsx';

export function PriorityCell({ channel }: { channel: Channel }) {
  const patch = useChannelPatch();
  return (
    <NumberCell
      label={col_priority()}
      value={channel.priority}
      parse={parsePriority}
      fault={priority_invalid}
      onCommit={(priority) => patch.mutate({ channel, change: { priority } }, { onError: notifyError })}
    />
  );
}

export function WeightCell({ channel }: { channel: Channel }) {
  const patch = useChannelPatch();
  return (
    <NumberCell
      label={col_weight()}
      value={channel.weight}
      parse={parseWeight}
      fault={weight_invalid}
      onCommit={(weight) => patch.mutate({ channel, change: { weight } }, { onError: notifyError })}
    />
  );
}

function SwitchButton({ channel }: { channel: Channel }) {
  const patch = useChannelPatch();
  const enabled = channel.status === channelStatus.enabled;
  const set = (status: number, undo?: number) =>
    patch.mutate(
      { channel, change: { status } },
      {
        onError: notifyError,
        onSuccess: () =>
          notify('ok', done(), undo === undefined ? {} : { action: { label: action_undo(), run: () => set(undo) } }),
      },
    );
  return (
    <IconButton
      icon={enabled ? PowerOff : Power}
      label={enabled ? action_disable() : action_enable()}
      size="sm"
      onClick={() => (enabled ? set(channelStatus.disabled, channelStatus.enabled) : set(channelStatus.enabled))}
    />
  );
}

function useCopy(channel: Channel): () => void {
  const creation = useChannelCreation();
  return () =>
    creation.mutate(copyOf(channel), {
      onSuccess: () => notify('ok', channel_copied()),
      onError: (error) => notify('bad', channel_copy_failed({ reason: textOf(error) })),
    });
}

function useRemoval(channel: Channel): () => Promise<void> {
  const removal = useChannelRemoval();
  return async () => {
    const sure = await confirm({
      title: channel_delete_title({ name: channel.name }),
      text: channel_delete_text(),
      confirmLabel: action_delete(),
      tone: 'bad',
    });
    if (sure) removal.mutate(channel.id, { onError: notifyError, onSuccess: () => notify('ok', delete_done()) });
  };
}

export function RowActions({ channel }: { channel: Channel }) {
  const copy = useCopy(channel);
  const remove = useRemoval(channel);
  const items = () => [
    { key: 'copy', label: action_copy(), icon: Copy, onSelect: copy },
    { key: 'delete', label: action_delete(), icon: Trash2, tone: 'bad' as const, separated: true, onSelect: () => void remove() },
  ];
  return (
    <span className="inline-flex justify-end">
      <SwitchButton channel={channel} />
      <Link
        to="/channel/edit/$id"
        params={{ id: String(channel.id) }}
        search={true}
        aria-label={action_edit()}
        data-tip={action_edit()}
        className="grid size-7 place-items-center rounded-md text-muted hover:bg-grey-tint hover:text-fg max-sm:size-9"
      >
        <Pencil size={16} aria-hidden />
      </Link>
      <MenuButton
        label={action_more()}
        items={items}
        className="grid size-7 place-items-center rounded-md text-muted hover:bg-grey-tint hover:text-fg max-sm:size-9"
      >
        <Ellipsis size={16} aria-hidden />
      </MenuButton>
    </span>
  );
}
