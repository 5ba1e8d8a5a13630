import type { IncomingHttpHeaders } from 'node:http';
import { role, tokenStatus } from '@tollgate/contract';
import { type KeyRecord, type Keyring, keyRefusal, readingsOf } from '../identity/index.ts';
import { codelessFault } from './faults.ts';

export interface Authenticated {
  readonly key: KeyRecord;
  /** Channel an administrator chose with `sk-KEY-CHANNELID`; NaN when it is no number. */
  readonly pinnedChannel: number | undefined;
}

/** Who calls in `dialect`: reads the key and checks token and owner in the order of contract 5.2. At once when the key is known. Throws or rejects with RelayFault. */
export function authenticate(
  keyring: Keyring,
  headers: IncomingHttpHeaders,
  query: URLSearchParams | undefined,
  nowSeconds: number,
  dialect = '',
): Authenticated | Promise<Authenticated> {
  const readings = readingsOf(secretIn(headers, query, dialect));
  if (readings.some(({ key }) => key === '')) throw codelessFault('token_missing');
  const check = (key: KeyRecord, pin: string | undefined): Authenticated => {
    checkToken(keyring, key, nowSeconds);
    if (pin !== undefined && key.user.role < role.admin) throw codelessFault('channel_pin_refused');
    return { key, pinnedChannel: pin === undefined ? undefined : /^\d{1,15}$/.test(pin) ? Number(pin) : Number.NaN };
  };
  const tryFrom = (index: number): Authenticated | Promise<Authenticated> => {
    const reading = readings[index];
    if (reading === undefined) throw codelessFault('token_unknown');
    const judge = (key: KeyRecord | undefined) => (key === undefined ? tryFrom(index + 1) : check(key, reading.channel));
    const found = keyring.lookup(reading.key);
    return found instanceof Promise ? found.then(judge) : judge(found);
  };
  return tryFrom(0);
}

const socketKey = 'openai-insecure-api-key.';

/**
 * The key as the SDKs of all dialects send it (contract 5.1). A caller that gives several means the first of these: that of
 * the dialect it speaks, since what stands in another one's place may be a proxy's own.
 */
function secretIn(headers: IncomingHttpHeaders, query: URLSearchParams | undefined, dialect: string): string {
  const { authorization = '' } = headers;
  const plain = trimmed(headers['x-api-key']);
  const native = () => trimmed(headers['x-goog-api-key']) || trimmed(query?.get('key'));
  const isPlain = dialect === 'anthropic-messages' || headers['anthropic-version'] !== undefined;
  return (
    viaSocket(headers['sec-websocket-protocol']) ||
    (isPlain ? plain : '') ||
    (dialect.startsWith('gemini-') ? native() : '') ||
    (authorization === drawingPlaceholder ? '' : authorization.replace(/^Bearer(?:\s+|$)/i, '').trim()) ||
    trimmed(headers['mj-api-secret']) ||
    plain ||
    native()
  );
}

function trimmed(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

function viaSocket(protocols: string | undefined): string {
  if (protocols === undefined) return '';
  const words = protocols.split(',').map((word) => word.trim());
  return trimmed(words.find((word) => word.startsWith(socketKey))?.slice(socketKey.length));
}

/** What clients of the drawing protocol send instead of a bearer key. */
const drawingPlaceholder = 'midjourney-proxy';

/** Throws RelayFault. */
function checkToken(keyring: Keyring, key: KeyRecord, nowSeconds: number): void {
  const refused = keyRefusal(key, nowSeconds);
  if (refused === undefined) return;
  // The refusal stands whether or not the row could be updated.
  if (refused === 'token_expired' && key.status === tokenStatus.enabled) keyring.markExpired(key).catch(() => undefined);
  throw codelessFault(refused, refused === 'token_exhausted_status' ? { key: key.masked } : {});
}
