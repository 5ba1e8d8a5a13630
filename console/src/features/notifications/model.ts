import {
  type NotifyEvent,
  type NotifyWay,
  notifyEventNames,
  notifyEvents,
  type QuietHours,
  role,
  type Subscriptions,
  type User,
  type UserSetting,
} from '@tollgate/contract';
import { notice_threshold_low, notice_url_invalid, notice_url_missing } from '../../i18n/generated/messages.ts';
import { parseRecord } from '../../lib/json.ts';
import { type MoneyFormat, parseQuota } from '../../lib/money.ts';
import { addressFault } from '../../ui/signin/address.ts';

/** The stored settings; {} while none were saved. */
export function settingOf(user: Pick<User, 'setting'>): UserSetting {
  return parseRecord(user.setting);
}

/** What this user may hear of. */
export function eventsFor(user: Pick<User, 'role'>): NotifyEvent[] {
  return notifyEventNames.filter((event) => notifyEvents[event].to === 'user' || user.role === role.root);
}

/** Which ways count for each event now. */
export function subscriptionsOf({ subscriptions }: UserSetting, events: readonly NotifyEvent[]): Subscriptions {
  return Object.fromEntries(events.map((event) => [event, subscriptions?.[event] ?? notifyEvents[event].usual]));
}

export function toggled(subscriptions: Subscriptions, event: NotifyEvent, way: NotifyWay): Subscriptions {
  const ways = subscriptions[event] ?? [];
  return { ...subscriptions, [event]: ways.includes(way) ? ways.filter((other) => other !== way) : [...ways, way] };
}

export function isWanted(subscriptions: Subscriptions, way: NotifyWay): boolean {
  return Object.values(subscriptions).some((ways) => ways.includes(way));
}

export type SettingTexts = Record<'threshold' | 'email' | 'url' | 'secret' | 'wecom' | 'dingtalk' | 'dingtalkSecret', string>;

export function faultsOf(
  { threshold, email, url }: Pick<SettingTexts, 'threshold' | 'email' | 'url'>,
  subscriptions: Subscriptions,
  format: MoneyFormat,
): Partial<Record<keyof SettingTexts, string>> {
  return {
    threshold: (parseQuota(threshold, format) ?? 0) > 0 ? undefined : notice_threshold_low(),
    email: email.trim() === '' ? undefined : addressFault(email),
    url: urlFault(url.trim(), isWanted(subscriptions, 'webhook')),
  };
}

function urlFault(text: string, isNeeded: boolean): string | undefined {
  if (text === '') return isNeeded ? notice_url_missing() : undefined;
  const url = URL.parse(text);
  const web = url?.protocol === 'https:' || url?.protocol === 'http:';
  return web && url.username === '' && url.password === '' ? undefined : notice_url_invalid();
}

export interface QuietDraft {
  on: boolean;
  /** HH:MM */
  start: string;
  end: string;
  timezone: string;
}

const clockText = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

/** Where none are set: the night, where this browser is. */
export function quietDraft(quiet: QuietHours | undefined): QuietDraft {
  const { start, end, timezone } = quiet ?? { start: 1320, end: 480, timezone: Intl.DateTimeFormat().resolvedOptions().timeZone };
  return { on: quiet !== undefined, start: clockText(start), end: clockText(end), timezone };
}

/** null: there shall be none. */
export function quietOf({ on, start, end, timezone }: QuietDraft): QuietHours | null {
  const [from, until] = [minutesOf(start), minutesOf(end)];
  return on && from !== undefined && until !== undefined ? { start: from, end: until, timezone } : null;
}

function minutesOf(text: string): number | undefined {
  const [hours, minutes] = text.split(':').map(Number);
  return hours === undefined || minutes === undefined || Number.isNaN(hours + minutes) ? undefined : hours * 60 + minutes;
}
