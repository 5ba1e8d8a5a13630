import type { Part, ReasoningPart, ToolCallPart } from '../chat/parts.ts';
import { type Sealed, unseal } from '../chat/seal.ts';

/** The parts of a caller's message with the sealed values back where they belong. */
export function unsealParts(parts: readonly Part[]): Part[] {
  const result: Part[] = [];
  let callAt = -1;
  for (const part of parts) {
    if (part.kind === 'tool-call') callAt = result.length;
    const found = part.kind === 'reasoning' ? unseal(part.redacted ?? part.signature ?? '') : undefined;
    if (part.kind !== 'reasoning' || found === undefined) result.push(part);
    else if (found.of === 'call') signCall(result, callAt, found);
    else result.push(unsealed(part, found));
  }
  return result;
}

function unsealed({ text }: ReasoningPart, { of, dialect, value }: Sealed): ReasoningPart {
  const proof = value === '' ? {} : of === 'redacted' ? { redacted: value } : { signature: value };
  return { kind: 'reasoning', text, ...proof, dialect };
}

function signCall(parts: Part[], at: number, { dialect, value }: Sealed): void {
  const call = parts[at] as ToolCallPart | undefined;
  if (call !== undefined) parts[at] = { ...call, signature: value, dialect };
}
