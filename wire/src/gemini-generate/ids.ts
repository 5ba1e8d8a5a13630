/**
 * Calls need no id in this dialect: a response then belongs to the earliest call of its name that has none yet, and to the
 * earliest of all where the caller spells its name in two ways. Other dialects need one, so ids are made up on the way in
 * and left out on the way back.
 */
export interface CallIds {
  /** The id of the next call; `given` "" = it has none. */
  call(given: string, name: string): string;
  /** The id of the call that a response answers. */
  result(given: string, name: string): string;
}

interface Pending {
  readonly id: string;
  isAnswered: boolean;
}

/** Ids for one conversation, in its order. */
export function createCallIds(): CallIds {
  let calls = 0;
  const byId = new Map<string, Pending>();
  /** Calls by their names: those whose ids were made, and those that came with theirs. */
  const made = new Map<string, Queue>();
  const named = new Map<string, Queue>();
  const all: Queue = { calls: [], next: 0 };
  return {
    call(given, name) {
      calls += 1;
      const call = { id: given === '' ? `call_${calls}` : given, isAnswered: false };
      byId.set(call.id, call);
      all.calls.push(call);
      const byName = given === '' ? made : named;
      const queue = byName.get(name);
      if (queue === undefined) byName.set(name, { calls: [call], next: 0 });
      else queue.calls.push(call);
      return call.id;
    },
    result(given, name) {
      const exact = given === '' ? undefined : byId.get(given);
      // A call may have lost the id that its response still bears, and a response the one of its call.
      const sameName = exact ?? firstOpen(made.get(name));
      const found = sameName ?? (given === '' ? (firstOpen(named.get(name)) ?? firstOpen(all)) : undefined);
      if (found !== undefined) found.isAnswered = true;
      return found?.id ?? given;
    },
  };
}

/** Calls in their order, of which those before `next` are answered. */
interface Queue {
  readonly calls: Pending[];
  next: number;
}

function firstOpen(queue: Queue | undefined): Pending | undefined {
  if (queue === undefined) return undefined;
  while (queue.calls[queue.next]?.isAnswered === true) queue.next += 1;
  return queue.calls[queue.next];
}

const maxScopeChars = 24;

/** An id for the n-th call of an answer: unlike any id of another answer, as clients keep calls of several by their ids. */
export function answerCallId(n: number, choice: number, responseId: string): string {
  const scope = responseId.replace(/[^A-Za-z0-9]/g, '').slice(0, maxScopeChars);
  return `call_${n}${choice === 0 ? '' : `_${choice}`}_g${scope}`;
}

/** Was the id made up for an answer? */
function isMadeUp(id: string): boolean {
  return /^call_\d{1,5}(_\d{1,3})?_g[A-Za-z0-9]{0,24}$/.test(id);
}

/** Which ids of a neutral conversation are worth telling. */
export interface IdSpeller {
  /** What to send with the call; "" = nothing. */
  call(id: string, name: string): string;
  /** Name and id to send with a result. */
  result(id: string, name: string): { readonly id: string; readonly name: string };
  /** Results that answer calls of one name, in the order of the calls. */
  order(id: string): number;
}

/** Leaves out what was made up: the ids that `createCallIds` would give again. A client is told every id. */
export function createIdSpeller(tellsAll = false): IdSpeller {
  const calls = new Map<string, { readonly name: string; readonly sent: string; readonly order: number }>();
  let count = 0;
  return {
    call(id, name) {
      count += 1;
      const sent = !tellsAll && (id === `call_${count}` || isMadeUp(id)) ? '' : id;
      calls.set(id, { name, sent, order: count });
      return sent;
    },
    result(id, name) {
      const call = calls.get(id);
      if (call === undefined) return { id, name: name === '' ? 'unknown' : name };
      return { id: call.sent, name: call.name };
    },
    order: (id) => calls.get(id)?.order ?? 0,
  };
}
