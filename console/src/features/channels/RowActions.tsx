import { useNavigate } from '@tanstack/react-router';
import { type Channel, channelStatus } from '@tollgate/contract';
import { Activity, ChevronDown, Copy, LoaderCircle, Power, PowerOff, Radar, ScrollText, Trash2, Zap } from 'lucide-react';
import { useChannelCreation, useChannelPatch, useChannelRemoval } from '../../api/channels.ts';
import { ApiError } from '../../api/errors.ts';
import {
  action_copy,
  action_delete,
  action_disable,
  action_enable,
  action_test,
  action_undo,
  channel_copied,
  channel_copy_failed,
  channel_delete_text,
  channel_delete_title,
  channel_gone,
  channel_health,
  channel_log,
  channel_test_pick,
  channel_test_running_one,
  channel_upstream,
  delete_done,
  done,
} from '../../i18n/generated/messages.ts';
import { splitList } from '../../lib/lists.ts';
import { IconButton } from '../../ui/Button.tsx';
import { useReportedTest } from '../../ui/channel/useReportedTest.ts';
import { MenuButton } from '../../ui/MenuButton.tsx';
import { notify, notifyError, notifyErrorAs } from '../../ui/notify.ts';
import { confirm } from '../../ui/overlays.ts';
import { EditLink } from '../../ui/table/EditLink.tsx';
import { RowMenu } from '../../ui/table/RowMenu.tsx';
import { useAuditItem } from '../../ui/table/useAuditItem.ts';
import { copyOf } from './model.ts';

/** Models that the menu of a row offers; all others are tested from the editor. */
const maxMenuModels = 200;

function TestButtons({ channel }: { channel: Channel }) {
  const test = useReportedTest();
  const run = (model?: string) => test.run(channel, model);
  const items = () =>
    splitList(channel.models)
      .slice(0, maxMenuModels)
      .map((model) => ({ key: model, label: model, onSelect: () => run(model) }));
  return (
    <span className="inline-flex">
      <IconButton
        icon={test.pending ? LoaderCircle : Zap}
        label={test.pending ? channel_test_running_one() : action_test()}
        size="sm"
        aria-busy={test.pending || undefined}
        className={test.pending ? 'animate-pulse' : ''}
        onClick={test.pending ? undefined : () => run()}
      />
      <MenuButton
        label={channel_test_pick()}
        items={items}
        className="-ml-1 grid h-7 w-6 place-items-center rounded-md text-muted hover:bg-grey-tint hover:text-fg max-sm:h-9"
      >
        <ChevronDown size={13} aria-hidden />
      </MenuButton>
    </span>
  );
}

function SwitchButton({ channel }: { channel: Channel }) {
  const patch = useChannelPatch();
  const enabled = channel.status === channelStatus.enabled;
  const set = (status: number, undo?: number) =>
    patch.mutate(
      { id: channel.id, change: { status } },
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
      onError: notifyErrorAs((reason, error) => {
        const isGone = error instanceof ApiError && error.status === 404;
        return channel_copy_failed({ reason: isGone ? channel_gone() : reason });
      }),
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

function MoreMenu({ channel }: { channel: Channel }) {
  const copy = useCopy(channel);
  const remove = useRemoval(channel);
  const navigate = useNavigate();
  const audit = useAuditItem(`channel:${channel.id}`);
  const params = { id: String(channel.id) };
  const items = () => [
    {
      key: 'upstream',
      label: channel_upstream(),
      icon: Radar,
      onSelect: () => void navigate({ to: '/channel/upstream/$id', params, search: true }),
    },
    {
      key: 'health',
      label: channel_health(),
      icon: Activity,
      onSelect: () => void navigate({ to: '/channel/health/$id', params, search: true }),
    },
    {
      key: 'log',
      label: channel_log(),
      icon: ScrollText,
      onSelect: () => void navigate({ to: '/log', search: { channel: channel.id } }),
    },
    ...audit,
    { key: 'copy', label: action_copy(), icon: Copy, onSelect: copy },
    { key: 'delete', label: action_delete(), icon: Trash2, tone: 'bad' as const, separated: true, onSelect: () => void remove() },
  ];
  return <RowMenu items={items} />;
}

export function RowActions({ channel }: { channel: Channel }) {
  return (
    <span className="inline-flex justify-end">
      <TestButtons channel={channel} />
      <SwitchButton channel={channel} />
      <EditLink to="/channel/edit/$id" id={channel.id} />
      <MoreMenu channel={channel} />
    </span>
  );
}
