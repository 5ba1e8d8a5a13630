import type { RouteCandidate } from '@tollgate/contract';
import {
  route_reason_auto_disabled,
  route_reason_breaker_open,
  route_reason_disabled,
  route_reason_excluded,
  route_reason_in,
  route_reason_unusable,
} from '../../i18n/generated/messages.ts';
import type { Tone } from '../Badge.tsx';

const reasons: Record<RouteCandidate['reason'], { text: () => string; tone: Tone }> = {
  '': { text: route_reason_in, tone: 'ok' },
  disabled: { text: route_reason_disabled, tone: 'bad' },
  auto_disabled: { text: route_reason_auto_disabled, tone: 'warn' },
  excluded: { text: route_reason_excluded, tone: 'grey' },
  breaker_open: { text: route_reason_breaker_open, tone: 'bad' },
  unusable: { text: route_reason_unusable, tone: 'grey' },
};

/** Why a channel is asked or not, as a word and its colour. */
export function reasonOf({ reason }: { reason: string }): { text: string; tone: Tone } {
  const { text, tone } = reasons[reason as RouteCandidate['reason']] ?? { text: () => reason, tone: 'grey' };
  return { text: text(), tone };
}

/** Parts of a score are compared, not calculated with: four digits tell them apart. */
export const formatScore = (value: number): string => (Number.isFinite(value) ? String(Number(value.toPrecision(4))) : '∞');
