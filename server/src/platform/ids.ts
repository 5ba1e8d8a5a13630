import { randomBytes } from 'node:crypto';
import type { Clock } from './clock.ts';

const alphanumerics = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Largest multiple of 62 below 256: bytes above it would favour some characters. */
const fairBytes = 248;
const poolBytes = 4096;

let pool = Buffer.alloc(0);
let poolUsed = 0;

/** `length` characters of [0-9A-Za-z], uniform, from the system's random source. */
export function randomAlphanumerics(length: number): string {
  let text = '';
  while (text.length < length) {
    if (poolUsed === pool.length) {
      pool = randomBytes(poolBytes);
      poolUsed = 0;
    }
    const byte = pool[poolUsed] ?? fairBytes;
    pool[poolUsed++] = 0;
    if (byte < fairBytes) text += alphanumerics[byte % alphanumerics.length];
  }
  return text;
}

/** 000 to 999. */
const digits = Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, '0'));

let second = -1;
let secondText = '';

/** `YYYYMMDDhhmmss` (UTC) + 9 digits of nanoseconds + 8 random alphanumerics (contract 1.1). */
export function requestId(clock: Clock): string {
  const nowMs = clock.nowMs();
  const nowSecond = Math.floor(nowMs / 1000);
  if (nowSecond !== second) {
    second = nowSecond;
    secondText = new Date(nowSecond * 1000).toISOString().slice(0, 19).replaceAll(/\D/g, '');
  }
  const millis = Math.floor(nowMs % 1000);
  const nanos = Math.floor((clock.monotonicMs() % 1) * 1_000_000);
  return `${secondText}${digits[millis]}${digits[Math.floor(nanos / 1000)]}${digits[nanos % 1000]}${randomAlphanumerics(8)}`;
}

/** Characters of an API token's key, without the `sk-` prefix. */
const tokenKeyLength = 48;

export function newTokenKey(): string {
  return randomAlphanumerics(tokenKeyLength);
}

/** 256 random bits as text: sessions, one-time references. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Whether it has the form of such a secret. */
export function isSecret(text: string | undefined): text is string {
  return text !== undefined && /^[\w-]{43}$/.test(text);
}
