import type { Channel } from '@tollgate/contract';
import { useBalanceRefresh } from '../../api/channel-ops.ts';
import { useChannelPatch } from '../../api/channels.ts';
import {
  balance_refresh,
  balance_refresh_never,
  balance_updated,
  col_priority,
  col_weight,
  priority_invalid,
  weight_invalid,
} from '../../i18n/generated/messages.ts';
import { formatTime } from '../../lib/time.ts';
import { notify, notifyError } from '../../ui/notify.ts';
import { Quota } from '../../ui/Quota.tsx';
import { formatBalance, parsePriority, parseWeight } from './model.ts';
import { NumberCell } from './NumberCell.tsx';

export function PriorityCell({ channel }: { channel: Channel }) {
  const patch = useChannelPatch();
  return (
    <NumberCell
      label={col_priority()}
      value={channel.priority}
      parse={parsePriority}
      fault={priority_invalid}
      onCommit={(priority) => patch.mutate({ id: channel.id, change: { priority } }, { onError: notifyError })}
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
      onCommit={(weight) => patch.mutate({ id: channel.id, change: { weight } }, { onError: notifyError })}
    />
  );
}

/** What went through the channel, and what its upstream account still holds: pressing the latter asks for it anew. */
export function UsedCell({ channel }: { channel: Channel }) {
  const refresh = useBalanceRefresh();
  const { balance, balance_updated_time: updated, name } = channel;
  const tip =
    updated > 0 ? balance_refresh({ balance: `$${balance.toFixed(2)}`, time: formatTime(updated) }) : balance_refresh_never();
  const run = () => refresh.mutate(channel, { onError: notifyError, onSuccess: () => notify('ok', balance_updated({ name })) });
  return (
    <span className="inline-flex items-center gap-1">
      <Quota value={channel.used_quota} />
      <button
        type="button"
        aria-busy={refresh.isPending || undefined}
        aria-label={tip}
        data-tip={tip}
        className={`-mr-1 h-6 min-w-6 rounded-sm px-1 text-end text-muted tabular-nums hover:bg-grey-tint hover:text-fg max-sm:h-9 ${refresh.isPending ? 'animate-pulse' : ''}`}
        onClick={refresh.isPending ? undefined : run}
      >
        / {updated > 0 ? formatBalance(balance) : '–'}
      </button>
    </span>
  );
}
