import { createFreeNames } from '../chat/free-names.ts';
import { createOpenCalls } from '../chat/open-calls.ts';
import type { ToolCallPart, ToolResultPart } from '../chat/parts.ts';

/**
 * Ids of calls as this dialect takes them. A call without an id gets one by its place, and the next result without an
 * id for a function of that name is its result.
 */
export function createCallIds(): (part: ToolCallPart | ToolResultPart) => string {
  const open = createOpenCalls();
  let count = 0;
  const spelled = new Map<string, string>();
  const freeName = createFreeNames();
  const respelled = (id: string): string => {
    const own = spelled.get(id) ?? freeName(id.replace(/[^a-zA-Z0-9_-]/g, '_'));
    spelled.set(id, own);
    return own;
  };
  return (part) => {
    if (part.id !== '') return respelled(part.id);
    const called = part.kind === 'tool-result' ? open.take(part.name) : undefined;
    if (called !== undefined) return called;
    count += 1;
    const id = freeName(`toolu_${count}`);
    if (part.kind === 'tool-call') open.add(id, part.name);
    return id;
  };
}
