import { Ellipsis, Trash2, Wallet, Wrench, Zap } from 'lucide-react';
import { useJobStart, useRepair } from '../../api/channel-ops.ts';
import { useDisabledRemoval } from '../../api/channels.ts';
import {
  action_continue,
  action_delete,
  action_more,
  channel_add,
  channel_all_balances,
  channel_all_balances_started,
  channel_all_tests,
  channel_all_tests_started,
  channel_delete_disabled,
  channel_delete_disabled_done,
  channel_delete_disabled_text,
  channel_fix,
  channel_fix_done,
  channel_fix_text,
} from '../../i18n/generated/messages.ts';
import { usePhone } from '../../lib/media.ts';
import { Button } from '../../ui/Button.tsx';
import { MenuButton } from '../../ui/MenuButton.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { confirm } from '../../ui/overlays.ts';
import { RefreshButton } from '../../ui/RefreshButton.tsx';
import { AddLink } from '../../ui/table/AddLink.tsx';
import type { JobKind } from './JobsPanel.tsx';

function useRemoveDisabled(): () => Promise<void> {
  const removal = useDisabledRemoval();
  return async () => {
    const sure = await confirm({
      title: channel_delete_disabled(),
      text: channel_delete_disabled_text(),
      confirmLabel: action_delete(),
      tone: 'bad',
    });
    if (!sure) return;
    removal.mutate(undefined, {
      onError: notifyError,
      onSuccess: (count) => notify('ok', channel_delete_disabled_done({ count })),
    });
  };
}

function useFix(): () => Promise<void> {
  const repair = useRepair();
  return async () => {
    if (!(await confirm({ title: channel_fix(), text: channel_fix_text(), confirmLabel: action_continue() }))) return;
    repair.mutate(undefined, { onError: notifyError, onSuccess: (count) => notify('ok', channel_fix_done({ count })) });
  };
}

const started = { test: channel_all_tests_started, balance: channel_all_balances_started };

/** What is done with all channels. `onStart` follows a run that was started. */
export function Actions({ refresh, onStart }: { refresh(): void; onStart(kind: JobKind): void }) {
  const start = useJobStart();
  const removeDisabled = useRemoveDisabled();
  const fix = useFix();
  const run = (kind: JobKind) =>
    start.mutate(kind, {
      onError: notifyError,
      onSuccess: () => {
        notify('ok', started[kind]());
        onStart(kind);
        // A short run was over before anybody saw it run.
        refresh();
      },
    });
  const phone = usePhone();
  const items = () => [
    ...(phone ? [{ key: 'test', label: channel_all_tests(), icon: Zap, onSelect: () => run('test') }] : []),
    { key: 'balance', label: channel_all_balances(), icon: Wallet, onSelect: () => run('balance') },
    { key: 'fix', label: channel_fix(), icon: Wrench, onSelect: () => void fix() },
    {
      key: 'disabled',
      label: channel_delete_disabled(),
      icon: Trash2,
      tone: 'bad' as const,
      separated: true,
      onSelect: () => void removeDisabled(),
    },
  ];
  return (
    <>
      <RefreshButton onClick={refresh} />
      {!phone && (
        <Button icon={Zap} pending={start.isPending && start.variables === 'test'} onClick={() => run('test')}>
          {channel_all_tests()}
        </Button>
      )}
      <MenuButton label={action_more()} items={items}>
        <Ellipsis size={16} aria-hidden />
      </MenuButton>
      <AddLink to="/channel/add">{channel_add()}</AddLink>
    </>
  );
}
