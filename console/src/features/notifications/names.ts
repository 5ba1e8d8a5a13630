import type { NotifyEvent, NotifyWay } from '@tollgate/contract';
import {
  notify_event_announcement,
  notify_event_channel_down,
  notify_event_channel_switched,
  notify_event_channel_test,
  notify_event_contact,
  notify_event_disk_low,
  notify_event_error_rate,
  notify_event_ledger_red,
  notify_event_loss_model,
  notify_event_money_waits,
  notify_event_option_unreadable,
  notify_event_price_change,
  notify_event_price_watch,
  notify_event_promotion,
  notify_event_quota_warning,
  notify_event_test,
  notify_event_token_key,
  notify_event_upstream_balance,
  notify_fault_address,
  notify_fault_internal,
  notify_fault_lost,
  notify_fault_redirect,
  notify_fault_target,
  notify_fault_timeout,
  notify_fault_unreachable,
  notify_way_dingtalk,
  notify_way_email,
  notify_way_webhook,
  notify_way_wecom,
  notify_way_wxpusher,
} from '../../i18n/generated/messages.ts';

export const wayNames: Record<NotifyWay, () => string> = {
  email: notify_way_email,
  webhook: notify_way_webhook,
  wxpusher: notify_way_wxpusher,
  wecom: notify_way_wecom,
  dingtalk: notify_way_dingtalk,
};

const eventNames: Record<NotifyEvent | 'test', () => string> = {
  quota_warning: notify_event_quota_warning,
  token_key: notify_event_token_key,
  price_change: notify_event_price_change,
  announcement: notify_event_announcement,
  promotion: notify_event_promotion,
  contact: notify_event_contact,
  channel_switched: notify_event_channel_switched,
  channel_test: notify_event_channel_test,
  channel_down: notify_event_channel_down,
  error_rate: notify_event_error_rate,
  upstream_balance: notify_event_upstream_balance,
  loss_model: notify_event_loss_model,
  money_waits: notify_event_money_waits,
  price_watch: notify_event_price_watch,
  disk_low: notify_event_disk_low,
  option_unreadable: notify_event_option_unreadable,
  ledger_red: notify_event_ledger_red,
  test: notify_event_test,
};

/** An event's name; as it is where a newer server knows one that this console does not. */
export function eventName(event: string): string {
  return Object.hasOwn(eventNames, event) ? eventNames[event as NotifyEvent]() : event;
}

const faults: Readonly<Record<string, () => string>> = {
  refused: notify_fault_address,
  redirect: notify_fault_redirect,
  timeout: notify_fault_timeout,
  unreachable: notify_fault_unreachable,
  lost: notify_fault_lost,
  'no target': notify_fault_target,
  internal: notify_fault_internal,
};

/** Why something did not arrive; codes of the other side as they are. */
export function faultText(detail: string): string {
  return Object.hasOwn(faults, detail) ? (faults[detail]?.() ?? detail) : detail;
}
