import { never } from '@tollgate/contract';
import { type Balance, balanceOf } from '../billing/index.ts';
import type { KeyRecord } from '../identity/index.ts';
import type { Options } from '../settings/index.ts';
import type { BillingView } from './endpoints.ts';

/** What clients take for "without a limit". */
const unlimited = 100_000_000;

/** The balance of a key or of its owner, as older clients ask for it (contract 6.17). JSON text. */
export async function billingView(
  read: Parameters<typeof balanceOf>[0],
  options: Options,
  key: KeyRecord,
  view: BillingView,
): Promise<string> {
  const ofToken = options.DisplayTokenStatEnabled;
  const balance = await balanceOf(read, ofToken ? { tokenId: key.tokenId } : { userId: key.user.id });
  const shown = (quota: number) => (options.DisplayInCurrencyEnabled ? quota / options.QuotaPerUnit : quota);
  if (view === 'usage') return JSON.stringify({ object: 'list', total_usage: shown(balance.used) * 100 });
  const limit = ofToken && key.unlimitedQuota ? unlimited : shown(total(balance));
  return JSON.stringify({
    object: 'billing_subscription',
    has_payment_method: true,
    soft_limit_usd: limit,
    hard_limit_usd: limit,
    system_hard_limit_usd: limit,
    access_until: ofToken && key.expiredAt !== never ? key.expiredAt : 0,
  });
}

function total({ remain, held, used }: Balance): number {
  return remain + held + used;
}
