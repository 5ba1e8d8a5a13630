import type { AuditAction } from '@tollgate/contract';
import {
  audit_act_access_token_rotate,
  audit_act_agent_apply,
  audit_act_agent_cancel,
  audit_act_agent_payout,
  audit_act_agent_review,
  audit_act_agent_withdraw,
  audit_act_announcement_create,
  audit_act_announcement_delete,
  audit_act_announcement_update,
  audit_act_channel_create,
  audit_act_channel_delete,
  audit_act_channel_repair,
  audit_act_channel_test,
  audit_act_channel_update,
  audit_act_denied,
  audit_act_import,
  audit_act_keys_rotate,
  audit_act_log_body,
  audit_act_log_delete,
  audit_act_login,
  audit_act_login_failed,
  audit_act_option_change,
  audit_act_password_change,
  audit_act_password_reset,
  audit_act_payment_credit,
  audit_act_payment_order,
  audit_act_payment_refund,
  audit_act_payment_replay,
  audit_act_payment_reverse,
  audit_act_redemption_create,
  audit_act_redemption_delete,
  audit_act_redemption_update,
  audit_act_redemption_use,
  audit_act_register,
  audit_act_session_end,
  audit_act_token_disable,
  audit_act_token_enable,
  audit_act_user_bind,
  audit_act_user_create,
  audit_act_user_delete,
  audit_act_user_demote,
  audit_act_user_deregister,
  audit_act_user_disable,
  audit_act_user_enable,
  audit_act_user_promote,
  audit_act_user_second_factor,
  audit_act_user_second_factor_reset,
  audit_act_user_update,
} from '../../i18n/generated/messages.ts';
import type { Tone } from '../../ui/Badge.tsx';

/** Word and colour of what was done. */
export const actionFaces: Record<AuditAction, { text(): string; tone: Tone }> = {
  login: { text: audit_act_login, tone: 'ok' },
  'login.failed': { text: audit_act_login_failed, tone: 'bad' },
  'session.end': { text: audit_act_session_end, tone: 'grey' },
  register: { text: audit_act_register, tone: 'ok' },
  'user.create': { text: audit_act_user_create, tone: 'ok' },
  'user.update': { text: audit_act_user_update, tone: 'grey' },
  'user.promote': { text: audit_act_user_promote, tone: 'warn' },
  'user.demote': { text: audit_act_user_demote, tone: 'warn' },
  'user.second_factor_reset': { text: audit_act_user_second_factor_reset, tone: 'warn' },
  'user.disable': { text: audit_act_user_disable, tone: 'warn' },
  'user.enable': { text: audit_act_user_enable, tone: 'ok' },
  'user.deregister': { text: audit_act_user_deregister, tone: 'bad' },
  'user.delete': { text: audit_act_user_delete, tone: 'bad' },
  'user.second_factor': { text: audit_act_user_second_factor, tone: 'warn' },
  'user.bind': { text: audit_act_user_bind, tone: 'grey' },
  'password.change': { text: audit_act_password_change, tone: 'warn' },
  'password.reset': { text: audit_act_password_reset, tone: 'warn' },
  'access_token.rotate': { text: audit_act_access_token_rotate, tone: 'warn' },
  'option.change': { text: audit_act_option_change, tone: 'warn' },
  'channel.create': { text: audit_act_channel_create, tone: 'ok' },
  'channel.update': { text: audit_act_channel_update, tone: 'grey' },
  'channel.delete': { text: audit_act_channel_delete, tone: 'bad' },
  'channel.test': { text: audit_act_channel_test, tone: 'grey' },
  'channel.repair': { text: audit_act_channel_repair, tone: 'grey' },
  'redemption.create': { text: audit_act_redemption_create, tone: 'warn' },
  'redemption.update': { text: audit_act_redemption_update, tone: 'grey' },
  'redemption.delete': { text: audit_act_redemption_delete, tone: 'bad' },
  'redemption.use': { text: audit_act_redemption_use, tone: 'ok' },
  'payment.order': { text: audit_act_payment_order, tone: 'ok' },
  'payment.credit': { text: audit_act_payment_credit, tone: 'warn' },
  'payment.refund': { text: audit_act_payment_refund, tone: 'warn' },
  'payment.replay': { text: audit_act_payment_replay, tone: 'grey' },
  'payment.reverse': { text: audit_act_payment_reverse, tone: 'bad' },
  'agent.apply': { text: audit_act_agent_apply, tone: 'ok' },
  'agent.review': { text: audit_act_agent_review, tone: 'warn' },
  'agent.withdraw': { text: audit_act_agent_withdraw, tone: 'warn' },
  'agent.cancel': { text: audit_act_agent_cancel, tone: 'grey' },
  'agent.payout': { text: audit_act_agent_payout, tone: 'warn' },
  'announcement.create': { text: audit_act_announcement_create, tone: 'ok' },
  'announcement.update': { text: audit_act_announcement_update, tone: 'grey' },
  'announcement.delete': { text: audit_act_announcement_delete, tone: 'bad' },
  'log.delete': { text: audit_act_log_delete, tone: 'bad' },
  'log.body': { text: audit_act_log_body, tone: 'warn' },
  'token.disable': { text: audit_act_token_disable, tone: 'warn' },
  'token.enable': { text: audit_act_token_enable, tone: 'ok' },
  'keys.rotate': { text: audit_act_keys_rotate, tone: 'warn' },
  import: { text: audit_act_import, tone: 'warn' },
  denied: { text: audit_act_denied, tone: 'bad' },
};

const isAction = (action: string): action is AuditAction => action in actionFaces;

/** Rows of a newer server may name actions that this console does not know. */
export const faceOf = (action: string): { text: string; tone: Tone } =>
  isAction(action) ? { text: actionFaces[action].text(), tone: actionFaces[action].tone } : { text: action, tone: 'grey' };

/** The detail of an entry, in order; as it is when it is not JSON. */
export function prettyDetail(detail: string): string {
  try {
    return JSON.stringify(JSON.parse(detail), null, 2);
  } catch {
    return detail;
  }
}
