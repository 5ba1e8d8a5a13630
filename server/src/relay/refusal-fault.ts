import type { JsonObject, WireError } from '@tollgate/wire';
import { redactText } from '../platform/log.ts';
import { providerOf } from '../providers/index.ts';
import { classifyRefusal, coolDownMs, type FailureEvidence, mayTryAnotherKey, type RouteChannel } from '../routing/index.ts';
import { plainEvidence, RelayFault } from './faults.ts';
import { isRetryable, mapStatus } from './retry.ts';

/** An upstream's "no". */
export interface Refusal {
  readonly status: number;
  readonly error: WireError;
  readonly retryAfter?: string;
  /** A body with status 200 that is no answer. */
  readonly isUnreadable?: boolean;
}

const maxMessage = 500;
const maxIdChars = 128;
const maxReadBytes = 64 * 1024;

const nobody = () => false;

/**
 * Contract 6.6: mapped status, the upstream's words without anything secret. `speaksOfAccount`: the message says that the
 * upstream's account can do nothing more, whatever its status says; then another channel can.
 */
export function refusalFault(
  channel: RouteChannel,
  refusal: Refusal,
  nowMs: number,
  speaksOfAccount: (message: string) => boolean = nobody,
): RelayFault {
  const { status, error, retryAfter, isUnreadable = false } = refusal;
  const mapped = mapStatus(status, channel.statusMapping);
  const hidden = (text: unknown) => redactText(String(text ?? ''), channel.key);
  const message = hidden(error.message);
  const isKeyDead = providerOf(channel.type)?.keyRefusalCodes?.includes(String(error.code)) === true;
  const said = isUnreadable ? plainEvidence('content', 'unreadable') : evidenceOf(channel.key, refusal, message, nowMs);
  const isSpent = said.class === 'client' && speaksOfAccount(said.message);
  const evidence = isSpent ? { ...said, class: 'quota' as const } : said;
  return new RelayFault({
    status: mapped >= 400 && mapped < 600 ? mapped : 502,
    code: hidden(error.code),
    type: hidden(error.type),
    param: hidden(error.param),
    message,
    retryable: isKeyDead || isSpent || isRetryable(mapped),
    retryAfterSeconds: mapped === 429 ? retrySeconds(retryAfter, nowMs) : undefined,
    evidence,
    allowsOtherKey: isKeyDead || mayTryAnotherKey(evidence),
  });
}

/** The upstream's own status counts, not what the operator maps it to. */
function evidenceOf(key: string, { status, error, retryAfter }: Refusal, message: string, nowMs: number): FailureEvidence {
  const code = redactText(String(error.code ?? ''), key).slice(0, maxIdChars);
  const type = redactText(error.type, key).slice(0, maxIdChars);
  const coolMs = coolDownMs(status, retryAfter, nowMs);
  return { class: classifyRefusal(status, code, type), status, code, type, message: message.slice(0, maxMessage), coolMs };
}

const maxRetrySeconds = 60;

/** What we tell the caller: the upstream's figure, at most 60 s, 5 s when it is unreadable (F-19). */
function retrySeconds(header: string | undefined, nowMs: number): number {
  const seconds = Math.ceil((coolDownMs(429, header, nowMs) ?? 0) / 1000);
  return Math.min(maxRetrySeconds, Math.max(1, seconds));
}

/** The time to wait that stands in the body of a refusal, where the vendor tells it there. */
export function retryAfterIn(body: Buffer, { type }: RouteChannel): string | undefined {
  const read = providerOf(type)?.retryAfterOf;
  if (read === undefined || body.length > maxReadBytes) return undefined;
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    const first: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
    const seconds = typeof first === 'object' && first !== null ? read(first as JsonObject) : undefined;
    return seconds === undefined ? undefined : String(seconds);
  } catch {
    return undefined;
  }
}
