import type { Generated } from 'kysely';

/**
 * The tables, one type for both engines. Booleans are 0 or 1, JSON is text, times are unix seconds,
 * money is integer quota. `group` is a reserved word, hence `group_name`.
 */
export interface Schema {
  users: UserTable;
  session: SessionTable;
  token: TokenTable;
  channel: ChannelTable;
  ability: AbilityTable;
  option: OptionTable;
  change: ChangeTable;
  wallet: WalletTable;
  transfer: TransferTable;
  hold: HoldTable;
  swept: SweptTable;
  log: LogTable;
  usage_hourly: UsageHourlyTable;
  channel_event: ChannelEventTable;
  channel_key: ChannelKeyTable;
  response_owner: ResponseOwnerTable;
  audit: AuditTable;
  audit_head: AuditHeadTable;
  one_time: OneTimeTable;
  totp: TotpTable;
  recovery_code: RecoveryCodeTable;
  passkey: PasskeyTable;
  price_version: PriceVersionTable;
  redemption: RedemptionTable;
  topup_order: TopupOrderTable;
  payment_inbox: PaymentInboxTable;
  invite: InviteTable;
  invite_reward: InviteRewardTable;
}

/** 0 or 1. */
export type Flag = number;

export interface UserTable {
  id: Generated<number>;
  username: string;
  display_name: string;
  /** argon2id text; "" = no password. */
  password_hash: string;
  /** 1 while the password is the well-known default one. */
  default_password: Flag;
  role: number;
  status: number;
  email: string | null;
  github_id: string | null;
  oidc_id: string | null;
  wechat_id: string | null;
  telegram_id: string | null;
  linux_do_id: string | null;
  /** SHA-256 of the system access token. */
  access_token_hash: string | null;
  group_name: string;
  aff_code: string;
  aff_count: number;
  aff_history_quota: number;
  inviter_id: number;
  setting: string;
  /** Grows on every event that must end the user's sessions and access tokens. */
  session_epoch: number;
  created_at: number;
  deleted_at: number | null;
  /** JSON: `CallLimits`; "" = none. */
  limits: Generated<string>;
}

export interface SessionTable {
  /** SHA-256 of the cookie's value. */
  id_hash: string;
  user_id: number;
  session_epoch: number;
  created_at: number;
  seen_at: number;
  ip: string;
  user_agent: string;
}

export interface TokenTable {
  id: Generated<number>;
  user_id: number;
  /** HMAC-SHA256 of the 48 characters. */
  key_hmac: string;
  /** Sealed copy, so that the owner can read it again. */
  key_sealed: string;
  name: string;
  status: number;
  created_at: number;
  accessed_at: number;
  /** -1 = never. */
  expired_at: number;
  /** The four quota columns belong to billing/. granted = remain + used + held for a limited token; an unlimited one holds too, but keeps its remain. */
  granted_quota: number;
  remain_quota: number;
  used_quota: number;
  held_quota: number;
  unlimited_quota: Flag;
  model_limits_enabled: Flag;
  model_limits: string;
  allow_ips: string;
  group_name: string;
  deleted_at: number | null;
  /** JSON: a `TokenPolicy`; "" = neutral. */
  policy: Generated<string>;
}

export interface ChannelTable {
  id: Generated<number>;
  type: number;
  /** Sealed upstream credential, bound to the origin of base_url. */
  key_sealed: string;
  /** HMAC-SHA256 of the credential, for search by equality. */
  key_hmac: string;
  key_hint: string;
  openai_organization: string;
  test_model: string;
  status: number;
  name: string;
  weight: number;
  priority: number;
  created_at: number;
  test_time: number;
  response_time_ms: number;
  base_url: string;
  other: string;
  balance: number;
  balance_updated_at: number;
  models: string;
  group_names: string;
  used_quota: Generated<number>;
  model_mapping: string;
  status_code_mapping: string;
  auto_ban: Flag;
  other_info: string;
  tag: string;
  setting: string;
  param_override: string;
  header_override: string;
}

export interface AbilityTable {
  group_name: string;
  model: string;
  channel_id: number;
  enabled: Flag;
  priority: number;
  weight: number;
  tag: string;
}

export interface OptionTable {
  key: string;
  /** Text; secrets are sealed. */
  value: string;
}

/** Every committed change that snapshots and caches must see. Nodes poll `seq`. */
export interface ChangeTable {
  seq: Generated<number>;
  kind: string;
  key: string;
  created_at: number;
}

/** Belongs to billing/. `quota` shown to a user = available. */
export interface WalletTable {
  user_id: number;
  available: number;
  held: number;
  used_quota: number;
  request_count: number;
  version: number;
}

/** Append-only; belongs to billing/. One row is both sides. */
export interface TransferTable {
  id: Generated<number>;
  from_account: string;
  to_account: string;
  amount: number;
  unit: string;
  kind: string;
  ref: string;
  user_id: number;
  actor_id: number;
  created_at: number;
  note: string;
}

/** Open holds only; belongs to billing/. Carries all that a sweep needs to settle without the process that opened it. */
export interface HoldTable {
  /** Request id. */
  id: string;
  user_id: number;
  token_id: number;
  amount: number;
  /** What the prompt alone costs (per-call prices: the whole price). Charged at least by a sweep of a dispatched call. */
  floor_cost: number;
  /** Metered so far. */
  checkpoint_cost: number;
  dispatched: Flag;
  node: string;
  lease_until: number;
  created_at: number;
  /** JSON: the log row to be written (`LogDraft`) with its price snapshot. */
  context: string;
}

/** A hold that a sweep closed, kept until its late settle has booked the one correction; belongs to billing/. */
export interface SweptTable {
  /** Request id. */
  id: string;
  user_id: number;
  token_id: number;
  /** What the sweep collected; 0 when it released the hold. */
  collected: number;
  /** The row that the sweep wrote, 0 when it released the hold. */
  log_id: number;
  closed_at: number;
}

export interface LogTable {
  id: Generated<number>;
  created_at: number;
  type: number;
  user_id: number;
  username: string;
  token_id: number;
  token_name: string;
  model_name: string;
  channel_id: number;
  group_name: string;
  /** What was collected. */
  quota: number;
  shortfall: number;
  prompt_tokens: number;
  completion_tokens: number;
  use_time: number;
  is_stream: Flag;
  content: string;
  other: string;
  request_id: string;
  ip: string;
  /** JSON receipt, "" on rows that charge nothing. */
  receipt: string;
}

export interface UsageHourlyTable {
  user_id: number;
  model_name: string;
  /** Unix seconds of the hour's start. */
  hour: number;
  count: number;
  quota: number;
  token_used: number;
}

/** Append-only and hash-chained; belongs to audit/. */
export interface AuditTable {
  /** Without gaps, from 1. */
  seq: number;
  created_at: number;
  /** 0 = nobody was signed in, or the command line. */
  actor_id: number;
  actor: string;
  action: string;
  target: string;
  /** JSON object, never with a secret in it. */
  detail: string;
  ip: string;
  /** SHA-256 over the previous row's hash and this row. */
  hash: string;
}

/** One row: where the chain ends, so that a cut end shows. */
export interface AuditHeadTable {
  id: number;
  seq: number;
  hash: string;
}

/** What may be redeemed once: codes by mail, OAuth states, reset links, second steps, challenges. */
export interface OneTimeTable {
  /** SHA-256 over the kind, what it is bound to, and the secret. */
  key_hash: string;
  kind: string;
  /** 0 = nobody yet. */
  user_id: number;
  payload: string;
  /** Wrong attempts so far. */
  tries: number;
  expires_at: number;
}

export interface TotpTable {
  user_id: number;
  secret_sealed: string;
  /** 0 until a first code proved that the authenticator has the secret. */
  confirmed: Flag;
  /** The last time step that was accepted: no code counts twice. */
  last_step: number;
  created_at: number;
}

export interface RecoveryCodeTable {
  user_id: number;
  code_hmac: string;
}

export interface PasskeyTable {
  id: Generated<number>;
  user_id: number;
  /** base64url, as the authenticator names it. */
  credential_id: string;
  /** COSE key as base64url. */
  public_key: string;
  counter: number;
  /** Comma-separated. */
  transports: string;
  name: string;
  created_at: number;
  used_at: number;
}

/** What happened to channels; bounded per channel. */
export interface ChannelEventTable {
  id: Generated<number>;
  channel_id: number;
  created_at: number;
  kind: string;
  actor: string;
  reason: string;
  model: string;
  /** -1 = the whole channel. */
  key_index: number;
  /** JSON. */
  evidence: string;
}

/** A credential of a channel with several that is switched off alone. */
export interface ChannelKeyTable {
  channel_id: number;
  key_hmac: string;
  reason: string;
  changed_at: number;
}

/** Which credential of which channel gave an answer that its caller may want to continue; bounded. */
export interface ResponseOwnerTable {
  id: Generated<number>;
  response_id: string;
  user_id: number;
  channel_id: number;
  key_id: string;
  created_at: number;
}

/** Append-only: every state that the prices were in. */
export interface PriceVersionTable {
  id: Generated<number>;
  /** 0 = the command line, or the state before the first change. */
  author_id: number;
  author: string;
  created_at: number;
  note: string;
  changed: number;
  /** JSON list. */
  diff: string;
  /** JSON object: option -> its text. */
  price_values: string;
}

/** A code that may be redeemed once. The code itself is sealed; `key_hmac` finds it. */
export interface RedemptionTable {
  id: Generated<number>;
  /** Who made it. */
  user_id: number;
  key_hmac: string;
  key_sealed: string;
  /** 1 unused, 2 disabled, 3 used. */
  status: number;
  name: string;
  quota: number;
  created_at: number;
  redeemed_at: Generated<number>;
  used_user_id: Generated<number>;
  deleted_at: number | null;
}

export interface TopupOrderTable {
  id: Generated<number>;
  user_id: number;
  provider: string;
  method: string;
  trade_no: string;
  /** As entered: dollars, or quota. */
  amount: number;
  /** What is credited, fixed at creation. */
  quota: number;
  money_cents: number;
  currency: string;
  /** pending, paid, paid_late, expired, failed, refunded. */
  state: string;
  /** The provider's own number for the payment. */
  provider_ref: Generated<string>;
  created_at: number;
  expires_at: number;
  completed_at: Generated<number>;
}

/** Every payment notification that came, with what became of it. */
export interface PaymentInboxTable {
  id: Generated<number>;
  provider: string;
  /** SHA-256 of what came: the same again is the same row. */
  digest: string;
  kind: string;
  /** As it came, for judging it again. */
  payload_sealed: string;
  /** JSON without signatures and personal data. */
  summary: string;
  verdict: string;
  detail: string;
  trade_no: string;
  order_id: number;
  money_cents: number;
  currency: string;
  seen: number;
  received_at: number;
  last_at: number;
}

export interface InviteTable {
  invitee_id: number;
  inviter_id: number;
  /** Where the invited user registered from. */
  ip: string;
  created_at: number;
}

/** What an inviter gets, once due. */
export interface InviteRewardTable {
  id: Generated<number>;
  inviter_id: number;
  invitee_id: number;
  /** register or rebate. */
  kind: string;
  /** Of the transfer that pays it. */
  ref: string;
  amount: number;
  /** waiting, paid or void. */
  state: string;
  /** Unix seconds; -1 = with the invited user's first payment. */
  due_at: number;
  created_at: number;
}
