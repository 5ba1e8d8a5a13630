/**
 * What a failure says about whom. Only `auth quota rate server network content` are evidence about the channel;
 * `client` is the caller's doing and `local` ours: neither may change a channel's health (blame rule).
 */
export type ErrorClass = 'client' | 'auth' | 'quota' | 'rate' | 'server' | 'network' | 'content' | 'local';

/** A failed attempt as far as health, retry and the timeline care. Texts are redacted and bounded. */
export interface FailureEvidence {
  readonly class: ErrorClass;
  /** The upstream's own status before any mapping; 0 = there was none. */
  readonly status: number;
  readonly code: string;
  readonly type: string;
  readonly message: string;
  /** How long the upstream wants to be left alone; undefined = it did not say so. */
  readonly coolMs: number | undefined;
  /** Its class was read out of the message alone, which a caller may have brought the upstream to say. */
  readonly byWords?: boolean;
}

const authWords = new Set(['invalid_api_key', 'account_deactivated', 'authentication_error', 'permission_error', 'forbidden']);
/** An account that cannot pay, as vendors and gateways say it; a gateway's user is our channel. */
const quotaWords = new Set([
  ...['billing_not_active', 'billing_hard_limit_reached', 'billing_error', 'insufficient_quota'],
  ...['insufficient_user_quota', 'pre_consume_token_quota_failed', 'quota_not_enough'],
  ...['exceeded_current_quota_error', 'Arrearage', 'AccountOverdueError'],
]);
/** A gateway that is not set up for the model: no request would please it. */
const serverWords = new Set(['model_price_error']);

/** They speak of the connection, or of a proxy on the way, and not of the request. */
const serverStatuses: ReadonlySet<number> = new Set([407, 408]);

/** Classes that concern a key whatever the model. */
export function isKeyWide(errorClass: ErrorClass): boolean {
  return errorClass === 'auth' || errorClass === 'quota';
}

export function isEvidence(errorClass: ErrorClass): boolean {
  return errorClass !== 'client' && errorClass !== 'local';
}

/** Another key of the same channel is another target only after these (rulings 12). */
export function mayTryAnotherKey({ status }: Pick<FailureEvidence, 'status'>): boolean {
  return status === 401 || status === 429;
}

/** The class of an upstream's refusal: its structured code and type first, then its status. */
export function classifyRefusal(status: number, code: string, type: string): ErrorClass {
  if (quotaWords.has(code) || quotaWords.has(type) || status === 402) return 'quota';
  if (authWords.has(code) || authWords.has(type) || status === 401) return 'auth';
  if (status === 429 || status === 529) return 'rate';
  if (serverWords.has(code) || status >= 500 || serverStatuses.has(status) || (status >= 300 && status < 400)) return 'server';
  return status >= 400 ? 'client' : 'content';
}

const defaultCoolMs = 5_000;
const longestCoolMs = 600_000;
const longestHeader = 64;

/**
 * How long a refusal closes a channel: min(Retry-After, 10 min), 5 s when the figure cannot be read or a 429 has none
 * (F-19). Undefined when the answer does not ask for it. `nowMs` is wall-clock time.
 */
export function coolDownMs(status: number, retryAfter: string | undefined, nowMs: number): number | undefined {
  const limited = status === 429 || status === 529;
  if (!limited && (status !== 503 || retryAfter === undefined)) return undefined;
  return readRetryAfter(retryAfter, nowMs) ?? defaultCoolMs;
}

function readRetryAfter(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined || text.length > longestHeader) return undefined;
  const trimmed = text.trim();
  if (/^\d{1,9}(\.\d{1,6})?$/.test(trimmed)) return Math.min(longestCoolMs, Number(trimmed) * 1000);
  if (!/^[A-Z][a-z]{2}, /.test(trimmed)) return undefined;
  const at = Date.parse(trimmed);
  return Number.isNaN(at) ? undefined : Math.min(longestCoolMs, Math.max(0, at - nowMs));
}
