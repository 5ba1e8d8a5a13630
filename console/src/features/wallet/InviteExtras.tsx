import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { serverAddressOf, useMoney, useStatus } from '../../api/status.ts';
import {
  wallet_aff_records,
  wallet_invite_invitee,
  wallet_invite_inviter,
  wallet_invite_owed,
  wallet_invite_qr,
  wallet_invite_qr_show,
  wallet_invite_rebate,
  wallet_invite_rules,
  wallet_invite_waiting,
} from '../../i18n/generated/messages.ts';
import { formatQuota } from '../../lib/money.ts';
import { Unread } from '../../ui/LoadError.tsx';
import { part } from '../../ui/part.tsx';
import { inviteInfoQuery } from './queries.ts';

const QrCode = part(() => import('../../ui/QrCode.tsx'), 'QrCode');

/** The rewards in force, the link as a QR code, the way to the list. */
export function InviteExtras() {
  const query = useQuery(inviteInfoQuery);
  const { data } = query;
  const status = useStatus();
  const format = useMoney();
  if (!data) return <Unread query={query} />;
  const amount = (quota: number) => formatQuota(quota, format);
  const rules = [
    data.inviter_reward > 0 && wallet_invite_inviter({ amount: amount(data.inviter_reward) }),
    data.invitee_reward > 0 && wallet_invite_invitee({ amount: amount(data.invitee_reward) }),
    data.rebate_percent > 0 && wallet_invite_rebate({ percent: data.rebate_percent }),
    data.waiting_quota > 0 && wallet_invite_waiting({ amount: amount(data.waiting_quota) }),
    data.owed_quota > 0 && wallet_invite_owed({ amount: amount(data.owed_quota) }),
  ].filter((rule) => rule !== false);
  return (
    <div className="mt-3 flex flex-col gap-2">
      {rules.length > 0 && (
        <ul aria-label={wallet_invite_rules()} className="flex flex-wrap gap-x-4 gap-y-1 text-muted text-xs">
          {rules.map((rule) => (
            <li key={rule}>{rule}</li>
          ))}
        </ul>
      )}
      <div className="flex flex-wrap items-start justify-between gap-2">
        <details>
          <summary className="min-h-6 text-accent text-xs">{wallet_invite_qr_show()}</summary>
          <div className="mt-2">
            <QrCode text={serverAddressOf(status) + data.path} label={wallet_invite_qr()} />
          </div>
        </details>
        <Link to="/aff/records" className="min-h-6 text-accent text-xs">
          {wallet_aff_records()}
        </Link>
      </div>
    </div>
  );
}
