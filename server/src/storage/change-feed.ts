import type { Bus } from '../platform/bus/bus.ts';
import type { Clock } from '../platform/clock.ts';
import { randomAlphanumerics } from '../platform/ids.ts';
import type { Log } from '../platform/log.ts';
import { atMostEvery, singleFlight } from './change-pace.ts';
import type { ChangeReader } from './change-reader.ts';
import type { Change } from './changes.ts';

/** Brings committed changes to those who keep compiled or cached copies. */
export interface ChangeFeed {
  /** To be called after a local commit: looks now instead of at the next tick, and wakes the other nodes. */
  notify(): void;
  /** Told as soon as a change is read, whatever the others are busy with: for forgetting what is cached. Must not throw. */
  atOnce(listener: (changes: readonly Change[]) => void): void;
  /**
   * Told in the order of registration, one after the other, while the looks go on. When one throws, it and those after it
   * are told the same again at the next look. A key `*` stands for everything of its kind.
   */
  on(listener: (changes: readonly Change[]) => void | Promise<void>): void;
  /** Resolves when all changes committed before the call have reached the listeners. */
  catchUp(): Promise<void>;
  /** The latest change that was read. */
  seq(): number;
  /** For how long changes may have waited to be read or taken over: since the last look after which nothing was owed to anybody. */
  behindMs(): number;
  stop(): void;
}

interface ChangeFeedDeps {
  readonly reader: ChangeReader;
  /** Absent in a process that is alone. */
  readonly bus: Bus | undefined;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: Log;
}

const pollMs = 1_000;
/** A storm of commits wakes other nodes, and is woken by them, at most this often. */
const spacingMs = 25;
const maxOwed = 10_000;

/** Polls every second whatever else happens (rulings 14); the bus only makes other nodes look sooner. */
export function createChangeFeed({ reader, bus, clock, log }: ChangeFeedDeps): ChangeFeed {
  const self = randomAlphanumerics(16);
  const prompt: ((changes: readonly Change[]) => void)[] = [];
  const lanes: Lane[] = [];
  let stopped = false;
  /** When the last look began that read everything, and the last of which all was taken over. */
  let lookedMs = clock.monotonicMs();
  let currentMs = lookedMs;

  const look = singleFlight(async () => {
    if (stopped) return;
    const beganMs = clock.monotonicMs();
    try {
      const changes = await reader.changesSince();
      lookedMs = beganMs;
      if (changes.length === 0) return;
      for (const lane of lanes) lane.owed = withMore(lane.owed, changes);
      for (const listener of prompt) listener(changes);
    } catch (error) {
      log.warn({ err: error }, 'could not read changes; trying again');
    }
  });
  const tell = singleFlight(async () => {
    if (!stopped) await tellAll(lanes, log);
    if (lanes.every(({ owed }) => owed.size === 0)) currentMs = lookedMs;
  });
  const catchUp = async () => {
    await look();
    await tell();
  };
  // Before anybody listens nothing is looked for: what is committed meanwhile is for the first who do.
  const lookIfHeard = () => {
    if (prompt.length + lanes.length > 0) void catchUp();
  };
  const wake = atMostEvery(spacingMs, lookIfHeard);
  const wakeOthers = atMostEvery(spacingMs, () => bus?.publish(self));
  bus?.subscribe((from) => {
    if (from !== self && !stopped) wake.call();
  });
  const timer = setInterval(lookIfHeard, pollMs);
  timer.unref();
  return {
    notify() {
      // At once, however often: who changed something here sees it in the next call.
      lookIfHeard();
      wakeOthers.call();
    },
    atOnce: (listener) => void prompt.push(listener),
    on: (listener) => void lanes.push({ listener, owed: new Map() }),
    catchUp,
    seq: () => reader.seq(),
    behindMs: () => clock.monotonicMs() - currentMs,
    stop() {
      stopped = true;
      clearInterval(timer);
      wake.stop();
      wakeOthers.stop();
    },
  };
}

/** Changes that a listener has still to be told, the latest of each kind and key. */
type Owed = ReadonlyMap<string, Change>;
interface Lane {
  readonly listener: (changes: readonly Change[]) => void | Promise<void>;
  owed: Owed;
}

async function tellAll(lanes: readonly Lane[], log: Log): Promise<void> {
  for (const lane of lanes) {
    const { owed } = lane;
    if (owed.size === 0) continue;
    lane.owed = new Map();
    try {
      await lane.listener([...owed.values()]);
    } catch (error) {
      lane.owed = withMore(owed, lane.owed.values());
      log.error({ err: error }, 'changes could not be taken over; the last state stays in force until the next try');
      return;
    }
  }
}

function withMore(owed: Owed, changes: Iterable<Change>): Owed {
  const all = new Map(owed);
  for (const change of changes) {
    const name = `${change.kind}\n${change.key}`;
    // Put last: a reader takes the order of `seq`.
    all.delete(name);
    all.set(name, change);
  }
  if (all.size <= maxOwed) return all;
  return new Map([...all.values()].map((change) => [change.kind, { ...change, key: '*' }]));
}
