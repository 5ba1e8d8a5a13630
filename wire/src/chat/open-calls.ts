/** The ids of calls whose results have not come yet. What is taken is gone; however many wait, taking costs the same. */
export interface OpenCalls {
  add(id: string, name: string): void;
  /** The oldest call of that function; undefined = none is open. */
  take(name: string): string | undefined;
  takeOldest(): string | undefined;
}

interface OpenCall {
  readonly id: string;
  isTaken: boolean;
}

/** Calls in their order, of which those before `next` are taken. */
interface Queue {
  readonly calls: OpenCall[];
  next: number;
}

/** An empty list. */
export function createOpenCalls(): OpenCalls {
  const all: Queue = { calls: [], next: 0 };
  const byName = new Map<string, Queue>();
  return {
    add(id, name) {
      const call = { id, isTaken: false };
      all.calls.push(call);
      const queue = byName.get(name);
      if (queue === undefined) byName.set(name, { calls: [call], next: 0 });
      else queue.calls.push(call);
    },
    take: (name) => takeFrom(byName.get(name)),
    takeOldest: () => takeFrom(all),
  };
}

function takeFrom(queue: Queue | undefined): string | undefined {
  if (queue === undefined) return undefined;
  while (queue.calls[queue.next]?.isTaken === true) queue.next += 1;
  const call = queue.calls[queue.next];
  if (call !== undefined) call.isTaken = true;
  return call?.id;
}
