import type { LedgerProof, Receipt } from '@tollgate/contract';

/** What calls cost, why, and whether the books agree. */

export const receipt: Receipt = {
  log_id: 1,
  request_id: '20261120170000123456789AbCdEfGh',
  model: 'gpt-4o',
  group: 'default',
  kind: 'token',
  price_version: 12,
  usage_source: 'upstream',
  usage_anomaly: false,
  lines: [
    { part: 'prompt', amount: '600', ratio: '1' },
    { part: 'cached', amount: '400', ratio: '0.5' },
    { part: 'completion', amount: '501', ratio: '4' },
  ],
  model_ratio: '1.25',
  call_price: '',
  quota_per_unit: 500_000,
  group_ratio: '0.9',
  special_group: false,
  tier_up_to: 0,
  exact: '3154.5',
  rounding: 'half_up',
  recomputed: 3155,
  cost: 3155,
  collected: 3155,
  shortfall: 0,
  hmac: '5f1d7c1e9a0b4c3d8e2f6a7b8c9d0e1f2a3b4c5d6e7f8091a2b3c4d5e6f70819',
  state: 'ok',
};

export const proof: LedgerProof = {
  ok: true,
  checked_at: 1_795_190_400,
  checks: [
    { name: 'wallet_equals_transfers', ok: true, detail: 'available + held of every wallet = sum of its transfers' },
    { name: 'held_equals_open_holds', ok: true, detail: 'held of every wallet = sum of its open holds' },
    { name: 'used_equals_log', ok: true, detail: 'used quota of every wallet = sum of its consumption rows in the log' },
  ],
};
