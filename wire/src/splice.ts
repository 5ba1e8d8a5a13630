import { findMember } from './json-member.ts';
import type { JsonScan, Member } from './json-scan.ts';

/**
 * Edits of a JSON object's top-level members: key -> raw JSON text of its new value, or null to remove the key.
 * A key that the object lacks is added at its end; removing a key that it lacks does nothing.
 */
export type EditPlan = ReadonlyMap<string, string | null>;

/** Top-level fields with which a body could steer other gateways; they never reach an upstream. */
export const routingFields: readonly string[] = ['api_base', 'base_url', 'api_key', 'extra_headers'];

/** A plan that removes them, for edits to be added. */
export function routingRemoved(scan: JsonScan): Map<string, string | null> {
  return removed(scan, routingFields);
}

/** A plan that takes out those of these members that are there. */
export function removed(scan: JsonScan, fields: readonly string[]): Map<string, string | null> {
  const plan = new Map<string, string | null>();
  for (const field of fields) if (findMember(scan, field) !== undefined) plan.set(field, null);
  return plan;
}

interface Cut {
  readonly from: number;
  readonly to: number;
  readonly put: string;
}

/**
 * Applies the edits to the scanned body. Every byte that no edit names stays as it was; without an effective edit
 * the same Buffer comes back. The raw values must be valid JSON.
 */
export function splice(body: Buffer, scan: JsonScan, edits: EditPlan): Buffer {
  if (edits.size === 0) return body;
  const cuts = plan(scan, edits);
  if (cuts.length === 0) return body;
  const parts: Buffer[] = [];
  let at = 0;
  for (const cut of cuts) {
    if (cut.from > at) parts.push(body.subarray(at, cut.from));
    if (cut.put !== '') parts.push(Buffer.from(cut.put));
    at = cut.to;
  }
  parts.push(body.subarray(at));
  return Buffer.concat(parts);
}

function plan(scan: JsonScan, edits: EditPlan): Cut[] {
  const cuts: Cut[] = [];
  const { members } = scan;
  let lastKept: Member | undefined;
  let present = 0;
  for (const [index, member] of members.entries()) {
    const raw = edits.get(member.key);
    if (raw !== undefined) present += 1;
    if (raw !== null) {
      if (raw !== undefined) cuts.push({ from: member.valueStart, to: member.valueEnd, put: raw });
      lastKept = member;
      continue;
    }
    const before = members[index - 1];
    const next = members[index + 1];
    // Behind a kept member the comma in front goes along, before the first kept one the comma behind.
    if (lastKept !== undefined && before !== undefined) cuts.push({ from: before.valueEnd, to: member.valueEnd, put: '' });
    else cuts.push({ from: member.keyStart, to: next?.keyStart ?? member.valueEnd, put: '' });
  }
  if (present < edits.size) insert(cuts, additions(scan, edits), scan, lastKept);
  return cuts;
}

function additions(scan: JsonScan, edits: EditPlan): string[] {
  const texts: string[] = [];
  for (const [key, raw] of edits) {
    if (raw !== null && !scan.members.some((member) => member.key === key)) texts.push(`${JSON.stringify(key)}:${raw}`);
  }
  return texts;
}

function insert(cuts: Cut[], texts: readonly string[], scan: JsonScan, lastKept: Member | undefined): void {
  if (texts.length === 0) return;
  const at = lastKept?.valueEnd ?? scan.bodyStart;
  const put = lastKept === undefined ? texts.join(',') : `,${texts.join(',')}`;
  const index = cuts.findIndex((cut) => cut.from >= at);
  cuts.splice(index < 0 ? cuts.length : index, 0, { from: at, to: at, put });
}
