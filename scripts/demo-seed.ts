import { logType } from '@tollgate/contract';
import { type Books, bookCalls, bookLastCall } from './demo/book.ts';
import { type SampleCall, sampleCalls } from './demo/calls.ts';
import { curlToken, historyDays, tokens, users } from './demo/plan.ts';
import { createRandom } from './demo/random.ts';
import { type DemoPlace, openServices } from './demo/services.ts';
import { createSite, createTokens, finish, grant, join, keysOf, ownedToken } from './demo/setup.ts';
import { bookTask, sampleTasks } from './demo/tasks.ts';

export interface SeedOptions extends DemoPlace {
  /** Where all channels lead. */
  readonly upstreamUrl: string;
  /** Unix seconds; the history ends here. */
  readonly now: number;
  /** Of root and of all sample users. */
  readonly rootPassword: string;
}

export interface DemoSummary {
  readonly calls: number;
  /** A token that may call everything, with its `sk-`. */
  readonly key: string;
}

/** Something that happens between calls. */
interface Event {
  /** Unix seconds. */
  readonly at: number;
  run(): Promise<void>;
}

const daySeconds = 86_400;
const sampledCalls = 4_000;
const batchSize = 200;
const randomSeed = 20_250_131;

/**
 * Fills a new data folder with 30 days of life. Everything goes through the product's own services, and money through
 * the ledger alone, so that the books prove themselves afterwards.
 */
export async function seedDemo(options: SeedOptions): Promise<DemoSummary> {
  const { now, upstreamUrl, rootPassword } = options;
  const startedAt = now - (historyDays + 1) * daySeconds;
  const services = await openServices(options, startedAt);
  try {
    await createSite(services, upstreamUrl);
    const random = createRandom(randomSeed);
    const keys = new Map<string, Awaited<ReturnType<typeof keysOf>>[number][1]>();
    const books: Books = { services, snapshot: await services.snapshot(), keys, random };
    const addTokens = async (username: string): Promise<void> => {
      await createTokens(services, username, now);
      for (const [name, key] of await keysOf(services, username)) keys.set(name, key);
    };
    const calls = sampleCalls(sampledCalls, now, random);
    const events: Event[] = [
      { at: startedAt, run: () => addTokens('root') },
      ...users.map((user) => ({
        at: now - user.joined * daySeconds,
        run: () => join(services, user, rootPassword).then(() => addTokens(user.username)),
      })),
      ...users.flatMap(({ username, grants }) =>
        grants.map(({ daysAgo, quota }) => ({
          at: now - daysAgo * daySeconds + 600,
          run: () => grant(services, username, quota),
        })),
      ),
      ...exhaustions(books, calls),
      ...drawings(books, now),
    ];
    await play(books, calls, events);
    await finish(services, now);
    const charged = services.db.read.selectFrom('log').select(({ fn }) => fn.countAll<number>().as('calls'));
    const { calls: count } = await charged.where('type', '=', logType.consume).executeTakeFirstOrThrow();
    const playground = tokens.find((token) => token.name === curlToken);
    if (playground === undefined) throw new Error(`the plan has no token ${curlToken}`);
    return { calls: Number(count), key: (await ownedToken(services, playground)).key };
  } finally {
    await services.db.close();
  }
}

/** Root's drawings, songs and videos: what the logs of tasks show. */
function drawings(books: Books, now: number): Event[] {
  return sampleTasks(now, curlToken).map((sample, index) => ({ at: sample.endedAt, run: () => bookTask(books, sample, index) }));
}

/** The last call of every token that ends exhausted, a moment after the token's last usual one. */
function exhaustions(books: Books, calls: readonly SampleCall[]): Event[] {
  return tokens.flatMap((token) => {
    const last = token.end === 'exhausted' ? calls.findLast((call) => call.token === token) : undefined;
    if (last === undefined) return [];
    const sample = { ...last, endedAt: last.endedAt + 240 };
    const run = async () => bookLastCall(books, sample, (await ownedToken(books.services, token)).remainQuota);
    return [{ at: sample.endedAt, run }];
  });
}

/** Calls and events in the order of their times. */
async function play(books: Books, calls: readonly SampleCall[], events: readonly Event[]): Promise<void> {
  let next = 0;
  const bookUntil = async (time: number): Promise<void> => {
    const found = calls.findIndex(({ endedAt }) => endedAt >= time);
    const end = found < 0 ? calls.length : found;
    for (; next < end; next += batchSize) await bookCalls(books, calls.slice(next, Math.min(end, next + batchSize)));
    next = end;
  };
  for (const event of [...events].sort((left, right) => left.at - right.at)) {
    await bookUntil(event.at);
    books.services.travelTo(event.at);
    await event.run();
  }
  await bookUntil(Number.POSITIVE_INFINITY);
}
