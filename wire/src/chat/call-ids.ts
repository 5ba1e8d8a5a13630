import { createFreeNames } from './free-names.ts';
import { createOpenCalls } from './open-calls.ts';
import type { Part } from './parts.ts';
import type { Message } from './request.ts';

/**
 * Names calls that came from a dialect without ids, and the results that belong to them: the oldest open call of the
 * same function, else the oldest. The same conversation gets the same ids again. Without such calls it comes back as is.
 */
export function withCallIds(messages: readonly Message[]): readonly Message[] {
  if (!messages.some(({ parts }) => parts.some(isNameless))) return messages;
  const open = createOpenCalls();
  const freeName = createFreeNames(new Set(messages.flatMap(({ parts }) => parts.flatMap(idOf))));
  let count = 0;
  const newId = () => {
    count += 1;
    return freeName(`call_${String(count).padStart(4, '0')}`);
  };
  const named = (part: Part): Part => {
    if (!isNameless(part)) return part;
    if (part.kind === 'tool-call') {
      const id = newId();
      open.add(id, part.name);
      return { ...part, id };
    }
    return { ...part, id: open.take(part.name) ?? open.takeOldest() ?? newId() };
  };
  return messages.map((message) => ({ ...message, parts: message.parts.map(named) }));
}

function idOf(part: Part): string[] {
  return part.kind === 'tool-call' || part.kind === 'tool-result' ? [part.id] : [];
}

function isNameless(part: Part): part is Extract<Part, { kind: 'tool-call' | 'tool-result' }> {
  return (part.kind === 'tool-call' || part.kind === 'tool-result') && part.id === '';
}
