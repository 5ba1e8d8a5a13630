import { type TaskStatus, taskStatuses } from '@tollgate/contract';
import { asNumber, asObject, type JsonObject, type WireError } from '@tollgate/wire';

/** Readers for what upstreams send: total, bounded. */
export function objectOf(value: unknown): JsonObject {
  return asObject(value) ?? {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Text, also of a number; "" for anything else. */
export function textOf(value: unknown, maxChars = 4_096): string {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'string' ? value.slice(0, maxChars) : '';
}

/** A status by the contract's name for it, which is that of these upstreams; undefined for anything else. */
export function statusOf(value: unknown): TaskStatus | undefined {
  return taskStatuses.find((status) => status !== '' && status === value);
}

/** A percentage as a number or as text such as `50%`. */
export function percentOf(value: unknown): number | undefined {
  const percent = typeof value === 'number' ? value : Number.parseFloat(textOf(value, 32));
  return Number.isFinite(percent) && percent >= 0 && percent <= 100 ? Math.floor(percent) : undefined;
}

const latestMs = 253_402_300_800_000;

/** A point in time in milliseconds; undefined for 0 and nonsense. */
export function timeOf(value: unknown, unitMs: number): number | undefined {
  const ms = asNumber(value) * unitMs;
  return Number.isFinite(ms) && ms > 0 && ms < latestMs ? Math.round(ms) : undefined;
}

/** An address that may be shown to people and fetched; "" for anything else. */
export function addressOf(value: unknown): string {
  const text = textOf(value, 8_192);
  const url = URL.parse(text);
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:') && text.length <= 4_096 ? text : '';
}

/** Of an upstream that took a task and did not say which: nobody could ask for it. */
export function nameless(code: string | number): WireError {
  return { message: 'the answer names no task', type: 'upstream_error', param: null, code: String(code) };
}
