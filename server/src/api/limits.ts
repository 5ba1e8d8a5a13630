import type { ClientAddress } from '../platform/client-ip.ts';
import { PublicError } from '../platform/errors.ts';
import type { Claim, Limiter, LimitRule } from '../platform/limiter/memory.ts';
import type { AnyRoute } from './types.ts';

/** Who a request counts for: the user once known, the address until then. */
export interface Counted {
  route: Pick<AnyRoute, 'method' | 'path'>;
  address: ClientAddress;
  userId: number | undefined;
}

/** The rate limits of the console API, beside those that services keep for codes, mails and passwords. */
export interface ApiLimits {
  /** Throws PublicError `too_many_requests` with the seconds to wait. */
  count(request: Counted): Promise<void>;
  /** Runs what is limited by its successes: a refusal gives the places back. Throws like `count`. */
  countSuccess<T>(request: Counted, run: () => Promise<T>): Promise<T>;
  /** Notifications of payment services: many from one address are usual. Throws like `count`. */
  countNotice(address: ClientAddress): Promise<void>;
  /** Redemptions of codes that nobody made; whatever else becomes of `run` gives the place back. Throws like `count`. */
  countFailedRedeem<T>(userId: number, run: () => Promise<T>): Promise<T>;
}

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const anyUser: LimitRule = { limit: 300, windowMs: 3 * minuteMs };
const anyAddress: LimitRule = { limit: 180, windowMs: 3 * minuteMs };

const anyNotice: LimitRule = { limit: 1200, windowMs: minuteMs };
const failedRedeems: LimitRule = { limit: 10, windowMs: hourMs };

interface RouteLimit {
  name: string;
  per: 'user' | 'address';
  rule: LimitRule;
  /** Refused calls do not count. */
  successes?: true;
}

const search: RouteLimit = { name: 'search', per: 'user', rule: { limit: 30, windowMs: minuteMs } };
/** Each stores something that somebody may redeem. */
const thirdPartyStart: RouteLimit = { name: 'third-party-start', per: 'address', rule: { limit: 40, windowMs: 10 * minuteMs } };
/** Each answers what was asked for before; beyond that somebody fills the audit log with failures. */
const passkeyUse: RouteLimit = { ...thirdPartyStart, name: 'passkey-login' };
const thirdParty: RouteLimit = { name: 'third-party', per: 'address', rule: { limit: 20, windowMs: 10 * minuteMs } };

const payment: RouteLimit = { name: 'pay', per: 'user', rule: { limit: 10, windowMs: hourMs } };

/** What single routes are limited by, beside the limit of all. Names that occur twice share one count. */
export const routeLimits: Readonly<Record<string, readonly RouteLimit[]>> = {
  'POST /api/user/register': [
    { name: 'register-try', per: 'address', rule: { limit: 20, windowMs: 20 * minuteMs } },
    { name: 'register-hour', per: 'address', rule: { limit: 3, windowMs: hourMs }, successes: true },
    { name: 'register-day', per: 'address', rule: { limit: 10, windowMs: dayMs }, successes: true },
  ],
  'GET /api/user/search': [search],
  'GET /api/channel/search': [search],
  'GET /api/channel/test/:id': [{ name: 'channel-test', per: 'user', rule: { limit: 10, windowMs: minuteMs } }],
  'GET /api/token/search': [search],
  'POST /api/user/topup': [{ name: 'redeem', per: 'address', rule: { limit: 30, windowMs: hourMs } }],
  'POST /api/user/pay': [payment],
  'POST /api/user/checkout': [payment],
  'POST /api/user/notifications/test': [{ name: 'notify-test', per: 'user', rule: { limit: 10, windowMs: 10 * minuteMs } }],
  'GET /api/user/wxpusher/qrcode': [{ name: 'wxpusher-code', per: 'user', rule: { limit: 20, windowMs: 10 * minuteMs } }],
  'GET /api/redemption/search': [search],
  'GET /api/log/search': [search],
  'GET /api/log/self/search': [search],
  'GET /api/oauth/state': [thirdPartyStart],
  'GET /api/oauth/authorize': [thirdPartyStart],
  'POST /api/user/passkey/login/options': [thirdPartyStart],
  'POST /api/user/passkey/login': [passkeyUse],
  'POST /api/user/reset': [{ name: 'reset', per: 'address', rule: { limit: 20, windowMs: 20 * minuteMs } }],
  ...Object.fromEntries(
    ['github', 'linuxdo', 'oidc', 'wechat', 'wechat/bind', 'telegram/login', 'telegram/bind', 'email/bind'].map((path) => [
      `GET /api/oauth/${path}`,
      [thirdParty],
    ]),
  ),
};

export function createApiLimits(limiter: Limiter): ApiLimits {
  const take = async (claims: readonly Claim[]): Promise<() => void> => {
    if (claims.length === 0) return () => {};
    const verdict = await limiter.take(claims);
    if (!verdict.ok) throw new PublicError('too_many_requests', {}, verdict.retryAfterSeconds);
    return verdict.refund;
  };
  return {
    async count(request) {
      const { address, userId } = request;
      const all: Claim =
        userId === undefined
          ? { key: `api/ip/${address.limitKey}`, rule: anyAddress }
          : { key: `api/user/${userId}`, rule: anyUser };
      await take([all, ...claimsOf(request, false)]);
    },
    async countNotice({ limitKey }) {
      await take([{ key: `api/notice/${limitKey}`, rule: anyNotice }]);
    },
    async countFailedRedeem(userId, run) {
      const refund = await take([{ key: `api/redeem-failed/${userId}`, rule: failedRedeems }]);
      const result = await run().catch((error: unknown) => {
        // Whoever names a code that is there has it, and what could not be judged, as in an outage, was no guess.
        if (!(error instanceof PublicError && error.code === 'redeem_unknown')) refund();
        throw error;
      });
      refund();
      return result;
    },
    async countSuccess(request, run) {
      const refund = await take(claimsOf(request, true));
      try {
        return await run();
      } catch (error) {
        refund();
        throw error;
      }
    },
  };
}

function claimsOf({ route, address, userId }: Counted, successes: boolean): Claim[] {
  const limits = routeLimits[`${route.method} ${route.path}`] ?? [];
  return limits
    .filter((limit) => (limit.successes ?? false) === successes)
    .map(({ name, per, rule }) => {
      const subject = per === 'user' && userId !== undefined ? `user/${userId}` : `ip/${address.limitKey}`;
      return { key: `api/${name}/${subject}`, rule };
    });
}
