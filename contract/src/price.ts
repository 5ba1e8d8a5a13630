import * as z from 'zod/mini';
import { countedPage } from './fields.ts';
import { data, defineRoute, type PageOf } from './route.ts';

/** The options that decide what calls cost: a save that changes one of them makes a version of the price book. */
export const priceOptions = [
  'ModelRatio',
  'ModelPrice',
  'SecondPrice',
  'CompletionRatio',
  'CacheRatio',
  'CreateCacheRatio',
  'CreateCacheRatio1h',
  'AudioRatio',
  'AudioCompletionRatio',
  'ImageRatio',
  'PriceTiers',
  'ServiceTierRatio',
  'ToolPrice',
  'GroupRatio',
  'GroupGroupRatio',
  'QuotaPerUnit',
] as const;
export type PriceOption = (typeof priceOptions)[number];

/** Options that a change set may touch: model -> number. */
export const syncOptions = [
  'ModelRatio',
  'ModelPrice',
  'CompletionRatio',
  'CacheRatio',
  'CreateCacheRatio',
  'CreateCacheRatio1h',
  'AudioRatio',
  'AudioCompletionRatio',
  'ImageRatio',
] as const;
export type SyncOption = (typeof syncOptions)[number];

/** One model in GET /api/pricing (contract 1.4). Members after `enable_groups` are ours. */
export interface PricingItem {
  model_name: string;
  /** 0 = by the token, 1 = by the call. */
  quota_type: 0 | 1;
  model_ratio: number;
  /** Dollars a call. */
  model_price: number;
  /** `model_price` is for a second; absent = it is not. */
  per_second?: boolean;
  owner_by: string;
  completion_ratio: number;
  enable_groups: string[];
  /** Relative to a plain prompt token, as the next ones; absent when the model is priced by the call. */
  cache_ratio?: number;
  cache_creation_ratio?: number;
  cache_creation_1h_ratio?: number;
  audio_ratio?: number;
  /** Relative to a spoken prompt token. */
  audio_completion_ratio?: number;
  image_ratio?: number;
  image_completion_ratio?: number;
  /** Of this model, before those of every model. */
  service_tier_ratio?: Record<string, number>;
  /** Tool that an upstream runs itself -> dollars for 1,000 uses by this model, before those of every model. */
  tool_price?: Record<string, number>;
  /** Ascending; `up_to` absent = however long. */
  tiers?: PricingTier[];
  /** What calls cost from a later time on, in Unix seconds; absent = no other price is known yet. */
  next?: Omit<PricingItem, 'model_name' | 'owner_by' | 'enable_groups' | 'next'> & { from: number };
}

export interface PricingTier {
  up_to?: number;
  model_ratio: number;
  completion_ratio: number;
  cache_ratio: number;
  cache_creation_ratio: number;
}

/** What stands beside `data` in GET /api/pricing. */
export interface PricingExtras {
  group_ratio: Record<string, number>;
  /** Group -> description. */
  usable_group: Record<string, string>;
  /** How a call may be served -> what that multiplies its price by, whatever the model. */
  service_tier_ratio?: Record<string, number>;
  /** Tool that an upstream runs itself -> dollars for 1,000 uses, whatever the model. */
  tool_price?: Record<string, number>;
}

/** One entry of an option that a version changed; JSON texts, "" = there was or is none. */
export interface PriceChange {
  option: PriceOption;
  /** Model or group, "" for an option that is one number. */
  name: string;
  from: string;
  to: string;
}

export interface PriceVersion {
  id: number;
  author_id: number;
  author: string;
  created_at: number;
  note: string;
  /** The first 1,000. */
  diff: PriceChange[];
  changed: number;
}

export interface RevenueRow {
  /** Model or user name. */
  name: string;
  /** Of a user. */
  id?: number;
  calls: number;
  /** Quota that these calls brought. */
  now: number;
  /** Quota that they would have brought. */
  next: number;
}

/** What the last days would have brought with other prices. */
export interface PricePreview {
  /** Rows that were read, and whether those were all of the range. */
  rows: number;
  complete: boolean;
  /** Rows that keep their charge: no receipt, or no price in the changed book. */
  unpriced: number;
  now: number;
  next: number;
  /** The 200 with the highest revenue, now or next. */
  models: RevenueRow[];
  users: RevenueRow[];
  /** Users who would pay less, most first; at most 10. */
  winners: RevenueRow[];
  losers: RevenueRow[];
  /** Of entries that a change adds or takes away, what is in force where the operator has none; at most 1,000. */
  inherited: { option: SyncOption; model: string; value: number }[];
}

export interface PriceSyncRow {
  option: SyncOption;
  model: string;
  /** The price now, the operator's or the catalogue's; null = none. */
  from: number | null;
  to: number;
  /** to / from; null when there is no price above 0 now. */
  ratio_change: number | null;
  /** Needs `confirmed` to be applied. */
  extreme: boolean;
  /** An enabled channel serves it. */
  enabled: boolean;
  /**
   * Present when tiers of prompt length price what this is about. `own`: those of `PriceTiers` stay as they are, and calls cost
   * what they say. `catalogue`: those of the catalogue hold no longer once this is applied.
   */
  tiers?: 'own' | 'catalogue';
}

export interface PriceSync {
  source: string;
  rows: PriceSyncRow[];
  /** There were more rows than one change set takes. */
  truncated: boolean;
}

const value = z.union([z.string().check(z.maxLength(262_144)), z.number()]);
const changes = z.array(z.object({ key: z.enum(priceOptions), value })).check(z.maxLength(priceOptions.length));
const source = z.union([z.literal('catalogue'), z.url({ protocol: /^https?$/ }).check(z.maxLength(2048))]);
const syncRow = z.object({
  option: z.enum(syncOptions),
  model: z.string().check(z.minLength(1), z.maxLength(255)),
  to: z.number().check(z.minimum(0), z.maximum(1_000_000)),
});

export const priceRoutes = {
  pricing: defineRoute({ method: 'GET', path: '/api/pricing', access: 'try', data: data<PricingItem[]>() }),
  versions: defineRoute({
    method: 'GET',
    path: '/api/price/versions',
    access: 'root',
    query: z.object(countedPage),
    data: data<PageOf<PriceVersion>>(),
  }),
  /** Writes the prices of that version as a new version. */
  rollback: defineRoute({
    method: 'POST',
    path: '/api/price/rollback',
    access: 'root',
    body: z.object({ id: z.int().check(z.minimum(1)) }),
    data: data<undefined>(),
  }),
  preview: defineRoute({
    method: 'POST',
    path: '/api/price/preview',
    access: 'root',
    body: z.object({ changes, days: z.int().check(z.minimum(1), z.maximum(90)) }),
    data: data<PricePreview>(),
  }),
  /** The change set only; nothing is written. `source`: `catalogue`, or another gateway's address. */
  sync: defineRoute({
    method: 'GET',
    path: '/api/price/sync',
    access: 'root',
    query: z.object({ source }),
    data: data<PriceSync>(),
  }),
  applySync: defineRoute({
    method: 'POST',
    path: '/api/price/sync',
    access: 'root',
    body: z.object({
      source: z.string().check(z.maxLength(2048)),
      rows: z.array(syncRow).check(z.minLength(1), z.maxLength(2000)),
      confirmed: z.optional(z.boolean()),
    }),
    data: data<undefined>(),
  }),
  unpriced: defineRoute({ method: 'GET', path: '/api/price/unpriced', access: 'root', data: data<string[]>() }),
  resetRatios: defineRoute({ method: 'POST', path: '/api/option/rest_model_ratio', access: 'root', data: data<undefined>() }),
} as const;
