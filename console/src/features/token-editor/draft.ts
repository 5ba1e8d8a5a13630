import { neutralPolicy, never, type Token, type TokenChange, type TokenInput, tokenBounds } from '@tollgate/contract';
import * as z from 'zod/mini';
import {
  channel_models_missing,
  token_count_invalid,
  token_expiry_invalid,
  token_models_many,
  token_name_missing,
  token_name_too_long,
  token_quota_invalid,
} from '../../i18n/generated/messages.ts';
import { joinList, splitLines, splitList } from '../../lib/lists.ts';
import { type MoneyFormat, parseQuota, quotaToInput } from '../../lib/money.ts';
import { randomAlphanumerics } from '../../lib/random.ts';
import { formatTime, parseTime } from '../../lib/time.ts';
import { ipListFault, type PolicyDraft, policyDraftOf, policyFaults, policyShape, toPolicy } from './policy.ts';

const maxNameLength = 30;
/** What tells several new tokens apart: a dash and so many random characters behind the name. */
const suffixLength = 6;
export const maxCount = 100;
const newQuota = 500_000;

/** The editor's fields as people type them. */
export interface TokenDraft extends PolicyDraft {
  name: string;
  /** `yyyy-MM-dd HH:mm:ss`; empty or -1 = never. */
  expires: string;
  quota: string;
  unlimited: boolean;
  count: string;
  limitModels: boolean;
  models: string[];
  ips: string;
  group: string;
}

export const newDraft = (format: MoneyFormat, group: string): TokenDraft => ({
  name: '',
  expires: '',
  quota: quotaToInput(newQuota, format),
  unlimited: false,
  count: '1',
  limitModels: false,
  models: [],
  ips: '',
  group,
  ...policyDraftOf(neutralPolicy, format),
});

export const draftOf = (token: Token, format: MoneyFormat): TokenDraft => ({
  name: token.name,
  expires: token.expired_time === never ? '' : formatTime(token.expired_time),
  quota: quotaToInput(Math.max(0, token.remain_quota), format),
  unlimited: token.unlimited_quota,
  count: '1',
  limitModels: token.model_limits_enabled,
  models: splitList(token.model_limits),
  ips: token.allow_ips ?? '',
  group: token.group,
  ...policyDraftOf(token, format),
});

/** Unix seconds, -1 for never, undefined for what is no time. */
export function parseExpiry(text: string): number | undefined {
  const trimmed = text.trim();
  return trimmed === '' || trimmed === String(never) ? never : parseTime(trimmed);
}

/** An expiry so many seconds from now, as text. */
export const expiryIn = (seconds: number, now: number): string => formatTime(now + seconds);

function faultsOf(draft: TokenDraft, before: TokenDraft | undefined, format: MoneyFormat): [keyof TokenDraft, string][] {
  const faults: [keyof TokenDraft, string][] = [];
  const name = draft.name.trim();
  const count = Number(draft.count);
  if (name === '') faults.push(['name', token_name_missing()]);
  const max = !draft.unlimited && count > 1 ? maxNameLength - suffixLength - 1 : maxNameLength;
  // One that stays may be longer: it was imported.
  if (name !== before?.name && [...name].length > max) faults.push(['name', token_name_too_long({ max })]);
  if (parseExpiry(draft.expires) === undefined) faults.push(['expires', token_expiry_invalid()]);
  if (!draft.unlimited && parseQuota(draft.quota, format) === undefined) faults.push(['quota', token_quota_invalid()]);
  if (!draft.unlimited && !(Number.isInteger(count) && count >= 1 && count <= maxCount)) {
    faults.push(['count', token_count_invalid({ max: maxCount })]);
  }
  // A list may stay as long as it is: imported ones are longer.
  const tooMany = draft.limitModels && draft.models.length > Math.max(tokenBounds.models, before?.models.length ?? 0);
  if (tooMany) faults.push(['models', token_models_many({ max: tokenBounds.models })]);
  // Without any it could call nothing, which nobody means who forgets to choose.
  const isBarred = draft.limitModels && draft.models.length === 0;
  if (isBarred && !(before?.limitModels && before.models.length === 0)) faults.push(['models', channel_models_missing()]);
  const badAddresses = ipListFault(draft.ips, before?.ips);
  if (badAddresses !== undefined) faults.push(['ips', badAddresses]);
  faults.push(...policyFaults(draft, before, format));
  return faults;
}

/**
 * The form's rules. Fields that the unlimited switch disables are not judged. `before`: the token as loaded; absent for a
 * new one.
 */
export function tokenSchema(format: MoneyFormat, before?: TokenDraft) {
  return z
    .object({
      name: z.string(),
      expires: z.string(),
      quota: z.string(),
      unlimited: z.boolean(),
      count: z.string(),
      limitModels: z.boolean(),
      models: z.array(z.string()),
      ips: z.string(),
      group: z.string(),
      ...policyShape,
    })
    .check((context) => {
      for (const [field, message] of faultsOf(context.value, before, format)) {
        context.issues.push({ code: 'custom', path: [field], message, input: context.value[field] });
      }
    });
}

/** What is sent for a valid draft of a new token. */
export function toInput(draft: TokenDraft, format: MoneyFormat): TokenInput {
  return {
    name: draft.name.trim(),
    expired_time: parseExpiry(draft.expires) ?? never,
    remain_quota: draft.unlimited ? 0 : (parseQuota(draft.quota, format) ?? 0),
    unlimited_quota: draft.unlimited,
    model_limits_enabled: draft.limitModels,
    model_limits: joinList(draft.models),
    allow_ips: splitLines(draft.ips).join('\n'),
    group: draft.group,
    ...toPolicy(draft, format),
  };
}

/**
 * What a token's quota is changed to: nothing while neither its text nor its switch were touched. A new figure goes with the
 * one that it replaces, so that what is spent meanwhile stays spent, and the same change is applied once.
 */
function quotaChange(token: Token, draft: TokenDraft, format: MoneyFormat): Omit<TokenChange, 'id' | 'name'> {
  const wasUnlimited = token.unlimited_quota;
  if (draft.unlimited) return wasUnlimited ? {} : { unlimited_quota: true };
  const remain = { remain_quota: parseQuota(draft.quota, format) ?? 0 };
  const version = { seen_version: token.quota_version };
  if (wasUnlimited) return { unlimited_quota: false, ...remain, ...version };
  const seen = Math.max(0, token.remain_quota);
  return remain.remain_quota === seen ? {} : { ...remain, seen_remain_quota: seen, ...version };
}

/** What is sent for a valid draft of this token, as it was loaded: its name and what differs. */
export function changeOf(token: Token, draft: TokenDraft, format: MoneyFormat): TokenChange {
  const { remain_quota: _, unlimited_quota: __, name, ...input } = toInput(draft, format);
  const before: Partial<TokenInput> = toInput(draftOf(token, format), format);
  const differing: Partial<TokenInput> = Object.fromEntries(
    Object.entries(input).filter(([field, value]) => value !== before[field as keyof TokenInput]),
  );
  return { id: token.id, name, ...differing, ...quotaChange(token, draft, format) };
}

/** One input per token to create: the first keeps the plain name, the others get a dash and six random characters. */
export function toInputs(draft: TokenDraft, format: MoneyFormat): TokenInput[] {
  const input = toInput(draft, format);
  const count = draft.unlimited ? 1 : Number(draft.count);
  return Array.from({ length: count }, (_, index) =>
    index === 0 ? input : { ...input, name: `${input.name}-${randomAlphanumerics(suffixLength)}` },
  );
}
