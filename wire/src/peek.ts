import { findMember, memberBoolean, memberNumber, memberText } from './json-member.ts';
import type { JsonScan, Member } from './json-scan.ts';
import type { PeekResult, RefusalCode } from './request.ts';

/** Reading, from a body's bytes, the members that the requests of several dialects share. */

/** Half of the largest 32-bit integer (contract 6.2). */
export const maxCap = 1_073_741_823;
export const maxModelBytes = 4096;
/** Rulings 11: no blanks, no control, format or unassigned characters, no lone surrogates. */
export const modelName = /^[^\s\p{C}]{1,255}$/u;

export type Refusal = Extract<PeekResult, { readonly ok: false }>;

/** A member is missing or wrong; `reason` is shown to the caller. */
export function refuse(reason: string, code: RefusalCode = 'invalid_text_request'): Refusal {
  return { ok: false, code, reason };
}

/** The model's name, or why it is none. */
export function readModel(body: Buffer, scan: JsonScan): string | Refusal {
  const model = memberText(body, findMember(scan, 'model'), maxModelBytes);
  if (model === undefined || model === '') return refuse('model is required');
  return modelName.test(model) ? model : refuse('model is invalid');
}

export function isAbsent(member: Member | undefined): boolean {
  return member === undefined || member.kind === 'null';
}

/** Nothing stands between the brackets or quotes. */
export function isEmpty(body: Buffer, member: Member): boolean {
  let at = member.valueStart + 1;
  while (at < member.valueEnd - 1 && (body[at] ?? 0) <= 0x20) at += 1;
  return at === member.valueEnd - 1;
}

/** A cap in tokens. 0 is "not given": upstreams disagree whether it means none or no limit. */
export function readCap(body: Buffer, member: Member | undefined): number | undefined | 'invalid' {
  if (isAbsent(member)) return undefined;
  const value = memberNumber(body, member);
  if (value === undefined || !Number.isInteger(value) || value < 0 || value > maxCap) return 'invalid';
  return value === 0 ? undefined : value;
}

/** Only real booleans: an upstream that reads 1 or "true" as true would answer in another way than is expected here. */
export function readFlag(body: Buffer, member: Member | undefined): boolean | undefined {
  return isAbsent(member) ? false : memberBoolean(body, member);
}
