import type { JsonObject, WireError } from '@tollgate/wire';
import type { UpstreamHeaders } from '../platform/http/client.ts';
import { type Provider, providerOf } from '../providers/index.ts';
import {
  classifyRefusal,
  coolDownMs,
  type DisableRules,
  type FailureEvidence,
  hideSecrets,
  mayTryAnotherKey,
  type RouteChannel,
  speaksOfAccount,
} from '../routing/index.ts';
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

/** With which vendors speak of accounts; others (404, 413, 422) quote what they refuse. */
const accountStatuses: ReadonlySet<number> = new Set([400, 403]);

/** A proxy of ours refuses us. Clients take it for a word of their own proxy, and many show nothing of such an answer. */
const fromProxy = 407;

/**
 * Contract 6.6: mapped status, the upstream's words without anything secret. Where they say by `rules` that the upstream's
 * account can do nothing more, another channel can (decision 0088).
 */
export function refusalFault(
  channel: RouteChannel,
  refusal: Refusal,
  nowMs: number,
  rules?: Pick<DisableRules, 'keywords' | 'saidByCaller'>,
): RelayFault {
  const { status, error, retryAfter, isUnreadable = false } = refusal;
  const mapped = mapStatus(status, channel.statusMapping);
  const hide = hiderOf(channel);
  const hidden = (text: unknown) => hide(String(text ?? ''));
  const words: Words = { message: hidden(error.message), code: hidden(error.code), type: hidden(error.type) };
  const provider = providerOf(channel.type);
  const isKeyDead = provider?.blames?.(error) === 'auth' || provider?.keyRefusalCodes?.includes(String(error.code)) === true;
  const said = isUnreadable
    ? plainEvidence('content', 'unreadable')
    : { ...evidenceOf(refusal, words, nowMs), ...blamed(provider, error) };
  const mayBeSpent = said.class === 'client' && accountStatuses.has(status);
  const isSpent = mayBeSpent && rules !== undefined && speaksOfAccount(said.message, rules);
  const evidence = isSpent ? { ...said, class: 'quota' as const, byWords: true } : said;
  return new RelayFault({
    status: mapped >= 400 && mapped < 600 && mapped !== fromProxy ? mapped : 502,
    ...words,
    param: hidden(error.param),
    retryable: isKeyDead || isNoRequestsFault(status, evidence) || isRetryable(mapped),
    retryAfterSeconds: mapped === 429 ? retrySeconds(retryAfter, nowMs) : undefined,
    evidence,
    allowsOtherKey: isKeyDead || mayTryAnotherKey(evidence),
  });
}

/** What a vendor says in its own way of whose fault it is, in words that are known everywhere. */
export function blamed(
  provider: Pick<Provider, 'blames'> | undefined,
  error: WireError,
): Partial<Pick<FailureEvidence, 'class' | 'code' | 'type'>> {
  const blames = provider?.blames?.(error);
  if (blames === 'auth') return { class: blames, code: 'invalid_api_key' };
  if (blames === 'quota') return { class: blames, type: 'insufficient_quota' };
  return blames === undefined ? {} : { class: blames };
}

/** A 400 that does not blame the request: another channel may take it. */
function isNoRequestsFault(status: number, evidence: FailureEvidence): boolean {
  return status === 400 && evidence.class !== 'client';
}

/** Takes out of what an upstream says what is secret about the channel. */
export function hiderOf({ key }: RouteChannel): (text: string) => string {
  return (text) => hideSecrets(text, [key]);
}

/** The upstream's own status counts, not what the operator maps it to. */
function evidenceOf({ status, retryAfter }: Refusal, words: Words, nowMs: number): FailureEvidence {
  const [code, type] = [words.code.slice(0, maxIdChars), words.type.slice(0, maxIdChars)];
  const coolMs = coolDownMs(status, retryAfter, nowMs);
  return { class: classifyRefusal(status, code, type), status, code, type, message: words.message.slice(0, maxMessage), coolMs };
}

/** Without anything secret. */
interface Words {
  readonly message: string;
  readonly code: string;
  readonly type: string;
}

const maxRetrySeconds = 60;

/** What we tell the caller: the upstream's figure, at most 60 s, 5 s when it is unreadable (F-19). */
function retrySeconds(header: string | undefined, nowMs: number): number {
  const seconds = Math.ceil((coolDownMs(429, header, nowMs) ?? 0) / 1000);
  return Math.min(maxRetrySeconds, Math.max(1, seconds));
}

const limits = ['', '-requests', '-tokens'] as const;
const msOf: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

/**
 * The time to wait that stands in the head of a refusal: `Retry-After` as it is, else, of a refusal for coming too often,
 * when the limit that is used up begins anew (F-19), in seconds.
 */
export function retryAfterTold(status: number, headers: UpstreamHeaders, nowMs: number): string | undefined {
  const told = (name: string) => [headers[name]].flat()[0];
  const own = told('retry-after');
  if (own !== undefined || (status !== 429 && status !== 529)) return own;
  const waits = limits
    .filter((limit) => Number(told(`x-ratelimit-remaining${limit}`) ?? 0) <= 0)
    .map((limit) => resetMs(told(`x-ratelimit-reset${limit}`)?.trim() ?? '', nowMs));
  const wait = Math.max(...waits.filter((ms) => ms !== undefined));
  return wait >= 0 ? String(Math.ceil(wait / 1000)) : undefined;
}

/** Vendors tell a duration (`6m0s`, `120ms`), seconds, or a point in time in seconds or milliseconds. */
function resetMs(text: string, nowMs: number): number | undefined {
  if (text === '' || text.length > longestReset) return undefined;
  const figure = /^\d{1,16}(\.\d{1,6})?$/.test(text) ? Number(text) : undefined;
  if (figure !== undefined) {
    if (figure < firstPointInTime) return figure * 1000;
    return Math.max(0, (figure < firstPointInTime * 1000 ? figure * 1000 : figure) - nowMs);
  }
  if (!/^(\d{1,9}(\.\d{1,6})?(ms|[hms]))+$/.test(text)) return undefined;
  let ms = 0;
  for (const [, amount, unit = ''] of text.matchAll(/([\d.]+)(ms|[hms])/g)) ms += Number(amount) * (msOf[unit] ?? 0);
  return ms;
}

const longestReset = 64;
/** September 2001: nobody has us wait for so many seconds. */
const firstPointInTime = 1e9;

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
