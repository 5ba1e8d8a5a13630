import { type TokenPolicy, tokenBounds } from '@tollgate/contract';
import * as z from 'zod/mini';
import {
  policy_host_invalid,
  policy_rate_missing,
  policy_rate_period_long,
  token_ip_invalid,
  token_ips_many,
} from '../../i18n/generated/messages.ts';
import { addressesIn, invalidAddresses } from '../../lib/ip.ts';
import { splitLines } from '../../lib/lists.ts';
import type { MoneyFormat } from '../../lib/money.ts';
import { limitDraftOf, limitFaults, limitShape, maxCount, parseCount, shownCount, toLimits } from '../../ui/form/call-limits.ts';

const maxPeriodSeconds = 604_800;

/** The fields behind the advanced fold, as people type them. A limit that is empty does not limit. */
export const policyShape = {
  denyIps: z.string(),
  ...limitShape,
  rateOn: z.boolean(),
  rateCount: z.string(),
  ratePeriod: z.string(),
  rateMessage: z.string(),
  mjMode: z.enum(['', 'fast', 'relax', 'turbo']),
  mjImage: z.enum(['', 'origin', 'proxy', 'custom']),
  mjHost: z.string(),
  backup: z.boolean(),
  strict: z.boolean(),
};
const policySchema = z.object(policyShape);
export type PolicyDraft = z.infer<typeof policySchema>;
export type PolicyField = keyof PolicyDraft;

export const policyDraftOf = (policy: TokenPolicy, format: MoneyFormat): PolicyDraft => ({
  denyIps: policy.deny_ips,
  ...limitDraftOf(policy, format),
  rateOn: policy.rate_limit_enabled,
  rateCount: shownCount(policy.rate_limit_count),
  ratePeriod: shownCount(policy.rate_limit_period),
  rateMessage: policy.rate_limit_message,
  mjMode: policy.mj_mode,
  mjImage: policy.mj_image_mode,
  mjHost: policy.mj_image_host,
  backup: policy.backup_pool_enabled,
  strict: policy.strict_conversion,
});

const isWebAddress = (text: string): boolean => /^https?:$/.test(URL.parse(text.trim())?.protocol ?? '');

function rateFaults(draft: PolicyDraft): [PolicyField, string][] {
  if (!draft.rateOn) return [];
  const faults: [PolicyField, string][] = [];
  if (!parseCount(draft.rateCount, maxCount)) faults.push(['rateCount', policy_rate_missing()]);
  const period = parseCount(draft.ratePeriod, maxCount);
  if (!period) faults.push(['ratePeriod', policy_rate_missing()]);
  else if (period > maxPeriodSeconds) faults.push(['ratePeriod', policy_rate_period_long()]);
  return faults;
}

/** What is wrong with a list of addresses, which may stay as long as it was before. */
export function ipListFault(text: string, before = ''): string | undefined {
  const [bad] = invalidAddresses(text);
  if (bad !== undefined) return token_ip_invalid({ entry: bad });
  const max = tokenBounds.addressesOfList;
  const isLonger = addressesIn(text).length > Math.max(max, addressesIn(before).length);
  return isLonger ? token_ips_many({ max }) : undefined;
}

/** What is wrong behind the fold. A rate that is switched off and a host that is not used are not judged. */
export function policyFaults(draft: PolicyDraft, before: PolicyDraft | undefined, format: MoneyFormat): [PolicyField, string][] {
  const faults = rateFaults(draft);
  const badAddresses = ipListFault(draft.denyIps, before?.denyIps);
  if (badAddresses !== undefined) faults.push(['denyIps', badAddresses]);
  faults.push(...limitFaults(draft, format));
  if (draft.mjImage === 'custom' && !isWebAddress(draft.mjHost)) faults.push(['mjHost', policy_host_invalid()]);
  return faults;
}

/** What is sent for a valid draft; what a switch hides keeps its value where that is one. */
export function toPolicy(draft: PolicyDraft, format: MoneyFormat): TokenPolicy {
  const count = (text: string, max = maxCount) => parseCount(text, max) ?? 0;
  return {
    deny_ips: splitLines(draft.denyIps).join('\n'),
    ...toLimits(draft, format),
    rate_limit_enabled: draft.rateOn,
    rate_limit_count: count(draft.rateCount),
    rate_limit_period: count(draft.ratePeriod, maxPeriodSeconds),
    rate_limit_message: draft.rateMessage.trim(),
    mj_mode: draft.mjMode,
    mj_image_mode: draft.mjImage,
    mj_image_host: draft.mjHost.trim(),
    backup_pool_enabled: draft.backup,
    strict_conversion: draft.strict,
  };
}
