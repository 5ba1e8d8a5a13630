import { isIP, type LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import { createLookup } from './names.ts';

/** Why a target is refused; the text is for operators, never for callers of the relay. */
export class EgressRefused extends Error {
  /** The address that an entry of ALLOW_PRIVATE_UPSTREAMS would open. */
  readonly privateAddress: string | undefined;

  constructor(message: string, privateAddress?: string) {
    super(message);
    this.privateAddress = privateAddress;
  }
}

export interface EgressPolicy {
  /** CIDR or host:port entries of ALLOW_PRIVATE_UPSTREAMS. */
  readonly allowPrivate: readonly string[];
  /** `host=origin` entries of EGRESS_REWRITE. */
  readonly rewrite: readonly string[];
  /** Where this process and its workers listen. */
  readonly own?: { readonly host: string; readonly ports: readonly number[] };
}

/** A vetted place to connect to. */
export interface Target {
  /** scheme://host:port */
  readonly origin: string;
  /** Resolves names and refuses addresses that must not be reached. */
  readonly lookup: LookupFunction;
}

export interface Guard {
  /** Vets an address before any connection; throws EgressRefused. */
  target(url: URL): Target;
}

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number];
const dnsTimeoutMs = 3_000;

/** Ranges beyond what ipaddr.js already tells from unicast. */
const extraBlocked: readonly Range[] = ['192.88.99.0/24', '2001::/23', '3fff::/20'].map((cidr) => ipaddr.parseCIDR(cidr));
/** All of IPv6 that leads anywhere in the world: the rest is nobody's, or a network's own, like the addresses of some meshes. */
const worldwide: Range = ipaddr.parseCIDR('2000::/3');
/** Translators carry these on to the IPv4 address in their last 32 bits (RFC 6052): all that a network without IPv4 sees of it. */
const translated: Range = ipaddr.parseCIDR('64:ff9b::/96');
/** Where clouds tell a machine its secrets. That of one vendor lies among the public addresses. */
const metadata: readonly string[] = [
  ...['169.254.169.254', '169.254.170.2', '169.254.170.23', '169.254.0.23', '100.100.100.200', '168.63.129.16'],
  ...['fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254'],
];

const leastPerAddressMs = 250;

/**
 * How long each address of a name is tried but the last. The runtime gives an address up for good, by itself after a quarter of
 * a second: the way around the world takes longer, and a packet that was lost comes again after a second.
 */
export function perAddress(connectTimeoutMs = 5_000): { readonly autoSelectFamilyAttemptTimeout: number } {
  return { autoSelectFamilyAttemptTimeout: Math.max(leastPerAddressMs, Math.round(connectTimeoutMs * 0.3)) };
}

/** The one gate for outbound calls: public addresses, or private ones that the environment lists. `lookup`: who is asked for names. */
export function createGuard(policy: EgressPolicy, lookup: LookupFunction = createLookup()): Guard {
  const ranges = policy.allowPrivate.filter((entry) => entry.includes('/')).map((entry) => ipaddr.parseCIDR(entry));
  const named = policy.allowPrivate.filter((entry) => !entry.includes('/')).map((entry) => placeOf(new URL(`http://${entry}`)));
  const hosts = new Set(named.map(({ host, port }) => `${host}:${port}`));
  const rewrites = new Map(policy.rewrite.map((entry) => entry.split('=', 2) as [string, string]));

  const isOwn = ownPlaces(policy.own);

  const refusal = (named: string, port: number, hostAllowed: boolean): EgressRefused | undefined => {
    const address = addressMet(named);
    if (isOwn(address, port)) return new EgressRefused(`${address}:${port} is this gateway itself`);
    const kind = classify(address);
    if (kind === 'public') return undefined;
    if (kind === 'metadata') return new EgressRefused(`${address} is a metadata address`);
    if (hostAllowed || ranges.some((range) => inRange(address, range))) return undefined;
    return new EgressRefused(`${address} is a private address; list it in ALLOW_PRIVATE_UPSTREAMS`, address);
  };

  return {
    target(url) {
      const rewritten = rewrites.get(url.hostname);
      if (rewritten !== undefined) return { origin: new URL(rewritten).origin, lookup };
      if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new EgressRefused('only http and https are allowed');
      if (url.username !== '' || url.password !== '') throw new EgressRefused('credentials in the address are not allowed');
      const { host, port } = placeOf(url);
      const hostAllowed = hosts.has(`${host}:${port}`);
      if (isIP(host) !== 0) {
        const refused = refusal(host, port, hostAllowed);
        if (refused !== undefined) throw refused;
      }
      return { origin: url.origin, lookup: vettedLookup(lookup, (address) => refusal(address, port, hostAllowed)) };
    },
  };
}

/** Where a connection for this address goes: IPv6 without its brackets, the scheme's port unless it names one. */
export function endpointOf(url: URL): { host: string; port: number } {
  const usual = url.protocol === 'https:' ? 443 : 80;
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: url.port === '' ? usual : Number(url.port) };
}

/** IPv6 without its brackets, a name without its last dot. */
function placeOf(url: URL): { host: string; port: number } {
  const { host, port } = endpointOf(url);
  return { host: host.replace(/\.$/, ''), port };
}

/** Whether somebody who connects there meets us. An address of this machine with one of our ports does, whatever is listed. */
function ownPlaces(own: EgressPolicy['own']): (address: string, port: number) => boolean {
  if (own === undefined) return () => false;
  const ports = new Set(own.ports);
  const listening = own.host === 'localhost' ? '127.0.0.1' : own.host;
  const hearsAll = !ipaddr.isValid(listening) || ['0.0.0.0', '::'].includes(listening);
  return (address, port) => {
    if (!ports.has(port) || !ipaddr.isValid(address)) return false;
    const place = ipaddr.process(address);
    if (!hearsAll && place.range() !== 'unspecified') return sameAddress(place, listening);
    if (place.range() === 'loopback' || place.range() === 'unspecified') return true;
    const own = Object.values(networkInterfaces()).flatMap((each = []) => each.map((entry) => entry.address));
    return own.some((each) => sameAddress(place, each));
  };
}

function sameAddress(place: ipaddr.IPv4 | ipaddr.IPv6, address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).toString() === place.toString();
}

/** Whom somebody who connects there meets. */
function addressMet(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4' || !parsed.match(translated)) return address;
  return new ipaddr.IPv4(parsed.toByteArray().slice(12)).toString();
}

function classify(address: string): 'public' | 'private' | 'metadata' {
  if (metadata.includes(address)) return 'metadata';
  if (!ipaddr.isValid(address)) return 'private';
  const parsed = ipaddr.process(address);
  if (metadata.includes(parsed.toString())) return 'metadata';
  if (parsed.range() !== 'unicast' || (parsed.kind() === 'ipv6' && !parsed.match(worldwide))) return 'private';
  return extraBlocked.some((range) => parsed.kind() === range[0].kind() && parsed.match(range)) ? 'private' : 'public';
}

function inRange(address: string, range: Range): boolean {
  const parsed = ipaddr.process(address);
  return parsed.kind() === range[0].kind() && parsed.match(range);
}

/** Every answer must be allowed, and the vetted addresses are the ones connected to: no second look-up. */
function vettedLookup(lookup: LookupFunction, refusal: (address: string) => EgressRefused | undefined): LookupFunction {
  return (hostname, options, callback) => {
    let open = true;
    const done = (error: NodeJS.ErrnoException | null, addresses: { address: string; family: number }[] = []) => {
      if (!open) return;
      open = false;
      clearTimeout(timer);
      if (options.all === true) callback(error, addresses);
      else callback(error, addresses[0]?.address ?? '', addresses[0]?.family);
    };
    const timer = setTimeout(() => done(Object.assign(new Error('DNS timeout'), { code: 'EAI_AGAIN' })), dnsTimeoutMs);
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return done(error);
      const addresses = typeof found === 'string' ? [] : found;
      const refused = addresses.map(({ address }) => refusal(address)).find((each) => each !== undefined);
      done(refused ?? null, refused === undefined ? addresses : []);
    });
  };
}
