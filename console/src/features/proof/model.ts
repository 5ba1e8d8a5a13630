import type { LedgerProof } from '@tollgate/contract';
import {
  proof_held_equals_open_holds,
  proof_nothing_below_zero,
  proof_paid_orders_credited,
  proof_receipts_recompute,
  proof_rewards_paid,
  proof_token_arithmetic,
  proof_token_held_equals_open_holds,
  proof_transfers_have_wallets,
  proof_used_codes_credited,
  proof_used_equals_log,
  proof_used_equals_revenue,
  proof_wallet_equals_transfers,
} from '../../i18n/generated/messages.ts';

const texts: Readonly<Record<string, () => string>> = {
  wallet_equals_transfers: proof_wallet_equals_transfers,
  transfers_have_wallets: proof_transfers_have_wallets,
  held_equals_open_holds: proof_held_equals_open_holds,
  used_equals_revenue: proof_used_equals_revenue,
  used_equals_log: proof_used_equals_log,
  token_arithmetic: proof_token_arithmetic,
  token_held_equals_open_holds: proof_token_held_equals_open_holds,
  nothing_below_zero: proof_nothing_below_zero,
  used_codes_credited: proof_used_codes_credited,
  paid_orders_credited: proof_paid_orders_credited,
  rewards_paid: proof_rewards_paid,
  receipts_recompute: proof_receipts_recompute,
};

/** What a check compared; the server's own words for checks that this console does not know yet. */
export const checkText = ({ name, detail }: LedgerProof['checks'][number]): string => texts[name]?.() ?? detail;
