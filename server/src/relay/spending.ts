import { taskHoldsOf } from '../billing/index.ts';
import { recentCache } from '../platform/cache.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { promptly } from '../storage/prompt.ts';
import { type Spender, spentSince } from '../usage/index.ts';

/** What users and tokens have spent today and this month (UTC), calls that run and tasks that are under way included. */
export interface Spending {
  /** Synchronous once it is known. Rejects when the database cannot tell. */
  of(spender: Spender): Spent | Promise<Spent>;
}

export interface Spent {
  readonly day: number;
  readonly month: number;
  /** Of both: what is set aside for calls that run. */
  readonly held: number;
  /** Sets aside what a call may cost. */
  reserve(callId: string, quota: number): void;
  /** The call ended and was charged this. */
  settle(callId: string, quota: number): void;
}

interface Deps {
  readonly read: Parameters<typeof spentSince>[0];
  readonly clock: Clock;
  readonly log: Log;
}

const maxSpenders = 20_000;
/** Other nodes' charges are seen this late; own ones at once. */
const refreshMs = 15_000;
/** What is older is no figure to decide by: it is waited for. */
const mostStaleMs = 2 * refreshMs;
const daySeconds = 86_400;
/** A charge of before midnight may be booked so long after it. */
const lateMs = 600_000;
/** What was booked later still, as it waited for the database, or given back since is seen so long after it. */
const beforeMs = 600_000;

export function createSpending({ read, clock, log }: Deps): Spending {
  const books = recentCache<Book>(maxSpenders);
  /** Calls that come while a book is opened share it: each in a book of its own would not see the others. */
  const opening = new Map<string, Promise<Book>>();
  const open = (name: string, fresh: Book): Promise<Book> => {
    const opened = fresh
      .refresh()
      .then(() => {
        books.set(name, fresh);
        return fresh;
      })
      .finally(() => opening.delete(name));
    opening.set(name, opened);
    return opened;
  };
  return {
    of(spender) {
      const name = `${spender.userId}/${spender.tokenId ?? ''}`;
      const today = Math.floor(clock.nowMs() / 1000 / daySeconds) * daySeconds;
      const known = books.get(name);
      if (known?.today !== today)
        return promptly(opening.get(name) ?? open(name, new Book({ read, clock, log }, spender, today, known)));
      // A clock that is set back makes nothing younger.
      const ageMs = clock.monotonicMs() - known.readAtMs;
      if (ageMs <= refreshMs) return known;
      const refreshed = known.refresh();
      if (ageMs > mostStaleMs) return promptly(refreshed).then(() => known);
      void refreshed.catch((error: unknown) =>
        log.warn(
          { err: error, ...spender },
          'what was spent could not be read anew; limits of day and month go by older figures',
        ),
      );
      return known;
    },
  };
}

class Book implements Spent {
  readonly today: number;
  /** By call; a book goes on with those of the day before. */
  readonly running: Map<string, number>;
  readonly #deps: Deps;
  readonly #spender: Spender;
  /** Charged on earlier days of the month, and when that was read, by either clock. */
  #before = 0;
  #beforeReadMs = 0;
  #beforeReadAtMs = 0;
  /** Charged today, as far as it was read. */
  #read = 0;
  /** Held for tasks, as far as it was read: they have a row in the log only when they have succeeded. */
  #tasks = 0;
  /** Charged since the last reading began. */
  #since = 0;
  #refreshing: Promise<void> | undefined;
  /** Of the next day on which somebody asked: what ends from then on is charged there. */
  #next: Book | undefined;
  /** By the monotonic clock. */
  readAtMs = 0;

  constructor(deps: Deps, spender: Spender, today: number, yesterday: Book | undefined) {
    this.#deps = deps;
    this.#spender = spender;
    this.today = today;
    this.running = yesterday?.running ?? new Map();
    if (yesterday !== undefined) yesterday.#next = this;
  }

  get day(): number {
    return this.#read + this.#tasks + this.#since + this.held;
  }

  get held(): number {
    let sum = 0;
    for (const quota of this.running.values()) sum += quota;
    return sum;
  }

  get month(): number {
    return this.#before + this.day;
  }

  refresh(): Promise<void> {
    this.#refreshing ??= this.#reread().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #reread(): Promise<void> {
    const [nowMs, nowAtMs] = [this.#deps.clock.nowMs(), this.#deps.clock.monotonicMs()];
    // What is charged while the reading runs may be in it or not: counted twice for a moment rather than not at all. So may a
    // task that ends meanwhile, since what is held is read first.
    const since = this.#since;
    const [today, before] = await Promise.all([this.#rereadToday(), this.#rereadBefore()]);
    this.#read = today.spent;
    this.#tasks = today.tasks;
    if (before !== undefined) {
      this.#before = before;
      this.#beforeReadMs = nowMs;
      this.#beforeReadAtMs = nowAtMs;
    }
    this.#since -= since;
    this.readAtMs = nowAtMs;
  }

  async #rereadToday(): Promise<{ tasks: number; spent: number }> {
    const { read } = this.#deps;
    const tasks = await taskHoldsOf(read, this.#spender);
    // What a clock that ran ahead charged counts on the day that it was charged for, not on each until then.
    return { tasks, spent: await spentSince(read, this.#spender, this.today, this.today + daySeconds) };
  }

  /** Apart from today, so that no charge between two readings is in both or in neither. Undefined: it goes on from before. */
  async #rereadBefore(): Promise<number | undefined> {
    const isOver = this.#beforeReadMs >= this.today * 1000 + lateMs;
    if (isOver && this.#deps.clock.monotonicMs() - this.#beforeReadAtMs < beforeMs) return undefined;
    const date = new Date(this.today * 1000);
    const monthStart = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) / 1000;
    return spentSince(this.#deps.read, this.#spender, monthStart, this.today);
  }

  reserve(callId: string, quota: number): void {
    this.running.set(callId, quota);
  }

  settle(callId: string, quota: number): void {
    this.running.delete(callId);
    if (this.#next === undefined) this.#since += quota;
    else this.#next.settle(callId, quota);
  }
}
