import type { User } from '@tollgate/contract';
import { account_balance, account_group, account_id, account_requests, account_used } from '../../../i18n/generated/messages.ts';
import { formatUnits } from '../../../lib/money.ts';
import { Badge } from '../../../ui/Badge.tsx';
import { Quota } from '../../../ui/Quota.tsx';
import { roleOf } from '../../../ui/role.ts';

/** Who this is, and the figures of the account. */
export function Overview({ self }: { self: User }) {
  const name = self.display_name || self.username;
  const { text, tone } = roleOf(self.role);
  const figures = [
    { label: account_balance(), value: <Quota value={self.quota} /> },
    { label: account_used(), value: <Quota value={self.used_quota} /> },
    { label: account_requests(), value: formatUnits(self.request_count) },
  ];
  return (
    <div className="card flex flex-wrap items-center gap-x-8 gap-y-3 px-5 py-4 max-sm:px-4">
      <div className="flex min-w-0 items-center gap-3">
        <span
          aria-hidden
          className="grid size-11 shrink-0 place-items-center rounded-lg bg-accent-tint font-semibold text-accent text-lg"
        >
          {[...name][0]?.toUpperCase()}
        </span>
        <div className="min-w-0">
          <p className="flex flex-wrap items-center gap-2 font-semibold text-base">
            {name}
            <Badge tone={tone}>{text}</Badge>
          </p>
          <p className="flex flex-wrap gap-x-3 text-muted text-xs">
            <span>{account_id({ id: self.id })}</span>
            <span>{account_group({ group: self.group })}</span>
          </p>
        </div>
      </div>
      <dl className="ml-auto flex flex-wrap gap-x-8 gap-y-2 max-sm:ml-0 max-sm:w-full max-sm:justify-between max-sm:gap-x-4">
        {figures.map(({ label, value }) => (
          <div key={label}>
            <dt className="text-muted text-xs">{label}</dt>
            <dd className="font-semibold text-lg tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
