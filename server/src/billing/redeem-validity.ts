import { redemptionStatus, shownRedemptionStatus } from '@tollgate/contract';
import type { ExpressionBuilder } from 'kysely';
import type { Schema } from '../storage/schema.ts';

type Build = ExpressionBuilder<Schema, 'redemption'>;

/** Unused, and not too late; whether it is deleted stands apart. */
export function isOpen(build: Build, now: number) {
  const lasts = build.or([build('expires_at', '=', 0), build('expires_at', '>', now)]);
  return build.and([build('status', '=', redemptionStatus.unused), lasts]);
}

/** `status`: one of `shownRedemptionStatus`. */
export function isShownAs(build: Build, status: number, now: number) {
  if (status === shownRedemptionStatus.unused) return isOpen(build, now);
  if (status !== shownRedemptionStatus.expired) return build('status', '=', status);
  return build.and([build('status', '=', redemptionStatus.unused), build.not(isOpen(build, now))]);
}
