import { neutralPolicy, type User, type UserUpdate } from '@tollgate/contract';
import * as z from 'zod/mini';
import { password_missing, users_quota_invalid, users_quota_reason_missing } from '../../i18n/generated/messages.ts';
import { type MoneyFormat, parseQuota, quotaToInput } from '../../lib/money.ts';
import {
  countFields,
  type LimitDraft,
  limitDraftOf,
  limitFaults,
  limitShape,
  moneyFields,
  toLimits,
} from '../../ui/form/call-limits.ts';
import { displayNameFault, newPasswordFault, usernameFault } from '../../ui/signin/rules.ts';

/** The editor's fields as people type them. */
export interface UserDraft extends LimitDraft {
  username: string;
  display_name: string;
  password: string;
  group: string;
  quota: string;
  /** Why the quota is changed. */
  quota_reason: string;
}

const noLimits = limitDraftOf(neutralPolicy, { quotaPerUnit: 1, inCurrency: false });
export const newUser: UserDraft = {
  username: '',
  display_name: '',
  password: '',
  group: '',
  quota: '',
  quota_reason: '',
  ...noLimits,
};

export const draftOf = (user: User, format: MoneyFormat): UserDraft => ({
  username: user.username,
  display_name: user.display_name,
  password: '',
  group: user.group,
  quota: quotaToInput(Math.max(0, user.quota), format),
  quota_reason: '',
  ...limitDraftOf(user.limits, format),
});

function passwordFault(password: string, isNew: boolean): string | undefined {
  if (password === '') return isNew ? password_missing() : undefined;
  return newPasswordFault(password);
}

const lacksReason = (draft: UserDraft, before: UserDraft, format: MoneyFormat): boolean =>
  draft.quota_reason.trim() === '' && parseQuota(draft.quota, format) !== parseQuota(before.quota, format);

function faultsOf(draft: UserDraft, before: UserDraft | undefined, format: MoneyFormat): [keyof UserDraft, string | undefined][] {
  // Names that stay may be longer than new ones: imported, or given by a provider.
  const keepsName = draft.username !== '' && draft.username === before?.username;
  return [
    ['username', keepsName ? undefined : usernameFault(draft.username)],
    ['display_name', draft.display_name === before?.display_name ? undefined : displayNameFault(draft.display_name)],
    ['password', passwordFault(draft.password, before === undefined)],
    ['quota', before && parseQuota(draft.quota, format) === undefined ? users_quota_invalid() : undefined],
    ['quota_reason', before && lacksReason(draft, before, format) ? users_quota_reason_missing() : undefined],
    ...limitFaults(draft, format),
  ];
}

/** The form's rules. `before`: the user as loaded; absent for a new one. */
export function userSchema(before: UserDraft | undefined, format: MoneyFormat) {
  return z
    .object({
      username: z.string(),
      display_name: z.string(),
      password: z.string(),
      group: z.string(),
      quota: z.string(),
      quota_reason: z.string(),
      ...limitShape,
    })
    .check((context) => {
      for (const [field, message] of faultsOf(context.value, before, format)) {
        if (message !== undefined) context.issues.push({ code: 'custom', path: [field], message, input: context.value[field] });
      }
    });
}

/** What is sent: only what differs, so that nothing changes that was not edited. Undefined when nothing was. */
export function changeOf(user: User, draft: UserDraft, format: MoneyFormat): UserUpdate | undefined {
  const before = draftOf(user, format);
  const changed = (name: 'username' | 'display_name' | 'group') =>
    draft[name].trim() === before[name] ? '' : draft[name].trim();
  const quota = draft.quota.trim() === before.quota ? undefined : parseQuota(draft.quota, format);
  const limited = [...countFields, ...moneyFields].some((name) => draft[name].trim() !== before[name]);
  const change = {
    username: changed('username'),
    display_name: changed('display_name'),
    group: changed('group'),
    password: draft.password,
    // With the figure that it replaces: what is paid in or spent meanwhile stays so.
    ...(quota === undefined || quota === user.quota
      ? {}
      : {
          quota,
          seen_quota: Math.max(0, user.quota),
          seen_version: user.quota_version,
          quota_reason: draft.quota_reason.trim(),
        }),
    ...(limited ? { limits: toLimits(draft, format) } : {}),
  };
  return Object.values(change).some((value) => value !== '') ? { id: user.id, ...change } : undefined;
}
