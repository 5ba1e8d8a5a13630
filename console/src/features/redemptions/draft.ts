import { maxRedemptionsPerBatch, mostAmount, type Redemption, type RedemptionInput } from '@tollgate/contract';
import * as z from 'zod/mini';
import {
  redemption_count_missing,
  redemption_count_over,
  redemption_name_long,
  redemption_per_user_invalid,
  redemption_quota_invalid,
  token_expiry_invalid,
} from '../../i18n/generated/messages.ts';
import { formatQuota, type MoneyFormat, parseQuota, quotaToInput } from '../../lib/money.ts';
import { formatTime, parseTime } from '../../lib/time.ts';

const newQuota = 100_000;
const maxNameLength = 20;

/** The editor's fields as people type them. */
export interface RedemptionDraft {
  /** Empty: the amount becomes the name. */
  name: string;
  quota: string;
  count: string;
  /** `yyyy-MM-dd HH:mm:ss`; empty = never. */
  expires: string;
  /** Empty = any number. */
  perUser: string;
  /** Whether end and limit go to all unused codes of the name. */
  wholeCampaign: boolean;
}

export const newDraft = (format: MoneyFormat): RedemptionDraft => ({
  name: '',
  quota: quotaToInput(newQuota, format),
  count: '1',
  expires: '',
  perUser: '',
  wholeCampaign: false,
});

export const draftOf = (row: Redemption, format: MoneyFormat): RedemptionDraft => ({
  name: row.name,
  quota: quotaToInput(row.quota, format),
  count: '1',
  expires: row.expired_time > 0 ? formatTime(row.expired_time) : '',
  perUser: row.per_user > 0 ? String(row.per_user) : '',
  wholeCampaign: false,
});

function countFault(text: string): string | undefined {
  const count = /^\d{1,9}$/.test(text.trim()) ? Number(text) : 0;
  if (count < 1) return redemption_count_missing();
  return count > maxRedemptionsPerBatch ? redemption_count_over({ max: maxRedemptionsPerBatch }) : undefined;
}

const expiryOf = ({ expires }: RedemptionDraft): number | undefined => (expires.trim() === '' ? 0 : parseTime(expires));

function faultsOf(draft: RedemptionDraft, format: MoneyFormat): [keyof RedemptionDraft, string | undefined][] {
  const quota = parseQuota(draft.quota, format) ?? 0;
  return [
    ['name', [...draft.name.trim()].length > maxNameLength ? redemption_name_long() : undefined],
    ['quota', quota < 1 || quota > mostAmount ? redemption_quota_invalid() : undefined],
    ['count', countFault(draft.count)],
    ['expires', expiryOf(draft) === undefined ? token_expiry_invalid() : undefined],
    ['perUser', /^(\d{0,6}|1000000)$/.test(draft.perUser.trim()) ? undefined : redemption_per_user_invalid()],
  ];
}

const text = z.string();

export function redemptionSchema(format: MoneyFormat) {
  const texts = { name: text, quota: text, count: text, expires: text, perUser: text };
  return z.object({ ...texts, wholeCampaign: z.boolean() }).check((context) => {
    for (const [field, message] of faultsOf(context.value, format)) {
      if (message !== undefined) context.issues.push({ code: 'custom', path: [field], message, input: context.value[field] });
    }
  });
}

/** What is sent for a valid draft. */
export function toInput(draft: RedemptionDraft, format: MoneyFormat): RedemptionInput {
  const quota = parseQuota(draft.quota, format) ?? 0;
  const name = draft.name.trim() || formatQuota(quota, format).slice(0, maxNameLength);
  return { name, quota, count: Number(draft.count), expired_time: expiryOf(draft) ?? 0, per_user: Number(draft.perUser) };
}
