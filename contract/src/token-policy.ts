import * as z from 'zod/mini';
import { mostAmount } from './fields.ts';

const count = z._default(z.number().check(z.int(), z.minimum(0), z.maximum(1_000_000_000)), 0);
const amount = z._default(z.number().check(z.int(), z.minimum(0), z.maximum(mostAmount)), 0);
const short = z._default(z.string().check(z.trim(), z.maxLength(255)), '');

/** How much may be asked for; 0 = no limit. Days and months are those of UTC; quotas are in quota units. */
export const callLimitFields = {
  /** Requests and tokens in any minute. */
  rpm: count,
  tpm: count,
  /** Requests a day. */
  rpd: count,
  quota_day: amount,
  quota_month: amount,
  /** Calls that run at the same time. */
  concurrency: count,
};
const callLimits = z.object(callLimitFields);
export type CallLimits = z.infer<typeof callLimits>;

/** What a token may do beside its quota (contract 5.7). Everything neutral: the token behaves as if it had none. */
export const tokenPolicyFields = {
  ...callLimitFields,
  /** One address or range a line; looked at before the allowed ones. */
  deny_ips: z._default(z.string().check(z.maxLength(65_536)), ''),
  /** So many calls in any so many seconds, and what who exceeds it is told ("" = the usual text). */
  rate_limit_enabled: z._default(z.boolean(), false),
  rate_limit_count: count,
  rate_limit_period: z._default(z.number().check(z.int(), z.minimum(0), z.maximum(604_800)), 0),
  rate_limit_message: short,
  /** Drawing: "" = as the path says. */
  mj_mode: z._default(z.enum(['', 'fast', 'relax', 'turbo']), ''),
  mj_image_mode: z._default(z.enum(['', 'origin', 'proxy', 'custom']), ''),
  mj_image_host: short,
  /** One more try with the backup channels when all others failed. */
  backup_pool_enabled: z._default(z.boolean(), false),
  /** Refuses what an upstream's dialect could only say with a loss. */
  strict_conversion: z._default(z.boolean(), false),
};
const tokenPolicy = z.object(tokenPolicyFields);
export type TokenPolicy = z.infer<typeof tokenPolicy>;

/** The policy of a token that has none. */
export const neutralPolicy: TokenPolicy = z.parse(tokenPolicy, {});

/** A stored policy; what is unreadable or absent is neutral. */
export function readTokenPolicy(text: string): TokenPolicy {
  return read(tokenPolicy, text) ?? neutralPolicy;
}

/** Stored limits of a user or a group; what is unreadable or absent limits nothing. */
export function readCallLimits(value: unknown): CallLimits {
  const result = typeof value === 'string' ? read(callLimits, value) : z.safeParse(callLimits, value).data;
  return result ?? z.parse(callLimits, {});
}

const strictCallLimits = z.strictObject(callLimitFields);

/** Why something is not the limits of a group, with the member that is at fault; undefined = it is. */
export function misfitOfLimits(value: unknown): string | undefined {
  const issue = z.safeParse(strictCallLimits, value).error?.issues[0];
  if (issue === undefined) return undefined;
  if (issue.code === 'unrecognized_keys') return `${issue.keys[0]}: unknown member`;
  const [member] = issue.path;
  return member === undefined ? 'not an object' : `${String(member)}: not a whole number from 0`;
}

function read<T>(schema: z.ZodMiniType<T>, text: string): T | undefined {
  if (text === '') return undefined;
  try {
    return z.safeParse(schema, JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
