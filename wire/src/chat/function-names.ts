import type { Part } from './parts.ts';
import type { ChatRequest } from './request.ts';

/** A request whose functions are named as its target takes it. */
export interface RenamedFunctions {
  readonly request: ChatRequest;
  /** The caller's name of a function that the answer calls. */
  original(name: string): string;
}

/** Fits every dialect. */
const maxChars = 64;
const hashChars = 8;

/** Gives the functions of a request names that fit where theirs do not; undefined = all of them fit. */
export function renameFunctions(request: ChatRequest, fits: RegExp): RenamedFunctions | undefined {
  const names = new Set(namesIn(request));
  const odd = [...names].filter((name) => name !== '' && !fits.test(name));
  if (odd.length === 0) return undefined;
  const spelled = new Map<string, string>();
  const freeName = createNaming(names);
  for (const name of odd) {
    const free = freeName(name);
    names.add(free);
    spelled.set(name, free);
  }
  const originals = new Map([...spelled].map(([name, other]) => [other, name]));
  const rename = (name: string) => spelled.get(name) ?? name;
  return { request: renamed(request, rename), original: (name) => originals.get(name) ?? name };
}

function namesIn({ tools, toolChoice, allowedTools = [], messages }: ChatRequest): string[] {
  const called = messages.flatMap(({ parts }) => parts.flatMap((part) => ('name' in part && isCall(part) ? [part.name] : [])));
  const offered = tools.flatMap((tool) => (tool.kind === 'function' ? [tool.name] : []));
  const chosen = typeof toolChoice === 'object' ? [toolChoice.name] : allowedTools;
  return [...offered, ...chosen, ...called];
}

function isCall(part: Part): part is Extract<Part, { kind: 'tool-call' | 'tool-result' }> {
  return part.kind === 'tool-call' || part.kind === 'tool-result';
}

/**
 * Finds what fits of a name; with a mark of its own where something was cut off or another one is called so. What is
 * `taken` only grows: names that lead to the same marks go on where the last of them stopped.
 */
function createNaming(taken: ReadonlySet<string>): (name: string) => string {
  const tried = new Map<string, number>();
  return (name) => {
    const plain = name.replace(/[^a-zA-Z0-9_-]/g, '_').replace(/^(?=[^a-zA-Z_])/, '_');
    if (plain.length <= maxChars && !taken.has(plain)) return plain;
    const hash = hashOf(name);
    const stem = plain.slice(0, maxChars - hashChars - 1);
    const key = `${stem}_${hash}`;
    for (let salt = tried.get(key) ?? 0; ; salt += 1) {
      const mark = hashOf(String(salt), hash).toString(16).padStart(hashChars, '0');
      if (taken.has(`${stem}_${mark}`)) continue;
      tried.set(key, salt);
      return `${stem}_${mark}`;
    }
  };
}

/** FNV-1a: the same name is spelled alike in every turn, so that what an upstream has cached fits. `from` = what stands before. */
function hashOf(text: string, from = 0x811c9dc5): number {
  let hash = from;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}

function renamed(request: ChatRequest, rename: (name: string) => string): ChatRequest {
  const { tools, toolChoice, allowedTools, messages } = request;
  return {
    ...request,
    tools: tools.map((tool) => (tool.kind === 'function' ? { ...tool, name: rename(tool.name) } : tool)),
    ...(typeof toolChoice === 'object' ? { toolChoice: { name: rename(toolChoice.name) } } : {}),
    ...(allowedTools === undefined ? {} : { allowedTools: allowedTools.map(rename) }),
    messages: messages.map((message) => ({
      ...message,
      parts: message.parts.map((part) => (isCall(part) ? { ...part, name: rename(part.name) } : part)),
    })),
  };
}
