import type { Part, ReasoningPart, ToolCallPart } from '../chat/parts.ts';
import { dialectName } from './types.ts';

/**
 * Opaque values of other dialects travel to the caller inside thinking blocks, tagged with where they belong: callers
 * bring those blocks back unchanged. `of` = what they are: a signature or redacted thinking of a reasoning part, or the
 * signature of the tool call in front.
 */
interface Sealed {
  readonly of: 'signature' | 'redacted' | 'call';
  readonly dialect: string;
  readonly value: string;
}

const sealed = /^foreign\.(signature|redacted|call)\.([a-z0-9-]{1,64})\./;

/** The text of a `signature` or of redacted `data`. A value of this dialect stays as it is. */
export function seal({ of, dialect, value }: Sealed): string {
  return dialect === dialectName ? value : `foreign.${of}.${dialect}.${value}`;
}

function unseal(text: string): Sealed | undefined {
  const match = sealed.exec(text);
  if (match === null) return undefined;
  const [head, of, dialect = ''] = match;
  return { of: of as Sealed['of'], dialect, value: text.slice(head.length) };
}

/** The parts of a caller's message with the sealed values back where they belong. */
export function unsealParts(parts: readonly Part[]): Part[] {
  const result: Part[] = [];
  for (const part of parts) {
    const found = part.kind === 'reasoning' ? unseal(part.redacted ?? part.signature ?? '') : undefined;
    if (part.kind !== 'reasoning' || found === undefined) result.push(part);
    else if (found.of === 'call') signCall(result, found);
    else result.push(unsealed(part, found));
  }
  return result;
}

function unsealed({ text }: ReasoningPart, { of, dialect, value }: Sealed): ReasoningPart {
  return { kind: 'reasoning', text, ...(of === 'redacted' ? { redacted: value } : { signature: value }), dialect };
}

function signCall(parts: Part[], { dialect, value }: Sealed): void {
  const at = parts.findLastIndex(({ kind }) => kind === 'tool-call');
  const call = parts[at] as ToolCallPart | undefined;
  if (call !== undefined) parts[at] = { ...call, signature: value, dialect };
}
