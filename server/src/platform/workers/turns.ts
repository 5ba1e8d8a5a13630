import type { Line } from './line.ts';

/** Runs a body when it is this process's turn. */
export type InTurn = <T>(body: () => Promise<T>) => Promise<T>;

/**
 * The turns in which the workers of one server write into the embedded database. Its own lock already lets one in at a
 * time, but whoever waits there looks only now and then: under load some would wait for ever. A turn that does not come
 * within a second is not waited for.
 */
export function createWorkerTurns(line: Line): InTurn {
  let tickets = 0;
  return async (body) => {
    tickets += 1;
    const ticket = tickets;
    await line.ask('turn', ticket);
    try {
      return await body();
    } finally {
      line.tell('turned', ticket);
    }
  };
}

interface Ticket {
  readonly from: number;
  readonly ticket: number;
  readonly grant: () => void;
}

/** A worker that stands still must not keep the others out. */
const longestMs = 2_000;

/** The turns themselves, in the process that started the workers: first come, first served. */
export function createTurnsOfWorkers() {
  let line: Ticket[] = [];
  let timer: NodeJS.Timeout | undefined;
  const grantFirst = () => {
    clearTimeout(timer);
    const [first] = line;
    if (first === undefined) return;
    timer = setTimeout(() => remove((each) => each === first), longestMs);
    first.grant();
  };
  const remove = (isOver: (ticket: Ticket) => boolean) => {
    const [first] = line;
    line = line.filter((each) => !isOver(each));
    if (first !== line[0]) grantFirst();
    else if (first === undefined) clearTimeout(timer);
  };
  return {
    turn: (from: number, ticket: number) =>
      new Promise<true>((resolve) => {
        line.push({ from, ticket, grant: () => resolve(true) });
        if (line.length === 1) grantFirst();
      }),
    turned: (from: number, ticket: number): void => remove((each) => each.from === from && each.ticket === ticket),
    gone: (worker: number): void => remove((each) => each.from === worker),
  };
}
