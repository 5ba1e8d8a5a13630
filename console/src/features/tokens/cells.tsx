import { type Token, tokenStatus } from '@tollgate/contract';
import { Power, PowerOff } from 'lucide-react';
import { useTokenStatus } from '../../api/tokens.ts';
import {
  action_disable,
  action_enable,
  action_undo,
  done,
  old_key_until,
  quota_unlimited,
  token_copy_key,
  token_hide_key,
  token_quota_left,
  token_view_key,
} from '../../i18n/generated/messages.ts';
import { formatTime, nowSeconds } from '../../lib/time.ts';
import { IconButton } from '../../ui/Button.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { Quota } from '../../ui/Quota.tsx';
import { MaskedText } from '../../ui/table/MaskedText.tsx';
import { fullKey, maskedKey, whyNotEnabled } from './model.ts';

/** The key, masked until it is asked for, and below it the old one while that works. */
export function KeyCell({ token }: { token: Token }) {
  return (
    <span className="inline-flex max-w-full flex-col items-start">
      <PresentKey token={token} />
      {token.old_key && (
        <span className="whitespace-normal text-warn text-xs">
          {old_key_until({ four: token.old_key.last_four, time: formatTime(token.old_key.ends_time) })}
        </span>
      )}
    </span>
  );
}

const PresentKey = ({ token }: { token: Token }) => (
  <MaskedText
    text={fullKey(token)}
    masked={maskedKey(token)}
    labels={{ view: token_view_key(), hide: token_hide_key(), copy: token_copy_key() }}
  />
);

/** What is left, in words and as a bar. */
export function RemainCell({ token }: { token: Token }) {
  if (token.unlimited_quota) return <span className="text-muted">{quota_unlimited()}</span>;
  const total = token.remain_quota + token.used_quota;
  const share = total > 0 ? Math.round((Math.max(0, token.remain_quota) / total) * 100) : 0;
  return (
    <span className="inline-flex items-center gap-2">
      <span
        data-tip={token_quota_left({ percent: share })}
        aria-hidden
        className="h-1 w-12 overflow-hidden rounded-sm bg-grey-tint sm:max-[1400px]:hidden"
      >
        <span className={`block h-full ${share > 10 ? 'bg-ok' : 'bg-bad'}`} style={{ width: `${share}%` }} />
      </span>
      <Quota value={token.remain_quota} />
    </span>
  );
}

export function SwitchButton({ token }: { token: Token }) {
  const change = useTokenStatus();
  const enabled = token.status === tokenStatus.enabled;
  const why = whyNotEnabled(token, nowSeconds());
  const set = (status: number, undo: number | undefined) =>
    change.mutate(
      { id: token.id, change: { status } },
      {
        onError: notifyError,
        onSuccess: () =>
          notify('ok', done(), undo === undefined ? {} : { action: { label: action_undo(), run: () => set(undo, undefined) } }),
      },
    );
  const press = () => {
    if (why) return notify('warn', why);
    if (enabled) set(tokenStatus.disabled, tokenStatus.enabled);
    else set(tokenStatus.enabled, undefined);
  };
  return (
    <IconButton
      icon={enabled ? PowerOff : Power}
      label={enabled ? action_disable() : action_enable()}
      data-tip={why || (enabled ? action_disable() : action_enable())}
      aria-disabled={why !== '' || undefined}
      className={why ? 'opacity-45' : ''}
      size="sm"
      onClick={press}
    />
  );
}
