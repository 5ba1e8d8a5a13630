import { type Redemption, redemptionStatus, shownRedemptionStatus } from '@tollgate/contract';
import {
  redemption_status_disabled,
  redemption_status_expired,
  redemption_status_unknown,
  redemption_status_unused,
  redemption_status_used,
} from '../../i18n/generated/messages.ts';
import { nowSeconds } from '../../lib/time.ts';
import type { Tone } from '../../ui/Badge.tsx';

/** Word and colour of a code's state. */
export function statusOf(status: number): { text: string; tone: Tone } {
  switch (status) {
    case redemptionStatus.unused:
      return { text: redemption_status_unused(), tone: 'ok' };
    case redemptionStatus.disabled:
      return { text: redemption_status_disabled(), tone: 'bad' };
    case redemptionStatus.used:
      return { text: redemption_status_used(), tone: 'grey' };
    case shownRedemptionStatus.expired:
      return { text: redemption_status_expired(), tone: 'warn' };
    default:
      return { text: redemption_status_unknown(), tone: 'grey' };
  }
}

/** What a list can be narrowed to. */
export const statuses = Object.values(shownRedemptionStatus);

/** Its state as the list is narrowed by: an unused code may have ended. */
export const shownStatusOf = ({ status, expired_time: ends }: Redemption): number =>
  status === redemptionStatus.unused && ends > 0 && ends <= nowSeconds() ? shownRedemptionStatus.expired : status;

export const maskedCode = (code: string): string => `${code.slice(0, 4)}…${code.slice(-4)}`;

/** What "copy selected" copies: name and code, a line each. */
export const copyLines = (rows: readonly Redemption[]): string => rows.map(({ name, key }) => `${name}    ${key}`).join('\n');
