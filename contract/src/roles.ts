import type { Token } from './token.ts';

/** User roles as stored and sent (spec 1, section 6). */
export const role = { guest: 0, common: 1, admin: 10, root: 100 } as const;
export type Role = (typeof role)[keyof typeof role];

export const userStatus = { enabled: 1, disabled: 2, locked: 3 } as const;
/** What users are filtered by: who deregistered is nothing else any more. */
export const shownUserStatus = { ...userStatus, gone: 4 } as const;
export const channelStatus = { unknown: 0, enabled: 1, disabled: 2, autoDisabled: 3 } as const;
export const tokenStatus = { enabled: 1, disabled: 2, expired: 3, exhausted: 4 } as const;
export const logType = { unknown: 0, topup: 1, consume: 2, admin: 3, system: 4, error: 5, refund: 6 } as const;

/** A search for channels: an id, a part of a name, or a whole key, of which the longest are files of service accounts. */
export const maxChannelKeyword = 4096;

export const longestChannelName = 255;
/** The name of a copied channel: where it would be too long it loses of the first one's, never what tells the two apart. */
export function nameOfCopy(name: string, suffix: string): string {
  return name.slice(0, longestChannelName - suffix.length).replace(/\p{Cs}$/u, '') + suffix;
}

/** Channels in an answer by tags: of more the last ones are left out. */
export const mostTagged = 5000;

/** Quota units per US dollar when the option QuotaPerUnit was never changed. */
export const defaultQuotaPerUnit = 500_000;
/** `expired_time` of a token that never expires. */
export const never = -1;
/** Token group that walks the option AutoGroups. */
export const autoGroup = 'auto';

/**
 * What a token is at `now`, Unix seconds: its `status` says that it has expired once somebody has tried to use it (contract
 * 5.2), and who looks at it should not have to wait for that.
 */
export function tokenStatusAt({ status, expired_time }: Pick<Token, 'status' | 'expired_time'>, now: number): number {
  const isOver = status === tokenStatus.enabled && expired_time !== never && expired_time < now;
  return isOver ? tokenStatus.expired : status;
}
