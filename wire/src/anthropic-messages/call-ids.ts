import type { ToolCallPart, ToolResultPart } from '../chat/parts.ts';

/**
 * Ids of calls as this dialect takes them. A call without an id gets one by its place, and the next result without an
 * id for a function of that name is its result.
 */
export function createCallIds(): (part: ToolCallPart | ToolResultPart) => string {
  const waiting: { readonly id: string; readonly name: string }[] = [];
  let count = 0;
  return (part) => {
    if (part.id !== '') return part.id.replace(/[^a-zA-Z0-9_-]/g, '_');
    if (part.kind === 'tool-result') {
      const at = waiting.findIndex(({ name }) => name === part.name);
      const [call] = at < 0 ? [] : waiting.splice(at, 1);
      if (call !== undefined) return call.id;
    }
    count += 1;
    const id = `toolu_${count}`;
    if (part.kind === 'tool-call') waiting.push({ id, name: part.name });
    return id;
  };
}
