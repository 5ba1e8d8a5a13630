import type { User } from '@tollgate/contract';
import { wallet_balance, wallet_held, wallet_held_tip, wallet_requests, wallet_used } from '../../i18n/generated/messages.ts';
import { formatUnits } from '../../lib/money.ts';
import { Quota } from '../../ui/Quota.tsx';

/** What is there and what was used. */
export function BalanceCard({ self }: { self: User }) {
  return (
    <dl className="card mb-3 flex flex-wrap gap-x-10 gap-y-3 px-5 py-4 max-sm:px-4">
      <div>
        <dt className="text-muted text-xs">{wallet_balance()}</dt>
        <dd className="font-semibold text-2xl">
          <Quota value={self.quota} />
        </dd>
      </div>
      {self.quota_held > 0 && (
        <div data-tip={wallet_held_tip()}>
          <dt className="text-muted text-xs">{wallet_held()}</dt>
          <dd className="pt-3 font-semibold text-lg">
            <Quota value={self.quota_held} />
          </dd>
        </div>
      )}
      <div>
        <dt className="text-muted text-xs">{wallet_used()}</dt>
        <dd className="pt-3 font-semibold text-lg">
          <Quota value={self.used_quota} />
        </dd>
      </div>
      <div>
        <dt className="text-muted text-xs">{wallet_requests()}</dt>
        <dd className="pt-3 font-semibold text-lg tabular-nums">{formatUnits(self.request_count)}</dd>
      </div>
    </dl>
  );
}
