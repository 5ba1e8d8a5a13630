import { maxRedemptionsPerBatch, mostAmount, type Redemption, type RedemptionInput } from '@tollgate/contract';
import * as z from 'zod/mini';
import {
  redemption_count_missing,
  redemption_count_over,
  redemption_name_long,
  redemption_quota_invalid,
} from '../../i18n/generated/messages.ts';
import { formatQuota, type MoneyFormat, parseQuota, quotaToInput } from '../../lib/money.ts';

const newQuota = 100_000;
const maxNameLength = 20;

/** The editor's fields as people type them. */
export interface RedemptionDraft {
  /** Empty: the amount becomes the name. */
  name: string;
  quota: string;
  count: string;
}

export const newDraft = (format: MoneyFormat): RedemptionDraft => ({
  name: '',
  quota: quotaToInput(newQuota, format),
  count: '1',
});

export const draftOf = (row: Redemption, format: MoneyFormat): RedemptionDraft => ({
  name: row.name,
  quota: quotaToInput(row.quota, format),
  count: '1',
});

function countFault(text: string): string | undefined {
  const count = /^\d{1,9}$/.test(text.trim()) ? Number(text) : 0;
  if (count < 1) return redemption_count_missing();
  return count > maxRedemptionsPerBatch ? redemption_count_over({ max: maxRedemptionsPerBatch }) : undefined;
}

function faultsOf(draft: RedemptionDraft, format: MoneyFormat): [keyof RedemptionDraft, string | undefined][] {
  const quota = parseQuota(draft.quota, format) ?? 0;
  return [
    ['name', [...draft.name.trim()].length > maxNameLength ? redemption_name_long() : undefined],
    ['quota', quota < 1 || quota > mostAmount ? redemption_quota_invalid() : undefined],
    ['count', countFault(draft.count)],
  ];
}

export function redemptionSchema(format: MoneyFormat) {
  return z.object({ name: z.string(), quota: z.string(), count: z.string() }).check((context) => {
    for (const [field, message] of faultsOf(context.value, format)) {
      if (message !== undefined) context.issues.push({ code: 'custom', path: [field], message, input: context.value[field] });
    }
  });
}

/** What is sent for a valid draft. */
export function toInput(draft: RedemptionDraft, format: MoneyFormat): RedemptionInput {
  const quota = parseQuota(draft.quota, format) ?? 0;
  const name = draft.name.trim() || formatQuota(quota, format).slice(0, maxNameLength);
  return { name, quota, count: Number(draft.count) };
}
