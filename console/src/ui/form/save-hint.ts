import { ApiError, isUnanswered } from '../../api/errors.ts';
import { fault_expired, fault_unknown } from '../../i18n/generated/messages.ts';

export const isExpired = (error: unknown): boolean => error instanceof ApiError && error.status === 401;

/** With a 503 our own server says that it did nothing. */
const isUnknown = (error: unknown): boolean => isUnanswered(error) && error instanceof ApiError && error.status !== 503;

/** What to do after a save that failed, beside what was said: to sign in elsewhere, or to look before it is done twice; "" = nothing. */
export function saveHint(error: unknown): string {
  if (isExpired(error)) return fault_expired();
  return isUnknown(error) ? fault_unknown() : '';
}
