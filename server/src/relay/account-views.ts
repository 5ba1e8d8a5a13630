import { logType, never } from '@tollgate/contract';
import type { Kysely } from 'kysely';
import { type Balance, balanceOf, cutOf } from '../billing/index.ts';
import type { KeyRecord } from '../identity/index.ts';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import type { Limiter, LimitRule } from '../platform/limiter/memory.ts';
import type { Options } from '../settings/index.ts';
import type { Schema } from '../storage/schema.ts';
import { tokenDays } from '../usage/index.ts';
import type { CallLimiter } from './call-limits.ts';
import { localFault } from './faults.ts';

/**
 * What the holder of a key may see of its account: two views that older clients know (contract 6.17), one that others ask
 * for (`credits`, in dollars), and our own (contract 16.1). Amounts of our own are quota; `quota_per_unit` of it are a dollar.
 */
export type AccountView = 'subscription' | 'billing-usage' | 'credits' | 'balance' | 'usage' | 'cost' | 'limits';

export interface AccountViewParts {
  readonly read: Kysely<Schema>;
  /** Long reading: what a key asks for must not wait in front of keys and changes. */
  readonly analyse: Kysely<Schema>;
  readonly clock: Clock;
  readonly limiter: CallLimiter;
  /** How often sums may be asked for. */
  readonly questions: Limiter;
}

export interface AccountAsking {
  readonly key: KeyRecord;
  readonly options: Options;
  readonly query: URLSearchParams | undefined;
  /** Of `cost`: the request that is asked about. */
  readonly requestId: string | undefined;
}

/** What clients take for "without a limit". */
const unlimited = 100_000_000;
const daySeconds = 86_400;
const longestDays = 366;
const maxRows = 10_000;
const sumsOfKey: LimitRule = { limit: 30, windowMs: 60_000 };
/** An owner has many keys. */
const sumsOfOwner: LimitRule = { limit: 120, windowMs: 60_000 };

/** The view as a JSON value. Rejects with RelayFault. */
export function accountView(parts: AccountViewParts, view: AccountView, asking: AccountAsking): Promise<object> {
  return views[view](parts, asking);
}

const views: Readonly<Record<AccountView, (parts: AccountViewParts, asking: AccountAsking) => Promise<object>>> = {
  async subscription({ read }, { key, options }) {
    const ofToken = options.DisplayTokenStatEnabled;
    const limit = ofToken && key.unlimitedQuota ? unlimited : shown(options, total(await accountOf(read, key, options)));
    return {
      object: 'billing_subscription',
      has_payment_method: true,
      soft_limit_usd: limit,
      hard_limit_usd: limit,
      system_hard_limit_usd: limit,
      access_until: ofToken && key.expiredAt !== never ? key.expiredAt : 0,
    };
  },

  async 'billing-usage'({ read }, { key, options }) {
    const { used } = await accountOf(read, key, options);
    // Cents by one division: dollars times 100 would end in digits that nobody spent.
    return { object: 'list', total_usage: shown(options, used * 100) };
  },

  async credits({ read }, { key, options }) {
    // A key without a quota of its own has its owner's.
    const balance = await (key.unlimitedQuota ? balanceOf(read, { userId: key.user.id }) : accountOf(read, key, options));
    const inDollars = (quota: number) => quota / options.QuotaPerUnit;
    return { data: { total_credits: inDollars(total(balance)), total_usage: inDollars(balance.used) } };
  },

  async balance({ read }, { key, options }) {
    const [token, user] = await Promise.all([
      balanceOf(read, { tokenId: key.tokenId }),
      balanceOf(read, { userId: key.user.id }),
    ]);
    const quota = { unlimited: key.unlimitedQuota, ...(key.unlimitedQuota ? { used: token.used } : token) };
    return { object: 'balance', quota_per_unit: options.QuotaPerUnit, token: quota, user };
  },

  async usage(parts, { key, query }) {
    const { analyse, clock } = parts;
    const end = timeIn(query, 'end') ?? nowSeconds(clock) + 1;
    const start = timeIn(query, 'start') ?? end - 30 * daySeconds;
    if (end < start || end - start > longestDays * daySeconds)
      throw localFault('invalid_request', { reason: `start and end must be at most ${longestDays} days apart` });
    await limitSums(parts, key);
    const rows = await tokenDays(analyse, { userId: key.user.id, tokenId: key.tokenId, start, end: end - 1 });
    // Of a part nobody could tell that it is one.
    if (rows.length > maxRows)
      throw localFault('invalid_request', { reason: `more than ${maxRows} days and models: ask for a shorter time` });
    const data = rows.map(({ day, model, calls: requests, quota, prompt_tokens, completion_tokens }) => ({
      ...{ day: dayText(day), model, requests },
      ...{ quota, prompt_tokens, completion_tokens },
    }));
    return { object: 'list', start, end, data };
  },

  async cost({ read }, { key, requestId = '' }) {
    const row = await read
      .selectFrom('log')
      .select([
        'request_id',
        'created_at',
        'model_name as model',
        'quota',
        'prompt_tokens',
        'completion_tokens',
        'is_stream',
        'other',
      ])
      .where('user_id', '=', key.user.id)
      .where('token_id', '=', key.tokenId)
      .where('type', '=', logType.consume)
      .where('request_id', '=', requestId)
      .where('request_id', '<>', '')
      .orderBy('id', 'desc')
      .executeTakeFirst();
    if (row === undefined) throw localFault('request_not_found');
    const { other, ...call } = row;
    return { object: 'cost', ...call, quota: Number(row.quota), is_stream: row.is_stream === 1, cut: cutOf(other) ?? '' };
  },

  async limits({ limiter }, { key, options }) {
    const data = await limiter.view(key, options);
    return { object: 'list', data: data.map((one) => ({ ...one, remaining: Math.max(0, one.allowed - one.used) })) };
  },
};

function accountOf(read: Kysely<Schema>, key: KeyRecord, options: Options): Promise<Balance> {
  return balanceOf(read, options.DisplayTokenStatEnabled ? { tokenId: key.tokenId } : { userId: key.user.id });
}

function shown(options: Options, quota: number): number {
  return options.DisplayInCurrencyEnabled ? quota / options.QuotaPerUnit : quota;
}

function total({ remain, held, used }: Balance): number {
  return remain + held + used;
}

/** Unix seconds, or a day such as 2026-11-20 (UTC), also with a time; one that names no zone is of UTC, too. */
function timeIn(query: URLSearchParams | undefined, name: string): number | undefined {
  const text = query?.get(name) ?? '';
  if (text === '') return undefined;
  const isLocal = /^\d{4}-\d{2}-\d{2}T[\d:.]+$/.test(text);
  const seconds = /^\d{1,12}$/.test(text) ? Number(text) : Date.parse(isLocal ? `${text}Z` : text) / 1000;
  if (!Number.isFinite(seconds)) throw localFault('invalid_request', { reason: `${name} is no time` });
  return Math.floor(seconds);
}

/** Rejects with RelayFault. */
async function limitSums({ questions }: AccountViewParts, { tokenId, user }: KeyRecord): Promise<void> {
  const verdict = await questions.take([
    { key: `account-usage/token/${tokenId}`, rule: sumsOfKey },
    { key: `account-usage/user/${user.id}`, rule: sumsOfOwner },
  ]);
  if (!verdict.ok) throw localFault('too_many_requests', {}, { retryAfterSeconds: verdict.retryAfterSeconds });
}

function dayText(begin: number): string {
  return new Date(begin * 1000).toISOString().slice(0, 10);
}
