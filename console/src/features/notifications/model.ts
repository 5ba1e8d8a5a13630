import {
  type NotifyEvent,
  type NotifyWay,
  notifyEventNames,
  notifyEvents,
  role,
  type SettingInput,
  type Subscriptions,
  type User,
  type UserSetting,
} from '@tollgate/contract';
import {
  notice_threshold_low,
  notice_url_invalid,
  notice_url_missing,
  notify_quiet_missing,
} from '../../i18n/generated/messages.ts';
import { parseRecord } from '../../lib/json.ts';
import { type MoneyFormat, parseQuota, quotaToInput } from '../../lib/money.ts';
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

/** What is typed into the form; secrets are empty until they are typed anew. `quietFrom` and `quietUntil`: HH:MM. */
export type SettingTexts = Record<
  'threshold' | 'email' | 'url' | 'secret' | 'wecom' | 'dingtalk' | 'dingtalkSecret' | 'quietFrom' | 'quietUntil',
  string
>;
export const secretTexts = ['secret', 'wecom', 'dingtalk', 'dingtalkSecret'] as const;

/** What is chosen in it. */
export interface SettingChoices {
  subscriptions: Subscriptions;
  isQuiet: boolean;
  /** IANA name. */
  timezone: string;
  unpriced: boolean;
}

const clockText = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

/** Without quiet hours the form offers those of the night. */
const night = { start: 1320, end: 480 };

/** `usual`: below how much is warned while nothing was chosen; 0 = never, and then something is to be proposed. */
export function textsOf(setting: UserSetting, format: MoneyFormat, usual = 0): SettingTexts {
  const { start, end } = setting.quiet_hours ?? night;
  return {
    threshold: quotaToInput(setting.quota_warning_threshold ?? (usual || format.quotaPerUnit), format),
    ...{ email: setting.notification_email ?? '', url: setting.webhook_url ?? '' },
    ...{ secret: '', wecom: '', dingtalk: '', dingtalkSecret: '' },
    ...{ quietFrom: clockText(start), quietUntil: clockText(end) },
  };
}

export const choicesOf = (setting: UserSetting, events: readonly NotifyEvent[]): SettingChoices => ({
  subscriptions: subscriptionsOf(setting, events),
  isQuiet: setting.quiet_hours !== undefined,
  timezone: setting.quiet_hours?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
  unpriced: setting.accept_unset_model_ratio_model ?? false,
});

export const isSame = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);

/** A draft over what is saved by now: what was not edited since `before` is as it is saved. */
export function followed<Draft extends object>(draft: Draft, before: Draft, saved: Draft): Draft {
  const kept = Object.entries(draft).filter(([name, value]) => !isSame(value, before[name as keyof Draft]));
  return { ...saved, ...Object.fromEntries(kept) };
}

export function followedChoices(draft: SettingChoices, before: SettingChoices, saved: SettingChoices): SettingChoices {
  const subscriptions = followed(draft.subscriptions, before.subscriptions, saved.subscriptions);
  return { ...followed(draft, before, saved), subscriptions };
}

export function faultsOf(
  { threshold, email, url, quietFrom, quietUntil }: SettingTexts,
  { subscriptions, isQuiet }: Pick<SettingChoices, 'subscriptions' | 'isQuiet'>,
  format: MoneyFormat,
): Partial<Record<keyof SettingTexts, string>> {
  const clockFault = (text: string) => (isQuiet && minutesOf(text) === undefined ? notify_quiet_missing() : undefined);
  return {
    threshold: (parseQuota(threshold, format) ?? 0) > 0 ? undefined : notice_threshold_low(),
    email: email.trim() === '' ? undefined : addressFault(email),
    url: urlFault(url.trim(), isWanted(subscriptions, 'webhook')),
    ...{ quietFrom: clockFault(quietFrom), quietUntil: clockFault(quietUntil) },
  };
}

function urlFault(text: string, isNeeded: boolean): string | undefined {
  if (text === '') return isNeeded ? notice_url_missing() : undefined;
  const url = URL.parse(text);
  const web = url?.protocol === 'https:' || url?.protocol === 'http:';
  return web && url.username === '' && url.password === '' ? undefined : notice_url_invalid();
}

function minutesOf(text: string): number | undefined {
  const [hours, minutes] = text.split(':').map(Number);
  return hours === undefined || minutes === undefined || Number.isNaN(hours + minutes) ? undefined : hours * 60 + minutes;
}

/** What is sent of texts without a fault. `removed`: the robots whose stored keys shall go, unless another one was typed. */
export function inputOf(
  texts: SettingTexts,
  { subscriptions, isQuiet, timezone, unpriced }: SettingChoices,
  removed: ReadonlySet<NotifyWay>,
  format: MoneyFormat,
): SettingInput {
  const key = (typed: string, way: NotifyWay) => typed.trim() || (removed.has(way) ? null : '');
  const [start, end] = [minutesOf(texts.quietFrom), minutesOf(texts.quietUntil)];
  return {
    subscriptions: Object.fromEntries(Object.entries(subscriptions).map(([event, ways]) => [event, [...ways]])),
    quota_warning_threshold: parseQuota(texts.threshold, format) ?? 0,
    webhook_url: texts.url.trim(),
    webhook_secret: texts.secret,
    notification_email: texts.email.trim(),
    wecom_key: key(texts.wecom, 'wecom'),
    dingtalk_key: key(texts.dingtalk, 'dingtalk'),
    dingtalk_secret: key(texts.dingtalkSecret, 'dingtalk'),
    quiet_hours: isQuiet && start !== undefined && end !== undefined ? { start, end, timezone } : null,
    accept_unset_model_ratio_model: unpriced,
  };
}
