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
  hold_note: HoldNoteTable;
  usage_hour: UsageSumTable;
  usage_day: UsageSumTable;
  usage_month: UsageSumTable;
  usage_owner: UsageOwnerTable;
  usage_rollup: UsageRollupTable;
  channel_event: ChannelEventTable;
  channel_key: ChannelKeyTable;
  channel_charge: ChannelChargeTable;
  response_owner: ResponseOwnerTable;
  task: TaskTable;
  audit: AuditTable;
  audit_head: AuditHeadTable;
  one_time: OneTimeTable;
  totp: TotpTable;
  recovery_code: RecoveryCodeTable;
  passkey: PasskeyTable;
  option_version: OptionVersionTable;
  redemption: RedemptionTable;
  topup_order: TopupOrderTable;
  payment_inbox: PaymentInboxTable;
  invite: InviteTable;
  user_device: UserDeviceTable;
  proof_state: ProofStateTable;
  invite_reward: InviteRewardTable;
  agent: AgentTable;
  agent_dividend: AgentDividendTable;
  agent_withdrawal: AgentWithdrawalTable;
  job_lease: JobLeaseTable;
  log_segment: LogSegmentTable;
  log_posting: LogPostingTable;
  log_touch: LogTouchTable;
  log_compaction: LogCompactionTable;
  log_body: LogBodyTable;
  notification: NotificationTable;
  notification_delivery: NotificationDeliveryTable;
  notification_mark: NotificationMarkTable;
  wxpusher_code: WxPusherCodeTable;
  announcement: AnnouncementTable;
  announcement_read: AnnouncementReadTable;
  import_row: ImportRowTable;
}

/** A row of another product that was brought here. */
export interface ImportRowTable {
  /** The product. */
  source: string;
  kind: string;
  /** Its id there, or its name. */
  source_key: string;
  /** Its id here; 0 = it has none. */
  target_id: number;
  /** JSON: what the source said of it when it was last looked at. */
  state: string;
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
  /** What the name is compared by; null where another one's reads the same, or an older version gave the name. */
  name_key: Generated<string | null>;
}

export interface SessionTable {
  /** SHA-256 of the cookie's value. */
  id_hash: string;
  user_id: number;
  session_epoch: number;
  created_at: number;
  /** When the password was proven, 0 = never. */
  proven_at: Generated<number>;
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
  /** Of the key before this one; null = there was none, or it was ended. */
  old_key_hmac: Generated<string | null>;
  /** Its last four characters. */
  old_key_hint: Generated<string>;
  /** From this second on it opens nothing. */
  old_key_until: Generated<number>;
  /** When its owner is told that it ends; 0 = was told, or need not be. */
  old_key_warn_at: Generated<number>;
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

/** Charges that are not in the channel's `used_quota` yet: settling appends, the sums of usage take them away. */
export interface ChannelChargeTable {
  id: Generated<number>;
  channel_id: number;
  /** Below 0 for what was given back. */
  quota: number;
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
  /** JSON: an `OwnNote` beside the shared text; without one the whole row to be written (`LogDraft`). */
  context: string;
  /** "" = none. */
  note_id: Generated<string>;
  /** Who may close it: "" = its call or a sweep, `task` = the task gate alone. */
  keeper: Generated<string>;
}

/** Work that an upstream does in the background. Times are unix seconds unless they say `_ms`. */
export interface TaskTable {
  id: Generated<number>;
  /** Random: the only name of it that strangers may use. */
  public_id: string;
  /** One of `taskPlatforms`. */
  platform: string;
  action: string;
  user_id: number;
  token_id: number;
  /** 0 until it was sent to one. */
  channel_id: number;
  /** `RouteKey.id` of the credential that submitted it. */
  key_id: string;
  group_name: string;
  model: string;
  /** Id of the call and of its hold. */
  hold_id: string;
  /** What is held for it, and charged when it succeeds. */
  quota: number;
  /** JSON: the charge as it will be booked; "" = nothing was held. */
  charge: string;
  /** The upstream's name for it; "" until it was accepted. */
  upstream_id: string;
  code: Generated<number>;
  /** One of `taskStatuses`. */
  status: Generated<string>;
  /** Percent. */
  progress: Generated<number>;
  fail_reason: Generated<string>;
  /** What the upstream said after the end; "" = the same. */
  late_status: Generated<string>;
  mode: Generated<string>;
  /** JSON: what was asked for. */
  input: Generated<string>;
  /** JSON: what the upstream says of it. */
  data: Generated<string>;
  created_at: number;
  updated_at: number;
  submit_at_ms: number;
  start_at_ms: Generated<number>;
  finish_at_ms: Generated<number>;
  /** Without an end by then it is a failure. */
  deadline_at_ms: number;
  /** When its hold was closed; 0 = it is open. */
  closed_at: Generated<number>;
  /** When somebody must look at it next; null = never again. */
  due_at_ms: number | null;
  lease_owner: Generated<string>;
  lease_until_ms: Generated<number>;
  /** Polls in a row without an answer. */
  attempts: Generated<number>;
  /** Grows with each change: who read an older one must read again. */
  revision: Generated<number>;
  /** Its owner removed it. */
  hidden: Generated<Flag>;
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
  /** 1 = part of the books, but on no page. */
  hidden: Generated<Flag>;
}

/** A stretch of ids whose postings stand and hold as long as `epoch` equals that of `log_touch`. */
export interface LogSegmentTable {
  /** id / rows per segment. */
  id: number;
  epoch: number;
  row_count: number;
  /** Of these on no page. */
  hidden_count: number;
  /** When its rows were written, but for the outliers. */
  first_at: number;
  last_at: number;
  /** JSON: [position, created_at] of the few rows that lie outside of that. */
  outliers: Generated<string>;
  /** Of the way its postings are made: lower ones are made anew, and hold until then. */
  version: Generated<number>;
  /** What each row charged, as numbers of equal size in base64. */
  quotas: Generated<string>;
}

/** Where in a segment a value stands. */
export interface LogPostingTable {
  segment: number;
  dimension: number;
  value: string;
  positions: string;
  /** What its rows charged together; null where the postings are of an older program. */
  quota: Generated<number | null>;
}

/** How often rows of a segment were changed or deleted after they were written; absent = never. */
export interface LogTouchTable {
  segment: number;
  epoch: number;
}

/** What the deleted consumption rows of a user came to. */
export interface LogCompactionTable {
  user_id: number;
  row_count: Generated<number>;
  quota: Generated<number>;
  shortfall: Generated<number>;
  prompt_tokens: Generated<number>;
  completion_tokens: Generated<number>;
  last_at: Generated<number>;
}

/** What was asked and answered, redacted and cut; bounded by age. */
export interface LogBodyTable {
  id: Generated<number>;
  request_id: string;
  user_id: number;
  created_at: number;
  status: Generated<number>;
  request: Generated<string>;
  response: Generated<string>;
  truncated: Generated<Flag>;
}

/** What many holds have in common in the row that a sweep would write. */
export interface HoldNoteTable {
  /** The beginning of the text's SHA-256. */
  id: string;
  /** JSON: a `SharedNote`. */
  content: string;
  used_at: number;
}

/** Sums of log rows over one hour or one day (UTC); belongs to usage/. Columns that a cube does not tell apart are 0 or "". */
export interface UsageSumTable {
  cube: number;
  /** Whose rows, in the cube that is read by user; otherwise 0. */
  owner: number;
  /** Unix seconds of the hour's or day's begin. */
  start: number;
  user_id: number;
  username: string;
  token_id: number;
  token_name: string;
  model_name: string;
  channel_id: number;
  group_name: string;
  calls: number;
  errors: number;
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
  cached_tokens: number;
  streams: number;
  /** Histograms of milliseconds: `bucket:count,...`. */
  latency: string;
  first_token: string;
}

/** Under which names users appear in the sums. */
export interface UsageOwnerTable {
  username: string;
  user_id: number;
}

/** One row: how far the sums reach, and who works on them. */
export interface UsageRollupTable {
  id: number;
  /** Every log row up to this id is in the sums, none above it. */
  rolled_to: number;
  /** Grows with every log row that was changed afterwards. */
  revision: number;
  node: string;
  lease_until: number;
  /** Unix seconds: before this day, users have daily sums that are made of their hours. */
  closed_to: number;
  /** And of that day the users below this id. */
  closed_owner: number;
  /** The same of what of the closed days is in the sums of months. */
  month_to: Generated<number>;
  month_owner: Generated<number>;
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

/** Append-only: one row for every save that changed options. */
export interface OptionVersionTable {
  id: Generated<number>;
  /** 0 = the command line, or the state before the first change. */
  author_id: number;
  author: string;
  created_at: number;
  note: string;
  changed: number;
  /** JSON list, entry by entry; secrets without their values. */
  diff: string;
  /** JSON object: changed option -> its text before; without secrets. */
  before_values: string;
  /** JSON object: every price option -> its text after; "" = no price was changed. */
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
  /** Nobody redeems it from then on; 0 = never. */
  expires_at: Generated<number>;
  /** How many codes of its name one user may redeem; 0 = any number. */
  per_user: Generated<number>;
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
  /** What is to be paid; once it was credited by hand, what was. */
  money_cents: number;
  currency: string;
  /** How much of it was given back so far. */
  refunded_cents: Generated<number>;
  /** pending, paid, paid_late, expired, failed, refunded. */
  state: string;
  /** The provider's own number for the payment. */
  provider_ref: Generated<string>;
  /** The provider's own number of the page it is paid on; "" = none, or from before it was kept. */
  page_ref: Generated<string>;
  created_at: number;
  expires_at: number;
  completed_at: Generated<number>;
  /** When its service is to be asked about it, unix seconds; 0 = not any more. */
  ask_at: Generated<number>;
  /** How often it was. */
  asks: Generated<number>;
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
  /** The provider's own number for the payment; "" of what tells of none. A refund names it in `trade_no`. */
  provider_ref: Generated<string>;
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
  /** Who registered, as far as it is compared; "" = not known, or not asked for. */
  email_hmac: string;
  device_hmac: string;
}

/** Browsers that somebody signed in with; kept only while invitations are compared by them. */
export interface UserDeviceTable {
  user_id: number;
  device_hmac: string;
  seen_at: number;
}

/** One row: how far the hourly proof has come. */
export interface ProofStateTable {
  id: number;
  due_at: number;
  /** Receipts up to this row of the log were sound. */
  log_id: number;
  checked_at: number;
  ok: number;
  /** The first difference; "" = none. */
  difference: string;
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
  /** How much of a rebate is to go back, because its payment did. */
  reversed: Generated<number>;
  /** How much of that went back; the rest is taken from what is earned later. */
  returned: Generated<number>;
}

/** One row per user who is or asked to become an agent. What they own is derived from the transfers. */
export interface AgentTable {
  user_id: number;
  /** 0 applied, 1 active, 2 rejected, 3 suspended. */
  status: number;
  level: Generated<number>;
  /** Share of payments, scaled by 1e9; null = the site's. */
  rate_nano: number | null;
  contact_name: Generated<string>;
  contact_phone: Generated<string>;
  contact_email: Generated<string>;
  remark: Generated<string>;
  review_note: Generated<string>;
  reviewer_id: Generated<number>;
  created_at: number;
  updated_at: number;
}

/** An agent's share of one paid order; amounts are cents. */
export interface AgentDividendTable {
  id: Generated<number>;
  agent_id: number;
  /** The customer. */
  user_id: number;
  topup_id: number;
  trade_no: string;
  topup_money: number;
  rate_nano: number;
  amount: number;
  /** Taken back of `amount`. */
  reversed: Generated<number>;
  /** 0 pending, 1 settled, 2 reversed. */
  status: number;
  mature_at: number;
  settled_at: Generated<number>;
  created_at: number;
}

/** Amounts are cents. */
export interface AgentWithdrawalTable {
  id: Generated<number>;
  agent_id: number;
  amount: number;
  fee: number;
  /** alipay, wxpay, bank, quota. */
  method: string;
  payee_name: string;
  payee_account: string;
  bank_name: string;
  /** What was credited, for method quota. */
  quota: Generated<number>;
  /** 1 pending, 2 paid, 3 rejected, 4 processing, 5 cancelled. */
  status: number;
  reference: Generated<string>;
  reject_reason: Generated<string>;
  reviewer_id: Generated<number>;
  remark: string;
  created_at: number;
  updated_at: number;
  finished_at: Generated<number>;
}

/** Which node does a job that one node at a time does. */
export interface JobLeaseTable {
  name: string;
  node: string;
  lease_until: number;
}

/** Something that people are told of; spread to those who want to hear of it, step by step. */
export interface NotificationTable {
  id: Generated<number>;
  /** A `NotifyEvent`, or `test`. */
  event: string;
  /** JSON: a `Message`. */
  body: string;
  /** user, root or all. */
  audience: string;
  /** Of the audience `user`. */
  user_id: Generated<number>;
  /** Users up to this id have their deliveries. */
  spread_to: Generated<number>;
  is_spread: Generated<Flag>;
  created_at: number;
}

/** One notification on its way to one user; bounded by age. */
export interface NotificationDeliveryTable {
  id: Generated<number>;
  notification_id: number;
  user_id: number;
  way: string;
  /** waiting, sent or failed. */
  state: string;
  /** Smaller ones go first: 0 what is urgent, 1 what concerns one user or root, 2 what is for all. */
  lane: Generated<number>;
  /** Counted when it is taken, so that what ends a process is not tried for ever. */
  attempts: Generated<number>;
  due_at: number;
  lease_owner: Generated<string>;
  lease_until: Generated<number>;
  /** Why the last attempt failed, in words that may be shown. */
  detail: Generated<string>;
  created_at: number;
  sent_at: Generated<number>;
}

/** How far something has come that is told of once: a time, or a number. */
export interface NotificationMarkTable {
  name: string;
  reached: number;
}

/** A code that one user may scan. */
export interface WxPusherCodeTable {
  nonce_hash: string;
  user_id: number;
  /** The service's name for it. */
  code: string;
  /** When the service was asked who scanned it. */
  polled_at: Generated<number>;
  expires_at: number;
}

export interface AnnouncementTable {
  id: Generated<number>;
  kind: string;
  title: string;
  content: string;
  author_id: number;
  created_at: number;
  updated_at: number;
}

export interface AnnouncementReadTable {
  user_id: number;
  announcement_id: number;
}
