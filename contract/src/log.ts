import * as z from 'zod/mini';
import { filter, pageFromOne, pageSize, timestamp } from './fields.ts';
import { data, defineRoute, type PageOf } from './route.ts';

/** One row of the usage log (contract 1.10). `other` is JSON text (contract 7.8). */
export interface LogEntry {
  id: number;
  user_id: number;
  created_at: number;
  type: number;
  content: string;
  username: string;
  token_name: string;
  model_name: string;
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
  /** Whole seconds. */
  use_time: number;
  is_stream: boolean;
  /** Channel id; 0 for those who are not admins. */
  channel: number;
  channel_name: string;
  token_id: number;
  group: string;
  other: string;
  request_id: string;
}

/** Sum over the range; rpm and tpm over the last 60 seconds. */
export interface LogStat {
  quota: number;
  rpm: number;
  tpm: number;
}

/** One summand of a charge: `amount` times `ratio`. Decimals are texts, so that no digit is lost. */
export interface ReceiptLine {
  part:
    | 'prompt'
    | 'audio_prompt'
    | 'image_prompt'
    | 'cached'
    | 'cache_write'
    | 'cache_write_1h'
    | 'completion'
    | 'audio_completion'
    | 'calls';
  amount: string;
  /** Relative to a plain prompt token; 1 for calls. */
  ratio: string;
}

/** The stored arithmetic of one charge, recomputed (contract 16.1). */
export interface Receipt {
  log_id: number;
  request_id: string;
  model: string;
  group: string;
  kind: 'token' | 'call';
  /** Of the settings that the price was taken from. */
  price_version: number;
  /** Who counted. */
  usage_source: 'upstream' | 'counted' | 'estimated' | 'none';
  /** The upstream's counts were impossible and were clamped. */
  usage_anomaly: boolean;
  lines: ReceiptLine[];
  /** "" for calls. */
  model_ratio: string;
  /** Dollars; "" for tokens. */
  call_price: string;
  quota_per_unit: number;
  group_ratio: string;
  /** The group ratio is one of this user's own group. */
  special_group: boolean;
  /** The largest prompt of the price tier that counted; 0 = no tiers, or the last one. */
  tier_up_to: number;
  /** Quota before rounding. */
  exact: string;
  rounding: 'none' | 'half_up' | 'minimum';
  /** What the arithmetic gives now, and what was stored. */
  recomputed: number;
  cost: number;
  collected: number;
  shortfall: number;
  hmac: string;
  /** `ok`: our signature, and the arithmetic gives the stored cost. */
  state: 'ok' | 'forged' | 'wrong_cost';
}

const ownFilters = {
  p: pageFromOne,
  page_size: pageSize,
  type: z._default(z.coerce.number().check(z.int(), z.minimum(0), z.maximum(6)), 0),
  token_name: filter,
  model_name: filter,
  start_timestamp: timestamp,
  end_timestamp: timestamp,
  group: filter,
};
const allFilters = { ...ownFilters, username: filter, channel: z._default(z.coerce.number().check(z.int(), z.minimum(0)), 0) };
export const ownLogQuery = z.object(ownFilters);
export const logQuery = z.object(allFilters);
export type LogQuery = z.infer<typeof logQuery>;

export const logRoutes = {
  list: defineRoute({ method: 'GET', path: '/api/log', access: 'admin', query: logQuery, data: data<PageOf<LogEntry>>() }),
  self: defineRoute({ method: 'GET', path: '/api/log/self', access: 'user', query: ownLogQuery, data: data<PageOf<LogEntry>>() }),
  stat: defineRoute({ method: 'GET', path: '/api/log/stat', access: 'admin', query: logQuery, data: data<LogStat>() }),
  receipt: defineRoute({ method: 'GET', path: '/api/log/:id/receipt', access: 'user', data: data<Receipt>() }),
  selfStat: defineRoute({ method: 'GET', path: '/api/log/self/stat', access: 'user', query: ownLogQuery, data: data<LogStat>() }),
} as const;

/** GET /api/ledger/proof (contract 16.1). */
export interface LedgerProof {
  ok: boolean;
  checked_at: number;
  checks: { name: string; ok: boolean; detail: string; first_difference?: string }[];
}

export const ledgerRoutes = {
  proof: defineRoute({ method: 'GET', path: '/api/ledger/proof', access: 'root', data: data<LedgerProof>() }),
} as const;
