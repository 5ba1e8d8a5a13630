import { promises as dns, type RecordWithTtl } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { recentCache } from '../cache.ts';
import { within } from '../within.ts';
import { type Address, createHostsFile } from './hosts-file.ts';

export interface NamesParts {
  /** Users choose these names: only name servers are asked, and fewer at a time. */
  readonly isForUsers?: boolean;
  /** `address:port` of name servers instead of the system's. */
  readonly servers?: readonly string[];
  readonly hostsFile?: string;
  readonly nowMs?: () => number;
}

/** Of one query; the second try gets twice as long. */
const tryMs = 900;
const tries = 2;
const maxNames = 2_000;
/** Names that are asked for at once. */
const maxRunning = { operator: 256, users: 64 };
const maxAddresses = 16;
const leastSeconds = 5;
const mostSeconds = 300;
/** How long an answer may serve after its time while no name server answers. */
const staleMs = 600_000;
/** Who has an older answer waits for so long for a new one. */
const patienceMs = 500;
/** IPv4 addresses are there; those of IPv6 are waited for. */
const otherKindMs = 100;
const absentMs = 5_000;
const silentMs = 1_000;
/** Of what asks through the system, each of which takes one of the four threads that all files and passwords share. */
const maxSystem = 2;
const systemSeconds = 30;

interface Known {
  readonly addresses: readonly Address[];
  /** Why there are none. */
  readonly fault: NameFault | undefined;
  readonly freshUntilMs: number;
  readonly usableUntilMs: number;
}

/** ENOTFOUND: there is no such name; EAI_AGAIN: nobody could be asked. */
class NameFault extends Error {
  readonly code: 'ENOTFOUND' | 'EAI_AGAIN';
  constructor(code: NameFault['code'], name: string) {
    super(`no address of ${name}`);
    this.code = code;
  }
}

/**
 * Looks names up without the thread pool, where four that hang would stop everything: the hosts file, then the name servers,
 * and only for names that they do not have (search domains, a local network's own names) the system. Answers are kept as long
 * as they say, within bounds; one question at a time for each name. What comes of it is judged anew at each use, by the guard.
 */
export function createLookup(parts: NamesParts = {}): LookupFunction {
  const { nowMs = () => performance.now() } = parts;
  const ownNames = createHostsFile(nowMs, parts.hostsFile);
  const ask = createAsking(parts);
  const known = recentCache<Known>(maxNames);
  const running = new Map<string, Promise<Known>>();
  const most = parts.isForUsers ? maxRunning.users : maxRunning.operator;

  const load = (name: string): Promise<Known> => {
    const under = running.get(name);
    if (under !== undefined) return under;
    if (running.size >= most) return Promise.reject(new NameFault('EAI_AGAIN', name));
    const started = ask(name)
      .then(
        ({ addresses, seconds }) => kept(addresses, nowMs(), Math.min(mostSeconds, Math.max(leastSeconds, seconds)) * 1000),
        (fault: NameFault) => afterFault(known.get(name), fault, nowMs()),
      )
      .finally(() => running.delete(name))
      .then((result) => {
        known.set(name, result);
        return result;
      });
    running.set(name, started);
    return started;
  };

  const find = async (name: string): Promise<readonly Address[]> => {
    const own = ownNames(name);
    if (own.length > 0) return own;
    const before = known.get(name);
    if (before !== undefined && before.freshUntilMs > nowMs()) return addressesOf(before);
    const isUsable = before !== undefined && before.addresses.length > 0 && before.usableUntilMs > nowMs();
    return addressesOf(
      await (isUsable
        ? within(
            load(name).catch(() => before),
            patienceMs,
            () => before,
          )
        : load(name)),
    );
  };

  return (hostname, { all = false, family }, callback) => {
    find(hostname.toLowerCase().replace(/\.$/, '')).then(
      (found) => {
        const wanted = found.filter((each) => (family !== 4 && family !== 6) || each.family === family);
        const [first] = wanted;
        if (first === undefined) callback(new NameFault('ENOTFOUND', hostname), []);
        else if (all) callback(null, [...wanted]);
        else callback(null, first.address, first.family);
      },
      (fault: NameFault) => callback(fault, []),
    );
  };
}

function kept(addresses: readonly Address[], nowMs: number, freshMs: number): Known {
  return { addresses, fault: undefined, freshUntilMs: nowMs + freshMs, usableUntilMs: nowMs + freshMs + staleMs };
}

/** While nobody can be asked the last answer goes on for a while; a name that is gone is gone. */
function afterFault(before: Known | undefined, fault: NameFault, nowMs: number): Known {
  const isAbsent = fault.code === 'ENOTFOUND';
  const freshUntilMs = nowMs + (isAbsent ? absentMs : silentMs);
  if (!isAbsent && before !== undefined && before.addresses.length > 0 && before.usableUntilMs > nowMs)
    return { ...before, freshUntilMs };
  return { addresses: [], fault, freshUntilMs, usableUntilMs: 0 };
}

function addressesOf({ addresses, fault }: Known): readonly Address[] {
  if (fault !== undefined) throw fault;
  return addresses;
}

interface Answer {
  readonly addresses: readonly Address[];
  readonly seconds: number;
}

/** Asks for one name, without memory. Rejects with NameFault. */
function createAsking({ isForUsers = false, servers }: NamesParts): (name: string) => Promise<Answer> {
  const open = () => {
    const fresh = new dns.Resolver({ timeout: tryMs, tries });
    if (servers !== undefined) fresh.setServers(servers);
    return fresh;
  };
  let resolver: dns.Resolver | undefined;
  const bySystem = createSystemAsking();
  return async (name) => {
    resolver ??= open();
    try {
      return await byServers(resolver, name);
    } catch (error) {
      const { code = '' } = error as { code?: string };
      // The system's list of name servers is read when a resolver is made: it may have changed.
      if (!absent.has(code)) resolver = undefined;
      if (isForUsers || code === 'ETIMEOUT') throw new NameFault(absent.has(code) ? 'ENOTFOUND' : 'EAI_AGAIN', name);
      return bySystem(name);
    }
  };
}

const absent: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

/** Both kinds of address at once, the older first. Rejects like the resolver. */
async function byServers(resolver: dns.Resolver, name: string): Promise<Answer> {
  const records: { address: string; ttl: number; family: number }[] = [];
  const faults: { code?: string }[] = [];
  const gather = (asked: Promise<RecordWithTtl[]>, family: number) =>
    asked.then(
      (found) => void records.push(...found.map((each) => ({ ...each, family }))),
      (error) => void faults.push(error),
    );
  const kinds = [gather(resolver.resolve4(name, { ttl: true }), 4), gather(resolver.resolve6(name, { ttl: true }), 6)];
  await Promise.race(kinds);
  // Name servers that never answer for IPv6 are common, and so are machines that reach nothing by it.
  const both = Promise.all(kinds);
  await (records.some(({ family }) => family === 4) ? within(both, otherKindMs, () => undefined) : both);
  if (records.length === 0) throw faults.find(({ code = '' }) => !absent.has(code)) ?? faults[0];
  records.sort((left, right) => left.family - right.family);
  const isHalf = records[0]?.family === 6 && faults.some(({ code = '' }) => !absent.has(code));
  return {
    addresses: records.slice(0, maxAddresses).map(({ address, family }) => ({ address, family })),
    seconds: isHalf ? leastSeconds : Math.min(...records.map(({ ttl }) => ttl)),
  };
}

/** Through the system's own look-up, a few at a time; the others wait. */
function createSystemAsking(): (name: string) => Promise<Answer> {
  const line: (() => void)[] = [];
  let busy = 0;
  return async (name) => {
    if (busy < maxSystem) busy += 1;
    else await new Promise<void>((enter) => line.push(enter));
    try {
      return { addresses: (await dns.lookup(name, { all: true })).slice(0, maxAddresses), seconds: systemSeconds };
    } catch (error) {
      throw new NameFault((error as { code?: string }).code === 'ENOTFOUND' ? 'ENOTFOUND' : 'EAI_AGAIN', name);
    } finally {
      const next = line.shift();
      if (next === undefined) busy -= 1;
      else next();
    }
  };
}
