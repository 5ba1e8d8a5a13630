import * as z from 'zod/mini';
import { countedPage } from './fields.ts';
import { data, defineRoute, type PageOf } from './route.ts';

/** How a notification reaches somebody, in the order in which they are shown. */
export const notifyWays = ['email', 'webhook', 'wxpusher', 'wecom', 'dingtalk'] as const;
export type NotifyWay = (typeof notifyWays)[number];

interface NotifyEventInfo {
  /** Who may subscribe to it. */
  readonly to: 'user' | 'root';
  /** Ways that count until somebody chose. */
  readonly usual: readonly NotifyWay[];
  /** Rings in quiet hours, too. */
  readonly urgent?: true;
  /** Its receiver brings it about as often as they like: another one's address would get all of it. */
  readonly atWill?: true;
}

/** Everything that people are told of, in the order in which it is shown. Stored rows carry these names. */
export const notifyEvents = {
  quota_warning: { to: 'user', usual: ['email'] },
  token_key: { to: 'user', usual: ['email'], atWill: true },
  price_change: { to: 'user', usual: [] },
  announcement: { to: 'user', usual: [] },
  promotion: { to: 'user', usual: [] },
  contact: { to: 'user', usual: [] },
  channel_switched: { to: 'root', usual: ['email'] },
  channel_test: { to: 'root', usual: ['email'] },
  channel_down: { to: 'root', usual: ['email'], urgent: true },
  error_rate: { to: 'root', usual: ['email'] },
  upstream_balance: { to: 'root', usual: ['email'] },
  loss_model: { to: 'root', usual: ['email'] },
  money_waits: { to: 'root', usual: ['email'] },
  price_watch: { to: 'root', usual: ['email'] },
  disk_low: { to: 'root', usual: ['email'], urgent: true },
  option_unreadable: { to: 'root', usual: ['email'], urgent: true },
  ledger_red: { to: 'root', usual: ['email'], urgent: true },
} as const satisfies Record<string, NotifyEventInfo>;
export type NotifyEvent = keyof typeof notifyEvents;
export const notifyEventNames = Object.keys(notifyEvents) as readonly NotifyEvent[];

export function isNotifyEvent(name: string): name is NotifyEvent {
  return Object.hasOwn(notifyEvents, name);
}

/** Which events reach a user by which ways. */
export type Subscriptions = Readonly<Partial<Record<NotifyEvent, readonly NotifyWay[]>>>;

/** From `start` to `end`, in minutes of the day at `timezone`, nothing is sent; across midnight when `end` is smaller. */
export const quietHours = z.object({
  start: z.number().check(z.int(), z.minimum(0), z.maximum(1439)),
  end: z.number().check(z.int(), z.minimum(0), z.maximum(1439)),
  /** IANA name. */
  timezone: z.string().check(z.minLength(1), z.maxLength(64)),
});
export type QuietHours = z.infer<typeof quietHours>;

/** What is stored for a robot; "" and absent keep the present one, null removes it. */
const robotSecret = z.optional(z.nullable(z.string().check(z.trim(), z.maxLength(512))));

/** Notification settings (contract 8.8, 9.5); what they mean is judged by the service, which has the texts. */
export const settingBody = z.object({
  /** Older clients: the one way of the quota warning. Counts while `subscriptions` is absent. */
  notify_type: z.optional(z.string().check(z.maxLength(32))),
  /** Absent: only the quota warning changes. */
  subscriptions: z.optional(
    z.record(z.string().check(z.maxLength(32)), z.array(z.enum(notifyWays)).check(z.maxLength(notifyWays.length))),
  ),
  quota_warning_threshold: z.optional(z.number()),
  webhook_url: z._default(z.string().check(z.trim(), z.maxLength(2048)), ''),
  /** "" keeps the present one as long as `webhook_url` leads to the same origin. */
  webhook_secret: z._default(z.string().check(z.maxLength(255)), ''),
  notification_email: z._default(z.string().check(z.trim(), z.maxLength(255)), ''),
  /** The robot's key, or the whole address that the service shows. */
  wecom_key: robotSecret,
  dingtalk_key: robotSecret,
  /** Signs what is sent to the robot; goes with its key. */
  dingtalk_secret: robotSecret,
  /** Absent keeps them, null removes them. */
  quiet_hours: z.optional(z.nullable(quietHours)),
  accept_unset_model_ratio_model: z._default(z.boolean(), false),
});
export type SettingInput = z.infer<typeof settingBody>;

/** `User.setting` once parsed; a user who never saved has none of it. Secrets are told of by `_set` alone. */
export interface UserSetting {
  /** The way of the quota warning, as older clients know it. */
  notify_type?: 'email' | 'webhook';
  subscriptions?: Subscriptions;
  quota_warning_threshold?: number;
  webhook_url?: string;
  /** Always "". */
  webhook_secret?: string;
  webhook_secret_set?: boolean;
  notification_email?: string;
  wecom_key_set?: boolean;
  dingtalk_key_set?: boolean;
  dingtalk_secret_set?: boolean;
  wxpusher_bound?: boolean;
  quiet_hours?: QuietHours;
  accept_unset_model_ratio_model?: boolean;
}

/** `failed`: given up; the owner may have it tried again. */
const deliveryStates = ['waiting', 'sent', 'failed'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** One notification on one way. */
export interface Delivery {
  id: number;
  /** A `NotifyEvent`, or `test`. */
  event: string;
  way: NotifyWay;
  state: DeliveryState;
  title: string;
  title_en: string;
  attempts: number;
  /** Why the last attempt failed; "" = it did not. */
  detail: string;
  created_at: number;
  /** When it is tried next; 0 = not any more. */
  due_at: number;
  /** 0 = not yet. */
  sent_at: number;
}

/** What the test button is told: "" = it arrived. */
export interface TestOutcome {
  ok: boolean;
  detail: string;
}

export interface WxPusherCode {
  code: string;
  /** Of the picture. */
  url: string;
  expires_at: number;
}

const callbackText = z.optional(z.string().check(z.maxLength(255)));

export const notifyRoutes = {
  /** The caller's own deliveries, newest first. */
  deliveries: defineRoute({
    method: 'GET',
    path: '/api/user/notifications',
    access: 'user',
    query: z.object(countedPage),
    data: data<PageOf<Delivery>>(),
  }),
  retry: defineRoute({ method: 'POST', path: '/api/user/notifications/:id/retry', access: 'user', data: data<undefined>() }),
  /** Sends to what is saved for this way and answers what became of it. */
  test: defineRoute({
    method: 'POST',
    path: '/api/user/notifications/test',
    access: 'user',
    body: z.object({ way: z.enum(notifyWays) }),
    data: data<TestOutcome>(),
  }),
  wxpusherCode: defineRoute({ method: 'GET', path: '/api/user/wxpusher/qrcode', access: 'user', data: data<WxPusherCode>() }),
  wxpusherStatus: defineRoute({
    method: 'GET',
    path: '/api/user/wxpusher/status',
    access: 'user',
    query: z.object({ code: z.string().check(z.minLength(1), z.maxLength(255)) }),
    data: data<{ state: 'waiting' | 'bound' | 'expired' }>(),
  }),
  wxpusherUnbind: defineRoute({ method: 'DELETE', path: '/api/user/wxpusher', access: 'user', data: data<undefined>() }),
  /** The service tells who scanned a code; only codes that we asked for count. */
  wxpusherCallback: defineRoute({
    method: 'POST',
    path: '/api/wxpusher/callback',
    access: 'none',
    body: z.object({ action: callbackText, data: z.optional(z.object({ uid: callbackText, extra: callbackText })) }),
    data: data<undefined>(),
  }),
} as const;
