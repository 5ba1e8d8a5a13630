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
  for (const name of odd) {
    const free = freeName(name, names);
    names.add(free);
    spelled.set(name, free);
  }
  const originals = new Map([...spelled].map(([name, other]) => [other, name]));
  const rename = (name: string) => spelled.get(name) ?? name;
  return { request: renamed(request, rename), original: (name) => originals.get(name) ?? name };
}

function namesIn({ tools, toolChoice, messages }: ChatRequest): string[] {
  const called = messages.flatMap(({ parts }) => parts.flatMap((part) => ('name' in part && isCall(part) ? [part.name] : [])));
  const offered = tools.flatMap((tool) => (tool.kind === 'function' ? [tool.name] : []));
  return [...offered, ...(typeof toolChoice === 'object' ? [toolChoice.name] : []), ...called];
}

function isCall(part: Part): part is Extract<Part, { kind: 'tool-call' | 'tool-result' }> {
  return part.kind === 'tool-call' || part.kind === 'tool-result';
}

/** What fits of a name; with a mark of its own where something was cut off or another one is called so. */
function freeName(name: string, taken: ReadonlySet<string>): string {
  const plain = name.replace(/[^a-zA-Z0-9_-]/g, '_').replace(/^(?=[^a-zA-Z_])/, '_');
  if (plain.length <= maxChars && !taken.has(plain)) return plain;
  for (let salt = 0; ; salt += 1) {
    const marked = `${plain.slice(0, maxChars - hashChars - 1)}_${hashOf(`${name}${salt}`)}`;
    if (!taken.has(marked)) return marked;
  }
}

/** FNV-1a: the same name is spelled alike in every turn, so that what an upstream has cached fits. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash.toString(16).padStart(hashChars, '0');
}

function renamed(request: ChatRequest, rename: (name: string) => string): ChatRequest {
  const { tools, toolChoice, messages } = request;
  return {
    ...request,
    tools: tools.map((tool) => (tool.kind === 'function' ? { ...tool, name: rename(tool.name) } : tool)),
    ...(typeof toolChoice === 'object' ? { toolChoice: { name: rename(toolChoice.name) } } : {}),
    messages: messages.map((message) => ({
      ...message,
      parts: message.parts.map((part) => (isCall(part) ? { ...part, name: rename(part.name) } : part)),
    })),
  };
}
