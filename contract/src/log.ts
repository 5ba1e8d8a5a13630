import * as z from 'zod/mini';
import { countedPage, filter, keyword, optionalFlag, quota, timeRange, timestamp } from './fields.ts';
import { data, defineRoute, type PageOf, type StreamAnswer } from './route.ts';

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
  /** Where the call came from; "" = no call, or read by its key alone, which others may have. */
  ip: string;
}

/** Sum over the range; rpm and tpm over the last 60 seconds. */
export interface LogStat {
  quota: number;
  rpm: number;
  tpm: number;
  /** About how many rows are not in `quota` yet, as after an import of millions; absent = all are. */
  unsummed?: number;
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
    | 'image_completion'
    | 'calls';
  amount: string;
  /** Relative to a plain prompt token; 1 for calls. */
  ratio: string;
}

/**
 * Why an answer ended before its end. `length`: it was delivered as it came, and had as many tokens as it may have; `quota`: it outgrew what could be paid; `gateway`: it was ended here, by a
 * shut-down or for want of room; `unknown`: its process died, or the row is an older one, which does not say.
 */
export type LogCut = 'length' | 'caller_left' | 'upstream_broke_off' | 'timeout' | 'quota' | 'gateway' | 'unknown';

/** The stored arithmetic of one charge, recomputed (contract 16.1). */
export interface Receipt {
  log_id: number;
  request_id: string;
  model: string;
  group: string;
  kind: 'token' | 'call';
  /** Of the settings that the price was taken from. */
  price_version: number;
  /** The answer was cut off; absent = it came to its end. */
  cut?: LogCut;
  /** Who counted. */
  usage_source: 'upstream' | 'counted' | 'estimated' | 'none';
  /** The upstream's counts were impossible and were clamped. */
  usage_anomaly: boolean;
  lines: ReceiptLine[];
  /** "" for calls. */
  model_ratio: string;
  /** Dollars; "" for tokens. */
  call_price: string;
  /** The price is for a second, and what is counted are seconds. */
  per_second?: boolean;
  /** Fewer pictures came than were asked for: those that came are charged. Absent = as many. */
  pictures_asked?: number;
  pictures_delivered?: number;
  quota_per_unit: number;
  group_ratio: string;
  /** The group ratio is one of this user's own group. */
  special_group: boolean;
  /** What the backup pool multiplied everything by; "" = an ordinary channel answered. */
  surcharge: string;
  /** How the call was served, by its own choice, and what that multiplied everything by; absent = plainly. */
  service_tier?: string;
  service_tier_ratio?: string;
  /** Uses of tools that the upstream ran itself, beside its tokens; `price`: dollars for 1,000. Absent = none that has a price. */
  tools?: { tool: string; uses: number; price: string }[];
  /** The largest prompt of the price tier that counted; 0 = no tiers, or the last one. */
  tier_up_to: number;
  /** That tier is for prompts of more than so many tokens; absent = for the shortest, too. */
  tier_above?: number;
  /** Quota before rounding. */
  exact: string;
  rounding: 'none' | 'half_up' | 'minimum';
  /** What the arithmetic gives now, and what was stored. */
  recomputed: number;
  cost: number;
  collected: number;
  /** What of that was given back since; absent = nothing. */
  refunded?: number;
  shortfall: number;
  hmac: string;
  /** `ok`: our signature, and the arithmetic gives the stored cost. */
  state: 'ok' | 'forged' | 'wrong_cost';
}

/** What was collected for a call, and what of that was given back. */
export interface GivenBack {
  charged: number;
  refunded: number;
}

/** Newest first. */
export interface LogPage extends PageOf<LogEntry> {
  /** There are more than `total`, or may be: it is counted up to 10,000 only. */
  total_capped: boolean;
  /** `before` of the next page; 0 = this is the last one. By an upstream's id or an address a page ends early, be it empty, when some 262,144 rows were read for it. */
  next_before: number;
}

const logFilters = {
  type: z._default(z.coerce.number().check(z.int(), z.minimum(0), z.maximum(6)), 0),
  token_name: filter,
  model_name: filter,
  ...timeRange,
  group: filter,
  request_id: filter,
  /** Where calls came from. No index has it, as with `upstream_request_id`. */
  ip: filter,
};
const adminFilters = {
  username: filter,
  channel: z._default(z.coerce.number().check(z.int(), z.minimum(0)), 0),
  /** The id under which the upstream knows the call, or one of its attempts. No index has it: rows of the range are read, newest first. */
  upstream_request_id: filter,
};
const paging = {
  ...countedPage,
  /** Rows with a smaller id only: the way to any depth; 0 = from the newest. */
  before: z._default(z.coerce.number().check(z.int(), z.minimum(0)), 0),
};
const ownLogQuery = z.object({ ...paging, ...logFilters });
const logQuery = z.object({ ...paging, ...logFilters, ...adminFilters });
export type LogQuery = z.infer<typeof logQuery>;
const file = {
  format: z._default(z.enum(['csv', 'ndjson']), 'csv'),
  /** Goes on below this id, the last one that a cut off download brought, without the line of names. */
  before: z.optional(z.coerce.number().check(z.int(), z.minimum(0))),
};
const ownExportQuery = z.object({ ...logFilters, ...file });
const exportQuery = z.object({ ...logFilters, ...adminFilters, ...file });
export type LogExportQuery = z.infer<typeof exportQuery>;
/** `after` of the answer before; absent = from now on. */
const since = { after: z.optional(z.coerce.number().check(z.int(), z.minimum(0))) };
const ownTailQuery = z.object({ ...logFilters, ...since });
const tailQuery = z.object({ ...logFilters, ...adminFilters, ...since });
export type LogTailQuery = z.infer<typeof tailQuery>;

/** What came since the last look. */
export interface LogTail {
  /** Newest first, at most 100. */
  items: LogEntry[];
  /** To be sent with the next look. */
  after: number;
  /** There was more than that. */
  skipped: boolean;
}

/** The deletion of old rows that is under way, or was the last one. */
export interface LogCleanup {
  running: boolean;
  target_timestamp: number;
  deleted: number;
  /** About what there was to delete when it began. */
  total: number;
  started_at: number;
  /** 0 = not yet. */
  finished_at: number;
  /** It ended before its end: what was deleted stays deleted, start it again. */
  failed: boolean;
}

/** What was asked and answered, without credentials and attachments; kept only where the operator wants it. */
export interface LogBody {
  request_id: string;
  created_at: number;
  /** Of the answer; 0 = nobody was told anything. */
  status: number;
  request: string;
  response: string;
  /** Either was longer. */
  truncated: boolean;
}

const giveBackBody = z.object({
  /** What of the charge shall have been given back in all. */
  refunded: quota.check(z.minimum(1)),
  /** As the user and the audit log shall read it. */
  reason: z._default(z.string().check(z.trim(), z.maxLength(200)), ''),
});
const keywordQuery = z.object({ keyword });
const keyQuery = z.object({ key: z._default(z.string().check(z.maxLength(200)), '') });
const cleanupQuery = z.object({
  target_timestamp: timestamp,
  /** Answer at once; without it the answer waits for the end, at most 20 s. */
  background: optionalFlag,
});

export const logRoutes = {
  list: defineRoute({ method: 'GET', path: '/api/log', access: 'admin', query: logQuery, data: data<LogPage>() }),
  self: defineRoute({ method: 'GET', path: '/api/log/self', access: 'user', query: ownLogQuery, data: data<LogPage>() }),
  stat: defineRoute({ method: 'GET', path: '/api/log/stat', access: 'admin', query: logQuery, data: data<LogStat>() }),
  receipt: defineRoute({ method: 'GET', path: '/api/log/:id/receipt', access: 'user', data: data<Receipt>() }),
  /** Gives a call's charge, or a part, back to whoever paid it. Calls of users of one's own or a higher level: root only. */
  giveBack: defineRoute({
    method: 'POST',
    path: '/api/log/:id/refund',
    access: 'admin',
    body: giveBackBody,
    data: data<GivenBack>(),
  }),
  body: defineRoute({ method: 'GET', path: '/api/log/:id/body', access: 'user', data: data<LogBody>() }),
  search: defineRoute({ method: 'GET', path: '/api/log/search', access: 'admin', query: keywordQuery, data: data<LogEntry[]>() }),
  selfSearch: defineRoute({
    method: 'GET',
    path: '/api/log/self/search',
    access: 'user',
    query: keywordQuery,
    data: data<LogEntry[]>(),
  }),
  /** For public pages: the rows of the key in the query, from where and as long as it may be used; also when its quota is used up. */
  ofKey: defineRoute({ method: 'GET', path: '/api/log/token', access: 'none', query: keyQuery, data: data<LogEntry[]>() }),
  /** `data` is the number of rows deleted so far. */
  remove: defineRoute({ method: 'DELETE', path: '/api/log', access: 'root', query: cleanupQuery, data: data<number>() }),
  removal: defineRoute({ method: 'GET', path: '/api/log/cleanup', access: 'root', data: data<LogCleanup>() }),
  /** A streamed download: the list's filters, all rows, newest first. */
  export: defineRoute({
    method: 'GET',
    path: '/api/log/export',
    access: 'admin',
    query: exportQuery,
    data: data<StreamAnswer>(),
  }),
  selfExport: defineRoute({
    method: 'GET',
    path: '/api/log/self/export',
    access: 'user',
    query: ownExportQuery,
    data: data<StreamAnswer>(),
  }),
  /** To be asked every few seconds while a page shows what happens. */
  tail: defineRoute({ method: 'GET', path: '/api/log/tail', access: 'admin', query: tailQuery, data: data<LogTail>() }),
  selfTail: defineRoute({
    method: 'GET',
    path: '/api/log/self/tail',
    access: 'user',
    query: ownTailQuery,
    data: data<LogTail>(),
  }),
  selfStat: defineRoute({ method: 'GET', path: '/api/log/self/stat', access: 'user', query: ownLogQuery, data: data<LogStat>() }),
} as const;

/** GET /api/ledger/proof (contract 16.1). */
export interface LedgerProof {
  ok: boolean;
  checked_at: number;
  checks: { name: string; ok: boolean; detail: string; first_difference?: string }[];
  /** What the last hourly proof found; absent = there was none yet. */
  hourly?: { checked_at: number; ok: boolean; difference: string };
}

/** GET /api/ledger/state. Amounts are quota. */
export interface LedgerState {
  /** What the last hourly proof found; absent = there was none yet. */
  hourly?: { checked_at: number; ok: boolean; difference: string };
  /** Of all users that are not deleted, and how many of them have any. */
  available: number;
  held: number;
  users: number;
  /** Codes that can still be redeemed, and what they are worth. */
  codes: number;
  codes_quota: number;
}

/** GET /api/ledger/sources. All movements since the beginning, added up. */
export interface LedgerSources {
  /** Quota that users got from each account of the platform, less what went back to it. */
  sources: { account: string; amount: number }[];
  /** Quota that invitations earned and that was not moved to a balance. */
  affiliate: number;
  /** Cents that agents earned and were not paid. */
  agents: number;
}

export const ledgerRoutes = {
  state: defineRoute({ method: 'GET', path: '/api/ledger/state', access: 'root', data: data<LedgerState>() }),
  sources: defineRoute({ method: 'GET', path: '/api/ledger/sources', access: 'root', data: data<LedgerSources>() }),
  proof: defineRoute({ method: 'GET', path: '/api/ledger/proof', access: 'root', data: data<LedgerProof>() }),
} as const;
