import { type CallLimits, mostAmount } from '@tollgate/contract';
import * as z from 'zod/mini';
import { policy_limit_invalid, policy_money_invalid } from '../../i18n/generated/messages.ts';
import { type MoneyFormat, parseQuota, plainDigits, quotaToInput } from '../../lib/money.ts';

export const maxCount = 1_000_000_000;

/** How much may be asked for, as people type it. What is empty does not limit. */
export const limitShape = {
  rpm: z.string(),
  tpm: z.string(),
  rpd: z.string(),
  concurrency: z.string(),
  quotaDay: z.string(),
  quotaMonth: z.string(),
};
export type LimitField = keyof typeof limitShape;
export type LimitDraft = Record<LimitField, string>;

export const countFields = ['rpm', 'tpm', 'rpd', 'concurrency'] as const;
export const moneyFields = ['quotaDay', 'quotaMonth'] as const;

/** A count as it is typed: none for 0. */
export const shownCount = (count: number): string => (count === 0 ? '' : String(count));
const shownMoney = (quota: number, format: MoneyFormat): string => (quota === 0 ? '' : quotaToInput(quota, format));

export const limitDraftOf = (limits: CallLimits, format: MoneyFormat): LimitDraft => ({
  rpm: shownCount(limits.rpm),
  tpm: shownCount(limits.tpm),
  rpd: shownCount(limits.rpd),
  concurrency: shownCount(limits.concurrency),
  quotaDay: shownMoney(limits.quota_day, format),
  quotaMonth: shownMoney(limits.quota_month, format),
});

/** A whole number up to `max`; empty is 0, undefined what is none. */
export function parseCount(text: string, max: number): number | undefined {
  const digits = plainDigits(text);
  if (digits === '') return 0;
  const count = /^\d{1,10}$/.test(digits) ? Number(digits) : Number.NaN;
  return count <= max ? count : undefined;
}

function parseMoney(text: string, format: MoneyFormat): number | undefined {
  if (text.trim() === '') return 0;
  const quota = parseQuota(text, format);
  return quota !== undefined && quota <= mostAmount ? quota : undefined;
}

export function limitFaults(draft: LimitDraft, format: MoneyFormat): [LimitField, string][] {
  const counts = countFields.filter((field) => parseCount(draft[field], maxCount) === undefined);
  const sums = moneyFields.filter((field) => parseMoney(draft[field], format) === undefined);
  return [
    ...counts.map((field): [LimitField, string] => [field, policy_limit_invalid()]),
    ...sums.map((field): [LimitField, string] => [field, policy_money_invalid()]),
  ];
}

/** What is sent for a valid draft. */
export const toLimits = (draft: LimitDraft, format: MoneyFormat): CallLimits => ({
  rpm: parseCount(draft.rpm, maxCount) ?? 0,
  tpm: parseCount(draft.tpm, maxCount) ?? 0,
  rpd: parseCount(draft.rpd, maxCount) ?? 0,
  concurrency: parseCount(draft.concurrency, maxCount) ?? 0,
  quota_day: parseMoney(draft.quotaDay, format) ?? 0,
  quota_month: parseMoney(draft.quotaMonth, format) ?? 0,
});
