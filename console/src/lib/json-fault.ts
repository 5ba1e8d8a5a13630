export interface JsonFault {
  /** Both count from 1. */
  line: number;
  column: number;
}

const maxDepth = 64;
const scalar = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)/y;
const string = /"(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;
const blank = /[ \t\r\n]*/y;

function match(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}
const skip = (text: string, at: number): number => match(blank, text, at);

/** Where the members of an object or array end, or `-1 - position` of the first fault. */
function scanMembers(text: string, start: number, depth: number): number {
  const isObject = text[start] === '{';
  const close = isObject ? '}' : ']';
  let at = skip(text, start + 1);
  if (text[at] === close) return at + 1;
  while (at < text.length) {
    if (isObject) {
      const end = match(string, text, at);
      if (end < 0) return -1 - at;
      at = skip(text, end);
      if (text[at] !== ':') return -1 - at;
      at = skip(text, at + 1);
    }
    const next = scanValue(text, at, depth + 1);
    if (next < 0) return next;
    at = skip(text, next);
    if (text[at] === close) return at + 1;
    if (text[at] !== ',') return -1 - at;
    at = skip(text, at + 1);
  }
  return -1 - at;
}

function scanValue(text: string, at: number, depth: number): number {
  if (depth > maxDepth) return -1 - at;
  if (text[at] === '{' || text[at] === '[') return scanMembers(text, at, depth);
  const end = match(text[at] === '"' ? string : scalar, text, at);
  return end < 0 ? -1 - at : end;
}

/** Line and column of the first syntax error, the same in every browser; undefined when the text is JSON. */
export function findJsonFault(text: string): JsonFault | undefined {
  const end = scanValue(text, skip(text, 0), 0);
  const after = end < 0 ? end : skip(text, end);
  if (after === text.length) return undefined;
  const before = text.slice(0, after < 0 ? -1 - after : after);
  return { line: before.split('\n').length, column: before.length - before.lastIndexOf('\n') };
}
