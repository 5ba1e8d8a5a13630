import { type CallLimits, readCallLimits, readTokenPolicy, type TokenPolicy, tokenStatus } from '@tollgate/contract';
import { createLoadingCache } from '../platform/cache.ts';
import type { ChangeSignal } from '../platform/change-signal.ts';
import { type IpMatcher, parseIpList } from '../platform/client-ip.ts';
import { type Clock, cautiousClock, nowSeconds } from '../platform/clock.ts';
import type { Crypto } from '../platform/crypto.ts';
import { PublicError } from '../platform/errors.ts';
import { splitList } from '../platform/split-list.ts';
import { type Change, notifyChange } from '../storage/changes.ts';
import type { Database } from '../storage/database.ts';
import { promptly } from '../storage/prompt.ts';
import { maskKey } from './token-status.ts';

/** What the relay needs to know of a key and its owner; immutable, cached, replaced on any change of either. */
export interface KeyRecord {
  readonly tokenId: number;
  readonly tokenName: string;
  readonly status: number;
  /** Unix seconds, -1 = never. */
  readonly expiredAt: number;
  readonly unlimitedQuota: boolean;
  /** Unix seconds from which on this key opens nothing, since its token has another; undefined = it is the token's key. */
  readonly endsAt: number | undefined;
  /** The key as its owner is shown it in an error. */
  readonly masked: string;
  /** Undefined = every model. */
  readonly modelLimits: ReadonlySet<string> | undefined;
  /** Undefined = every address. */
  readonly allowIps: IpMatcher | undefined;
  /** "" = the owner's group. */
  readonly group: string;
  /** Undefined = neutral. */
  readonly policy: TokenPolicy | undefined;
  /** Addresses that may not call. */
  readonly denyIps: IpMatcher | undefined;
  readonly user: {
    readonly id: number;
    readonly username: string;
    readonly role: number;
    readonly status: number;
    readonly group: string;
    /** Undefined = none. */
    readonly limits: CallLimits | undefined;
    /** JSON text of the user's settings, "" when never written. */
    readonly setting: string;
  };
}

export interface Keyring {
  /**
   * The record of a key (with or without `sk-`, without a channel suffix); undefined when there is none.
   * Synchronous on a hit. Rejects with PublicError `overloaded` when too many unknown keys are asked at once.
   */
  lookup(rawKey: string): KeyRecord | undefined | Promise<KeyRecord | undefined>;
  /** To be called with the changes that were read from the `change` table, all of one reading together. */
  invalidate(changes: readonly Pick<Change, 'kind' | 'key'>[]): void;
  /**
   * Stores that a token was met after its expiry (contract 5.2, step 6). Nothing takes that back: by a clock that was set
   * forward a moment ago it is only refused.
   */
  markExpired(token: Pick<KeyRecord, 'tokenId' | 'expiredAt'>): Promise<void>;
}

export interface KeyringDeps {
  db: Database;
  clock: Clock;
  crypto: Crypto;
  changes: ChangeSignal;
}

/** For all records together; one that limits neither models nor addresses is less than one. */
const cachedKilobytes = 50_000;
const ttlMs = 60_000;
const parallelLoads = 256;

/** A key and, when given, the channel that an administrator pins. */
interface KeyReading {
  readonly key: string;
  readonly channel: string | undefined;
}

/** `sk-KEY-CHANNELID` (contract 5.1), or a key of one-hub, which may hold hyphens itself: what it can be, the likelier one first. */
export function readingsOf(text: string): readonly KeyReading[] {
  const whole = { key: text.replace(/^sk-/, ''), channel: undefined };
  const [key = '', ...rest] = whole.key.split('-');
  if (rest.length === 0) return [whole];
  const pinned = { key, channel: rest.join('-') };
  return /^\d+$/.test(pinned.channel) ? [pinned, whole] : [whole, pinned];
}

export function createKeyring(deps: KeyringDeps): Keyring {
  const cache = createLoadingCache<KeyRecord>({
    clock: deps.clock,
    load: (key) => promptly(loadKey(deps, key)),
    max: cachedKilobytes,
    weigh: kilobytes,
    ttlMs,
    maxLoads: parallelLoads,
    overloaded: () => new PublicError('overloaded', {}, 1),
  });
  /** A caller that keeps trying an expired token must not queue a write for every try. */
  const expiring = new Map<number, Promise<void>>();
  const cautious = cautiousClock(deps.clock);
  const lasting = (record: KeyRecord | undefined) =>
    record?.endsAt === undefined || record.endsAt > nowSeconds(deps.clock) ? record : undefined;
  return {
    lookup(rawKey) {
      const key = rawKey.startsWith('sk-') ? rawKey.slice(3) : rawKey;
      const found = isKey(key) ? cache.get(key) : undefined;
      return found instanceof Promise ? found.then(lasting) : lasting(found);
    },
    invalidate(changes) {
      const changed = (kind: Change['kind']) => new Set(changes.flatMap((change) => (change.kind === kind ? change.key : [])));
      const [tokens, users] = [changed('token'), changed('user')];
      // Every record is looked at: once for all of them, since an import may bring thousands.
      if (tokens.size + users.size > 0)
        cache.invalidate(({ tokenId, user }) => isAmong(tokens, tokenId) || isAmong(users, user.id));
    },
    async markExpired({ tokenId, expiredAt }) {
      const now = nowSeconds(cautious);
      if (expiredAt >= now) return;
      const running = expiring.get(tokenId);
      if (running !== undefined) return running;
      const started = markExpired(deps, tokenId, now).finally(() => expiring.delete(tokenId));
      expiring.set(tokenId, started);
      return started;
    },
  };
}

function isAmong(changed: ReadonlySet<string>, id: number): boolean {
  return changed.has('*') || changed.has(String(id));
}

/** Imported keys may be shorter or longer than ours; anything else cannot be a key and costs no query. */
export function isKey(key: string): boolean {
  return /^[0-9A-Za-z_-]{16,128}$/.test(key);
}

async function loadKey({ db, clock, crypto }: KeyringDeps, key: string): Promise<KeyRecord | undefined> {
  const hmac = crypto.hmac('token-key', key);
  const row = await db.read
    .selectFrom('token')
    .innerJoin('users', 'users.id', 'token.user_id')
    .select(['token.id', 'token.name', 'token.status', 'token.expired_at', 'token.unlimited_quota'])
    .select(['token.model_limits_enabled', 'token.model_limits', 'token.allow_ips', 'token.group_name', 'token.policy'])
    .select(['users.id as user_id', 'users.username', 'users.role', 'users.status as user_status'])
    .select(['users.group_name as user_group', 'users.setting', 'users.limits'])
    .select(['token.key_hmac', 'token.old_key_until'])
    .where((row) =>
      row.or([
        row('token.key_hmac', '=', hmac),
        row.and([row('token.old_key_hmac', '=', hmac), row('token.old_key_until', '>', nowSeconds(clock))]),
      ]),
    )
    .where('token.deleted_at', 'is', null)
    .where('users.deleted_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const policy = row.policy === '' ? undefined : readTokenPolicy(row.policy);
  return {
    tokenId: row.id,
    tokenName: row.name,
    status: row.status,
    expiredAt: row.expired_at,
    unlimitedQuota: row.unlimited_quota === 1,
    endsAt: row.key_hmac === hmac ? undefined : row.old_key_until,
    masked: maskKey(key),
    modelLimits: row.model_limits_enabled === 1 ? new Set(splitList(row.model_limits)) : undefined,
    allowIps: parseIpList(row.allow_ips).matcher,
    group: row.group_name,
    policy,
    denyIps: policy === undefined ? undefined : parseIpList(policy.deny_ips).matcher,
    user: {
      id: row.user_id,
      username: row.username,
      role: row.role,
      status: row.user_status,
      group: row.user_group,
      limits: row.limits === '' ? undefined : readCallLimits(row.limits),
      setting: row.setting,
    },
  };
}

/** What a record takes, by what its parts were measured to take: owners decide how long their lists are. */
function kilobytes({ modelLimits, allowIps, denyIps, policy, user }: KeyRecord): number {
  const ranges = 300 * ((allowIps?.size ?? 0) + (denyIps?.size ?? 0));
  const texts = 2 * (user.setting.length + (policy?.deny_ips.length ?? 0));
  let names = 0;
  for (const name of modelLimits ?? []) names += 40 + 2 * name.length;
  return Math.ceil((700 + ranges + texts + names) / 1024);
}

async function markExpired({ db, changes }: KeyringDeps, tokenId: number, now: number): Promise<void> {
  const changed = await db.transaction(async (tx) => {
    const result = await tx.query
      .updateTable('token')
      .set({ status: tokenStatus.expired })
      .where('id', '=', tokenId)
      .where('status', '=', tokenStatus.enabled)
      .where('expired_at', '>=', 0)
      .where('expired_at', '<', now)
      .executeTakeFirst();
    if (result.numUpdatedRows === 0n) return false;
    await tx.perform(notifyChange('token', String(tokenId), now));
    return true;
  });
  if (changed) changes.notify();
}
