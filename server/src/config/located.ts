import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import type { Value } from './value.ts';

/** Something that is wrong with a file. `line` from 1; 0 = the file as a whole. */
export interface Fault {
  readonly line: number;
  readonly text: string;
}

type Scalar = null | boolean | number | string;

/** A piece of a file, and where it stands. */
export interface Located {
  readonly line: number;
  readonly value: Scalar | readonly Located[] | ReadonlyMap<string, Member>;
}

/** `line` is that of its name. */
interface Member {
  readonly line: number;
  readonly at: Located;
}

const maxDepth = 64;
const mostErrors = 20;
/** Characters. */
const maxLength = 16_000_000;

/** Reads YAML without anchors and tags; `undefined` where it cannot be read at all. */
export function readYaml(text: string, faults: Fault[]): Located | undefined {
  if (text.length > maxLength) {
    faults.push({ line: 0, text: `the file is longer than ${maxLength} characters` });
    return undefined;
  }
  const lines = new LineCounter();
  const document = parse(text, lines);
  if (document === undefined) {
    faults.push({ line: 0, text: 'the file is nested too deeply' });
    return undefined;
  }
  // One mistake may look like thousands.
  const errors = document.errors
    .slice(0, 1_000)
    .map(({ code, pos }) => ({ line: lines.linePos(pos[0]).line, text: meaningOf(code) }));
  const told = new Map(errors.map((fault) => [`${fault.line} ${fault.text}`, fault]));
  faults.push(...[...told.values()].slice(0, mostErrors));
  if (document.errors.length > 0) return undefined;
  const before = faults.length;
  const lineOf = (node: Node): number => (node.range ? lines.linePos(node.range[0]).line : 0);
  const root = document.contents === null ? undefined : locate(document.contents as Node, { faults, lineOf }, 0);
  if (document.contents === null) faults.push({ line: 0, text: 'the file is empty' });
  return faults.length > before ? undefined : root;
}

function parse(text: string, lineCounter: LineCounter) {
  try {
    return parseDocument(text, { lineCounter, prettyErrors: false, version: '1.2', schema: 'core', merge: false });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The library's own texts may quote the line, and with it what stands there. */
function meaningOf(code: string): string {
  if (code === 'DUPLICATE_KEY') return 'this name stands twice';
  return `this is not YAML (${code.toLowerCase().replaceAll('_', ' ')})`;
}

interface Place {
  readonly faults: Fault[];
  readonly lineOf: (node: Node) => number;
}

function locate(node: Node | null, place: Place, depth: number): Located {
  const line = node === null ? 0 : place.lineOf(node);
  const refuse = (text: string): Located => {
    place.faults.push({ line, text });
    return { line, value: null };
  };
  if (node === null) return { line, value: null };
  if (depth > maxDepth) return refuse('nested too deeply');
  if (isAlias(node) || node.anchor !== undefined) return refuse('anchors and aliases are not read here: write it out');
  if (isScalar(node)) {
    if (!isPlain(node.value)) return refuse('not a text, number or flag');
    return isStorable(node.value) ? { line, value: node.value } : refuse(unstorable);
  }
  if (isSeq(node)) return { line, value: node.items.map((item) => locate(item as Node | null, place, depth + 1)) };
  if (!isMap(node)) return refuse('not a text, list or map');
  const members = new Map<string, Member>();
  for (const { key, value } of node.items) {
    if (!isScalar(key)) return refuse('a name must be a text');
    const nameLine = place.lineOf(key);
    // What looks like a number or a flag is a name all the same.
    const name = typeof key.value === 'string' ? key.value : (key.source ?? '');
    if (!isStorable(name)) place.faults.push({ line: nameLine, text: unstorable });
    if (members.has(name)) place.faults.push({ line: nameLine, text: 'this name stands twice' });
    const at = locate(value as Node | null, place, depth + 1);
    members.set(name, { line: nameLine, at: at.line === 0 ? { ...at, line: nameLine } : at });
  }
  return { line, value: members };
}

function isPlain(value: unknown): value is Scalar {
  return value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

const unstorable = 'a NUL character or half of a character cannot be stored';

/** Databases would refuse it, or give something else back. */
function isStorable(value: Scalar): boolean {
  return typeof value !== 'string' || (value.isWellFormed() && !value.includes('\0'));
}

/** Without the lines. */
export function plainOf({ value }: Located): Value {
  if (isList(value)) return value.map(plainOf);
  if (value instanceof Map) return Object.fromEntries([...value].map(([name, { at }]) => [name, plainOf(at)]));
  return value as Scalar;
}

export function isList(value: Located['value']): value is readonly Located[] {
  return Array.isArray(value);
}

/** The members of a map; anything else is a fault and has none. Nothing at all is an empty one. */
export function membersOf({ line, value }: Located, what: string, faults: Fault[]): ReadonlyMap<string, Member> {
  if (value instanceof Map) return value;
  if (value !== null) faults.push({ line, text: `${what}: must be a map of names to values` });
  return new Map();
}
