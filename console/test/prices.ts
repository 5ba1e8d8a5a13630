import type { LedgerProof, PricingItem, Receipt } from '@tollgate/contract';

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

const item = (model_name: string, fields: Partial<PricingItem> = {}): PricingItem => ({
  model_name,
  quota_type: 0,
  model_ratio: 1.25,
  model_price: 0,
  owner_by: 'OpenAI',
  completion_ratio: 4,
  enable_groups: ['default', 'vip'],
  cache_ratio: 0.5,
  cache_creation_ratio: 1,
  ...fields,
});
const tier = { cache_ratio: 0.25, cache_creation_ratio: 1 };

export const pricing: PricingItem[] = [
  item('gpt-4o', { cache_ratio: 0.5 }),
  item('gpt-4o-mini', { model_ratio: 0.075, enable_groups: ['vip'] }),
  item('gpt-4o-audio-preview', { audio_ratio: 16, audio_completion_ratio: 2 }),
  item('claude-3-7-sonnet-20250219', {
    ...{ owner_by: 'Anthropic', model_ratio: 1.5, completion_ratio: 5 },
    ...{ cache_ratio: 0.1, cache_creation_ratio: 1.25, cache_creation_1h_ratio: 2 },
  }),
  item('gemini-2.5-pro', {
    ...{ owner_by: 'Google', model_ratio: 0.625, completion_ratio: 8, ...tier },
    tiers: [
      { up_to: 200_000, model_ratio: 0.625, completion_ratio: 8, ...tier },
      { model_ratio: 1.25, completion_ratio: 6, ...tier },
    ],
  }),
  { ...item('dall-e-3'), ...{ quota_type: 1, model_ratio: 0, completion_ratio: 0, model_price: 0.04 } },
];

/** What stands beside the price list. */
export const pricingGroups = { group_ratio: { default: 1, vip: 0.8 }, usable_group: { default: '默认分组', vip: 'VIP 分组' } };
