/** What a database of this version has beside its tables and keys; without one of these everything works, only too slowly or too freely. */
export const expectedIndexes: readonly string[] = [
  'ability_by_channel_id agent_dividend_agent agent_dividend_created agent_dividend_due agent_dividend_user agent_status',
  'agent_withdrawal_agent agent_withdrawal_status audit_by_action audit_by_actor audit_by_created_at audit_by_name audit_by_target',
  'channel_event_by_channel',
  'hold_by_lease_until hold_of_tasks invite_inviter invite_reward_due invite_reward_invitee invite_reward_inviter invite_reward_owed log_body_created_at log_by_created_at',
  'log_by_request_id log_by_user_id_id notification_created notification_delivery_created notification_delivery_due',
  'notification_delivery_lane notification_delivery_user notification_spread one_time_by_expires_at one_time_by_user_id passkey_by_user_id',
  'payment_inbox_verdict redemption_name redemption_used_by response_owner_by_age session_by_user_id swept_by_closed_at task_due task_owner',
  'task_platform task_upstream token_by_user_id token_old_key token_old_key_warning topup_order_ask topup_order_created topup_order_state topup_order_user',
  'transfer_cents transfer_movements transfer_sides',
  'user_device_seen users_by_email users_by_name_key users_inviter',
].flatMap((line) => line.split(' '));

/** Tables whose rows nobody may change. */
export const appendOnlyTables: readonly string[] = ['audit', 'option_version', 'transfer'];

/** Of a PostgreSQL database: any other lacks what people write. */
export const supportedEncoding = 'UTF8';
