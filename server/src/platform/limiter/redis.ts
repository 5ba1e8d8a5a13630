import type { Redis } from 'ioredis';
import type { Log } from '../log.ts';
import { connectRedis, createRedisReport, refusalOf } from '../redis.ts';
import { defineScripts } from './redis-scripts.ts';
import type { SharedCounts, SharedRule, SharedSlot, SharedVerdict } from './shared.ts';

/** All in one slot of a cluster: a call asks for several at once. */
const prefix = '{tollgate}:limit:';
const nodesKey = '{tollgate}:nodes';
/** Longer than that a call does not wait; then it goes by the node's own count. */
const answerMs = 200;
/** After an answer that did not come no call asks any more, until one that nobody waited for did come. */
const probeMs = 500;
const heartbeatMs = 2_000;
/** Beats in a row without an answer: Redis is there and takes nothing, or takes too long. */
const missedBeats = 2;
const nodeLeaseMs = 8_000;
const slotRenewalMs = 20_000;
/** Calls whose slots are renewed together; the next ones when these were answered. */
const renewedAtOnce = 256;
/** How long a call of a node that died counts as running. */
const slotLeaseMs = 60_000;
const maxUnanswered = 4_096;
/** Slots that are remembered until they can be given back. */
const maxOwed = 16_384;

/** Counts over Redis or Valkey, for all nodes on it. `node`: this process. Starts and goes on without the server. */
export function createRedisCounts({ url, node, log }: { url: string; node: string; log: Log }): SharedCounts {
  const client = connectRedis(url);
  defineScripts(client);
  const report = createRedisReport(log, {
    lost: 'the common limits are lost: each node counts alone until they are back',
    back: 'the common limits are back',
  });
  let nodes = 1;
  let unanswered = 0;
  let isSilent = false;
  let fault: unknown;
  let missed = 0;
  let probe: NodeJS.Timeout | undefined;

  const askAnyway: Asking = async (question) => {
    unanswered += 1;
    try {
      const answer = await inTime(question());
      isSilent = false;
      return answer;
    } catch (error) {
      isSilent = true;
      fault = error;
      probe ??= setTimeout(lookAgain, probeMs).unref();
      return undefined;
    } finally {
      unanswered -= 1;
    }
  };
  const mayAsk = () => client.status === 'ready' && !isSilent && unanswered < maxUnanswered;
  const ask = async <T>(question: () => Promise<T>): Promise<T | undefined> => (mayAsk() ? askAnyway(question) : undefined);
  const slotsOfCalls = createSlots(client, askAnyway);
  const lookAgain = () => {
    probe = undefined;
    void beat();
  };
  const beat = async () => {
    if (client.status !== 'ready') return;
    const seen = await askAnyway(() => client.tollgateRenew(1, nodesKey, node, nodeLeaseMs));
    if (seen === undefined) {
      missed += 1;
      if (missed < missedBeats || client.status !== 'ready') return;
      report.reason(fault);
      report.down();
      return;
    }
    missed = 0;
    report.up();
    slotsOfCalls.giveBackOwed();
    if (Math.max(1, seen) !== nodes) {
      nodes = Math.max(1, seen);
      log.info({ nodes }, 'so many nodes count limits together');
    }
    await slotsOfCalls.renewDue();
  };
  client.on('error', report.reason);
  client.on('close', report.down);
  client.on('ready', () => void beat());
  const heartbeat = setInterval(() => {
    // A replica since a fail-over: its address may lead to the new primary by now.
    if (missed >= missedBeats && client.status === 'ready' && refusalOf(fault) === 'READONLY') client.disconnect(true);
    else void beat();
  }, heartbeatMs);
  heartbeat.unref();

  return {
    nodes: () => nodes,
    async take(id, rules, slots) {
      if (!mayAsk()) return undefined;
      const answer = await askAnyway(() => client.tollgateTake(...askingFor(id, rules, slots)));
      if (answer === undefined) {
        // It may have been taken before the answer was lost.
        slotsOfCalls.free(id, slots.map(keyOf));
        return undefined;
      }
      const verdict = verdictOf(answer, rules.length);
      if (verdict.ok && slots.length > 0) slotsOfCalls.hold(id, slots.map(keyOf));
      return verdict;
    },
    async look(rules, slots) {
      const answer = await ask(() => client.tollgateTake(...askingFor('', rules, slots)));
      if (answer === undefined) return undefined;
      return [...rules.map((_, index) => answer[1 + 3 * index] ?? 0), ...answer.slice(1 + 3 * rules.length)];
    },
    add(rule, amount, slice) {
      if (amount !== 0) void ask(() => client.tollgateAdd(1, keyOf(rule), rule.windowMs, amount, slice ?? ''));
    },
    leave: (id, slots) => slotsOfCalls.free(id, slots.map(keyOf)),
    async close() {
      clearInterval(heartbeat);
      clearTimeout(probe);
      report.stop();
      await ask(() => client.zrem(nodesKey, node));
      client.disconnect();
    },
  };
}

/** Puts a question whose failure is noted; undefined = no answer in time. */
type Asking = <T>(question: () => Promise<T>) => Promise<T | undefined>;

/** The slots of this process's calls: renewed while these run, given back when they end. */
function createSlots(client: Redis, ask: Asking) {
  const running = new Map<string, readonly string[]>();
  /** Of calls that ended while nobody could be told. */
  const owed: { readonly id: string; readonly key: string }[] = [];
  let renewedMs = performance.now();
  let isRenewing = false;

  /** Also while nothing is asked: what a connection was given is done in its order, however late. */
  const free = (id: string, keys: readonly string[]) => {
    running.delete(id);
    for (const key of keys) {
      const later = () => {
        if (owed.length < maxOwed) owed.push({ id, key });
      };
      if (client.status === 'ready') client.zrem(key, id).catch(later);
      else later();
    }
  };
  const renew = (id: string) => {
    // Of a call that ended meanwhile nothing is taken again.
    const keys = running.get(id);
    return keys === undefined ? undefined : client.tollgateRenew(keys.length, ...keys, id, slotLeaseMs);
  };
  return {
    hold: (id: string, keys: readonly string[]) => void running.set(id, keys),
    free,
    giveBackOwed() {
      for (const { id, key } of owed.splice(0)) free(id, [key]);
    },
    /** One question for the bound on those of calls, however many slots it is about. What failed comes with the next good beat. */
    async renewDue() {
      const startedMs = performance.now();
      if (isRenewing || startedMs - renewedMs < slotRenewalMs) return;
      isRenewing = true;
      const ids = [...running.keys()];
      let isWell = true;
      for (let from = 0; from < ids.length && isWell; from += renewedAtOnce) {
        const renewed = await ask(() => Promise.all(ids.slice(from, from + renewedAtOnce).map(renew)));
        isWell = renewed !== undefined;
      }
      if (isWell) renewedMs = startedMs;
      isRenewing = false;
    },
  };
}

const keyOf = ({ name }: { readonly name: string }): string => prefix + name;

/** The answer, if it comes in time. What a thread that stood still has not read yet is in time: it is read first. */
function inTime<T>(answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' }));
    const timer = setTimeout(() => setImmediate(giveUp), answerMs);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function askingFor(id: string, rules: readonly SharedRule[], slots: readonly SharedSlot[]): [number, ...(string | number)[]] {
  const windows = rules.flatMap(({ windowMs, allowed, amount }) => [windowMs, allowed, amount]);
  const keys = [...rules, ...slots].map(keyOf);
  return [keys.length, ...keys, rules.length, id, slotLeaseMs, ...windows, ...slots.map(({ limit }) => limit)];
}

function verdictOf([ok, ...rest]: readonly number[], rules: number): SharedVerdict {
  if (ok !== 1) {
    const [key = 0, waitMs = 1000] = rest;
    return { ok: false, rule: key <= rules ? key - 1 : undefined, waitMs };
  }
  const states = Array.from({ length: rules }, (_, index) => {
    const [used = 0, resetMs = 0, slice = 0] = rest.slice(3 * index);
    return { used, resetMs, slice };
  });
  return { ok: true, states };
}
