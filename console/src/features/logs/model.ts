import { logType } from '@tollgate/contract';
import {
  log_type_admin,
  log_type_consume,
  log_type_error,
  log_type_refund,
  log_type_topup,
  log_type_unknown,
  nav_part_system,
} from '../../i18n/generated/messages.ts';
import type { Tone } from '../../ui/Badge.tsx';

const types: Record<number, { text: () => string; tone: Tone }> = {
  [logType.topup]: { text: log_type_topup, tone: 'info' },
  [logType.consume]: { text: log_type_consume, tone: 'ok' },
  [logType.admin]: { text: log_type_admin, tone: 'warn' },
  [logType.system]: { text: nav_part_system, tone: 'violet' },
  [logType.error]: { text: log_type_error, tone: 'bad' },
  [logType.refund]: { text: log_type_refund, tone: 'accent' },
};
export const typeChoices = Object.keys(types).map(Number);
export const typeOf = (type: number): { text: string; tone: Tone } => {
  const known = types[type];
  return known ? { text: known.text(), tone: known.tone } : { text: log_type_unknown(), tone: 'grey' };
};

const bySteps = (value: number, good: number, fair: number): Tone => (value < good ? 'ok' : value < fair ? 'warn' : 'bad');
/** Whole seconds: below 101 green, below 300 orange, else red. */
export const durationTone = (seconds: number): Tone => bySteps(seconds, 101, 300);
/** Seconds until the first token: below 3 green, below 10 orange, else red. */
export const firstTokenTone = (seconds: number): Tone => bySteps(seconds, 3, 10);
export const isCharge = (type: number): boolean => type === logType.consume;
