import { type Channel, type ChannelInput, channelStatus, nameOfCopy } from '@tollgate/contract';
import {
  channel_copy_suffix,
  channel_reason,
  channel_response_failed,
  channel_response_untested,
  channel_status_auto,
  channel_status_disabled,
  channel_status_enabled,
  channel_status_unknown,
} from '../../i18n/generated/messages.ts';
import { channelType, channelTypeName } from '../../lib/channel-types.ts';
import { parseRecord } from '../../lib/json.ts';
import { formatTime } from '../../lib/time.ts';
import type { Tone } from '../../ui/Badge.tsx';
import { reasonText } from '../../ui/task/reasons.ts';

const typeTones: Record<string, Tone> = {
  green: 'ok',
  blue: 'accent',
  'light-blue': 'info',
  teal: 'info',
  indigo: 'violet',
  purple: 'violet',
  violet: 'violet',
  pink: 'violet',
  orange: 'warn',
  grey: 'grey',
};

/** Name and colour of a channel's type; a number for those that this console does not know. */
export function typeOf({ type }: Pick<Channel, 'type'>): { label: string; tone: Tone } {
  return { label: channelTypeName(type), tone: typeTones[channelType(type)?.color ?? ''] ?? 'grey' };
}

/** Word, colour and, where a channel was switched off by itself or lost its key, reason and time. */
export function statusOf(channel: Pick<Channel, 'status' | 'other_info'>): { text: string; tone: Tone; tip?: string } {
  switch (channel.status) {
    case channelStatus.enabled:
      return { text: channel_status_enabled(), tone: 'ok' };
    case channelStatus.disabled:
      return { text: channel_status_disabled(), tone: 'bad', tip: reasonOf(channel) };
    case channelStatus.autoDisabled:
      return { text: channel_status_auto(), tone: 'warn', tip: reasonOf(channel) };
    default:
      return { text: channel_status_unknown(), tone: 'grey' };
  }
}

function reasonOf(channel: Pick<Channel, 'other_info'>): string | undefined {
  const { status_reason: reason, status_time: time } = parseRecord(channel.other_info);
  if (typeof reason !== 'string' || reason === '') return undefined;
  return channel_reason({ reason: reasonText(reason), time: typeof time === 'number' ? formatTime(time) : '–' });
}

/** Up to 1 s green, 3 s lime, 5 s yellow, more red; 0 = never tested. Lime and yellow differ by their figures. */
export function responseOf(milliseconds: number, testTime: number): { text: string; tone: Tone } {
  if (testTime > 0 && milliseconds === 0) return { text: channel_response_failed(), tone: 'bad' };
  if (milliseconds === 0) return { text: channel_response_untested(), tone: 'grey' };
  const text = `${(milliseconds / 1000).toFixed(2)} s`;
  if (milliseconds <= 1000) return { text, tone: 'ok' };
  if (milliseconds <= 3000) return { text, tone: 'info' };
  return { text, tone: milliseconds <= 5000 ? 'warn' : 'bad' };
}

/** A priority typed in a row: an integer, never below -999; undefined when it is none. */
export const parsePriority = (text: string): number | undefined =>
  /^-?\d{1,7}$/.test(text) ? Math.min(1_000_000, Math.max(-999, Number(text))) : undefined;

/** A weight typed in a row: an integer; below 0 becomes 0. */
export const parseWeight = (text: string): number | undefined =>
  /^-?\d{1,7}$/.test(text) ? Math.min(1_000_000, Math.max(0, Number(text))) : undefined;

/** One for all channels of a tag: what is below 0 is refused. */
export const parseTagWeight = (text: string): number | undefined => (text.startsWith('-') ? undefined : parseWeight(text));

/** A new channel like this one. The server takes the key over by itself; figures start anew, and what a person switched off stays off. */
export function copyOf(channel: Channel): ChannelInput {
  const { type, openai_organization, test_model, weight, priority, base_url, other, models, group } = channel;
  const { model_mapping, status_code_mapping, auto_ban, tag, setting, param_override, header_override } = channel;
  return {
    ...{ type, openai_organization, test_model, weight, priority, base_url, other, models, group },
    ...{ model_mapping, status_code_mapping, auto_ban, tag, setting, param_override, header_override },
    name: nameOfCopy(channel.name, channel_copy_suffix()),
    ...(channel.status === channelStatus.disabled ? { status: channelStatus.disabled } : {}),
    copy_from: channel.id,
  };
}

/** Upstream money with two decimals; from 100,000 on the middle of the whole part is left out: 1234567.5 -> "12..67.50". */
export function formatBalance(balance: number): string {
  const text = balance.toFixed(2);
  if (Number(text) < 100_000) return `$${text}`;
  const [whole = '', decimals] = text.split('.');
  return `$${whole.slice(0, 2)}..${whole.slice(-2)}.${decimals}`;
}
