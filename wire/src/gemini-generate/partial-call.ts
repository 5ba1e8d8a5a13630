import { asObject, asText, type JsonObject } from '../json.ts';
import { camelKeys, listOf } from './fields.ts';
import type { Signature } from './signature.ts';

/** A call that is whole. */
export interface FinishedCall {
  readonly call: JsonObject;
  readonly signature: Signature | undefined;
}

interface OpenCall {
  readonly head: JsonObject;
  readonly args: Record<string, unknown>;
  signature: Signature | undefined;
}

const maxChars = 4 * 1024 * 1024;
const maxSteps = 64;
const maxIndex = 10_000;
const nullChars = 5;
/** `$.a.b`, `$['a b']`, `$.list[0].c` (RFC 9535, names and indices). */
const step = /\.([^.[\]]+)|\[(\d{1,6})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/gy;

/**
 * Puts calls together whose arguments come in pieces: `partialArgs` names a place and a value, strings are continued, and
 * `willContinue` says that there is more. Calls that come whole pass. Never throws.
 */
export class CallAssembly {
  #open: OpenCall | undefined;
  #chars = 0;

  /** More came than can be kept: the call that goes on lacks some of its arguments. */
  get isTooLong(): boolean {
    return this.#chars > maxChars;
  }

  /** The call that goes on: its name, and its id where it has one. */
  get head(): JsonObject | undefined {
    return this.#open?.head;
  }

  /** The arguments of the call that goes on, as far as they have come: the beginning of a JSON text. "" = none have. */
  get written(): string {
    const args = this.#open?.args ?? {};
    return Object.keys(args).length === 0 ? '' : withoutEnd(JSON.stringify(args));
  }

  /** The calls that are whole now, in their order. */
  take(call: JsonObject, signature: Signature | undefined): FinishedCall[] {
    const { partialArgs, willContinue, ...head } = call;
    const isNew = asText(head.name) !== '';
    const before = isNew ? this.finish() : [];
    if (isNew && partialArgs === undefined && willContinue !== true) return [...before, { call: head, signature }];
    if (isNew) {
      this.#open = { head, args: {}, signature };
      for (const [name, value] of Object.entries(asObject(head.args) ?? {})) this.#set([name], value);
    }
    const open = this.#open;
    if (open === undefined) return before;
    open.signature ??= signature;
    for (const raw of listOf(partialArgs)) {
      const partial = camelKeys(raw);
      this.#set(stepsOf(asText(partial.jsonPath)), valueIn(partial));
    }
    return willContinue === true ? before : [...before, ...this.finish()];
  }

  /** What is open is whole: another call began, or the answer has its reason. */
  finish(): FinishedCall[] {
    const open = this.#open;
    this.#open = undefined;
    return open === undefined ? [] : [{ call: { ...open.head, args: open.args }, signature: open.signature }];
  }

  #set(steps: readonly (string | number)[] | undefined, value: unknown) {
    const last = steps?.at(-1);
    if (steps === undefined || last === undefined || value === undefined || this.#open === undefined) return;
    this.#chars += typeof value === 'string' ? value.length : JSON.stringify(value).length;
    if (this.isTooLong) return;
    let place: unknown = this.#open.args;
    for (const [at, name] of steps.slice(0, -1).entries()) place = this.#inside(place, name, steps[at + 1]);
    const known = own(place, last);
    this.#put(place, last, typeof value === 'string' && typeof known === 'string' ? known + value : value);
  }

  /** What stands there, made when nothing does: a list where an index follows. */
  #inside(place: unknown, name: string | number, next: string | number | undefined): unknown {
    const known = own(place, name);
    if (typeof known === 'object' && known !== null) return known;
    const fresh = typeof next === 'number' ? [] : {};
    this.#put(place, name, fresh);
    return fresh;
  }

  /** As a member of its own, whatever its name. */
  #put(place: unknown, name: string | number, value: unknown) {
    if (typeof place !== 'object' || place === null) return;
    if (Array.isArray(place)) {
      if (typeof name !== 'number' || name > maxIndex) return;
      // Each of the places that are left out before it is spelled as `null`.
      this.#chars += nullChars * Math.max(name - place.length, 0);
    } else if (!Object.hasOwn(place, name)) this.#chars += String(name).length;
    if (this.isTooLong) return;
    Object.defineProperty(place, name, { value, writable: true, enumerable: true, configurable: true });
  }
}

/** What closes it was not said yet. */
function withoutEnd(json: string): string {
  let end = json.length;
  while (end > 0 && '"}]'.includes(json[end - 1] ?? '')) end -= 1;
  return json.slice(0, end);
}

function valueIn(partial: JsonObject): unknown {
  const { stringValue, numberValue, boolValue } = partial;
  return 'nullValue' in partial ? null : (stringValue ?? numberValue ?? boolValue);
}

/** Undefined: no path that is understood. */
function stepsOf(path: string): (string | number)[] | undefined {
  if (!path.startsWith('$')) return undefined;
  const steps: (string | number)[] = [];
  step.lastIndex = 1;
  while (step.lastIndex < path.length) {
    const match = step.exec(path);
    if (match === null || steps.length >= maxSteps) return undefined;
    const [, name, index, single, double] = match;
    const quoted = single ?? double;
    if (index !== undefined) steps.push(Number(index));
    else steps.push(name ?? (quoted ?? '').replaceAll(/\\(.)/g, '$1'));
  }
  return steps;
}

function own(place: unknown, name: string | number): unknown {
  return typeof place === 'object' && place !== null && Object.hasOwn(place, name)
    ? (place as Record<string | number, unknown>)[name]
    : undefined;
}
