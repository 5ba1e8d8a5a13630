import { recentCache } from '../platform/cache.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { type Spender, spentSince } from '../usage/index.ts';

/** What users and tokens have spent today and this month (UTC), calls that run included. */
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
const daySeconds = 86_400;

export function createSpending({ read, clock, log }: Deps): Spending {
  const books = recentCache<Book>(maxSpenders);
  return {
    of(spender) {
      const name = `${spender.userId}/${spender.tokenId ?? ''}`;
      const today = Math.floor(clock.nowMs() / 1000 / daySeconds) * daySeconds;
      const known = books.get(name);
      if (known !== undefined && known.today === today) {
        if (clock.nowMs() - known.readMs > refreshMs)
          void known.refresh().catch((error: unknown) => log.warn({ err: error }, 'spending'));
        return known;
      }
      const fresh = new Book({ read, clock, log }, spender, today, known);
      return fresh.open().then(() => {
        books.set(name, fresh);
        return fresh;
      });
    },
  };
}

class Book implements Spent {
  readonly today: number;
  readonly #deps: Deps;
  readonly #spender: Spender;
  readonly #running: Map<string, number>;
  /** Charged on earlier days of the month. */
  #before = 0;
  /** Charged today, as far as it was read. */
  #read = 0;
  /** Charged since the last reading began. */
  #since = 0;
  #refreshing: Promise<void> | undefined;
  readMs = 0;

  constructor(deps: Deps, spender: Spender, today: number, yesterday: Book | undefined) {
    this.#deps = deps;
    this.#spender = spender;
    this.today = today;
    this.#running = yesterday?.running ?? new Map();
  }

  get running(): Map<string, number> {
    return this.#running;
  }

  get day(): number {
    return this.#read + this.#since + this.held;
  }

  get held(): number {
    let sum = 0;
    for (const quota of this.#running.values()) sum += quota;
    return sum;
  }

  get month(): number {
    return this.#before + this.day;
  }

  async open(): Promise<void> {
    const { read } = this.#deps;
    const date = new Date(this.today * 1000);
    const monthStart = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) / 1000;
    const [month] = await Promise.all([spentSince(read, this.#spender, monthStart), this.refresh()]);
    this.#before = Math.max(0, month - this.#read);
  }

  refresh(): Promise<void> {
    this.#refreshing ??= this.#reread().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #reread(): Promise<void> {
    const { read, clock } = this.#deps;
    this.readMs = clock.nowMs();
    // What is charged while the reading runs may be in it or not: counted twice for a moment rather than not at all.
    const before = this.#since;
    const total = await spentSince(read, this.#spender, this.today);
    this.#read = total;
    this.#since -= before;
  }

  reserve(callId: string, quota: number): void {
    this.#running.set(callId, quota);
  }

  settle(callId: string, quota: number): void {
    this.#running.delete(callId);
    this.#since += quota;
  }
}
