import type { JsonScan, Member } from './json-scan.ts';
import { decodeString } from './json-text.ts';

/** The member of that name, undefined when the object has none. */
export function findMember(scan: JsonScan, key: string): Member | undefined {
  for (const member of scan.members) if (member.key === key) return member;
  return undefined;
}

/** A string member's text; undefined when it is not a string, longer than `maxBytes`, or not decodable. */
export function memberText(body: Buffer, member: Member | undefined, maxBytes: number): string | undefined {
  if (member?.kind !== 'string' || member.valueEnd - member.valueStart - 2 > maxBytes) return undefined;
  return decodeString(body, member.valueStart + 1, member.valueEnd - 1);
}

/** A number member's value; undefined when it is not a number or longer than any number needs to be. */
export function memberNumber(body: Buffer, member: Member | undefined): number | undefined {
  if (member?.kind !== 'number' || member.valueEnd - member.valueStart > 400) return undefined;
  return Number(body.toString('latin1', member.valueStart, member.valueEnd));
}

/** A boolean member's value; undefined when it is not a boolean. */
export function memberBoolean(body: Buffer, member: Member | undefined): boolean | undefined {
  return member?.kind === 'boolean' ? body[member.valueStart] === 0x74 : undefined;
}
