import type { Line } from './line.ts';

/** Runs a body when it is this process's turn. */
export type InTurn = <T>(body: () => Promise<T>) => Promise<T>;

/** So long a worker goes on although others wait: handing over costs as much as a small commit. */
const sliceMs = 5;
/** One that wants nothing for so long hands over. */
const pauseMs = 1;

/**
 * The turns in which the workers of one server write into the embedded database. Its own lock already lets one in at a
 * time, but whoever waits there looks only now and then: under load some would wait for ever. Who has the turn keeps it
 * until another wants it. A turn that does not come within a second is not waited for. Bodies come one after the other.
 */
export function createWorkerTurns(line: Line): InTurn {
  let tickets = 0;
  /** The last one asked for: it may be wanted back in the same breath in which it is granted. */
  let last = '';
  let held: { readonly ticket: string; readonly sinceMs: number } | undefined;
  let isWanted = false;
  let isBusy = false;
  const handOver = () => {
    if (held !== undefined) line.tell('turned', held.ticket);
    held = undefined;
  };
  line.on('wanted', (ticket) => {
    if (ticket !== last) return;
    isWanted = true;
    if (!isBusy) handOver();
  });
  const handOverIfIdle = () => {
    if (isWanted && !isBusy) handOver();
  };
  return async (body) => {
    isBusy = true;
    try {
      if (held === undefined) {
        tickets += 1;
        last = `${process.pid}-${tickets}`;
        isWanted = false;
        const granted = await line.ask<'alone' | 'wanted'>('turn', last);
        if (granted !== 'alone') isWanted = true;
        held = { ticket: last, sinceMs: performance.now() };
      }
      return await body();
    } finally {
      isBusy = false;
      if (isWanted && performance.now() - (held?.sinceMs ?? 0) >= sliceMs) handOver();
      else if (isWanted) setTimeout(handOverIfIdle, pauseMs);
    }
  };
}

interface Ticket {
  readonly from: number;
  readonly ticket: string;
  readonly grant: (how: 'alone' | 'wanted') => void;
}

/** A worker that stands still must not keep the others out. */
const longestMs = 2_000;

/** The turns themselves, in the process that started the workers: first come, first served. `want`: asks for one back. */
export function createTurnsOfWorkers(want: (ticket: string) => void) {
  let line: Ticket[] = [];
  let timer: NodeJS.Timeout | undefined;
  /** Others wait for the first one now. */
  const hurry = () => {
    clearTimeout(timer);
    const [first] = line;
    if (first !== undefined && line.length > 1) timer = setTimeout(() => remove((each) => each === first), longestMs);
  };
  const remove = (isOver: (ticket: Ticket) => boolean) => {
    const [first] = line;
    line = line.filter((each) => !isOver(each));
    if (line[0] === first) return;
    hurry();
    line[0]?.grant(line.length > 1 ? 'wanted' : 'alone');
  };
  return {
    turn: (from: number, ticket: string) =>
      new Promise<'alone' | 'wanted'>((grant) => {
        line.push({ from, ticket, grant });
        const [first] = line;
        if (line.length === 1) grant('alone');
        else if (line.length === 2 && first !== undefined) {
          hurry();
          want(first.ticket);
        }
      }),
    turned: (_from: number, ticket: string): void => remove((each) => each.ticket === ticket),
    gone: (worker: number): void => remove((each) => each.from === worker),
  };
}
