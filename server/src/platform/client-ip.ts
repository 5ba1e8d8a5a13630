import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = readonly [Address, number];
type HeaderReader = (name: string) => string | undefined;

/** Who calls, as far as the network tells. */
export interface ClientAddress {
  /** Canonical text; "" when the socket is gone. */
  ip: string;
  /** What limits count: the address, or the /64 of an IPv6 one. */
  limitKey: string;
  /** From loopback or a private network, with nobody in between who could stand for a stranger and under no stranger's name. */
  isPrivate: boolean;
  /** The caller's own connection is encrypted. */
  isHttps: boolean;
}

export interface IpMatcher {
  /** Addresses and ranges in it. */
  readonly size: number;
  matches(ip: string): boolean;
}

/** Any of these means "somebody forwards". Only X-Forwarded-For and -Proto are ever believed, and only from trusted peers. */
const forwardingHeaders = [
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded-port',
  'x-real-ip',
  'x-client-ip',
  'forwarded',
  'via',
  'cf-connecting-ip',
  'true-client-ip',
];
const privateRanges = new Set(['loopback', 'private', 'uniqueLocal']);
/** Hops that are looked at; a longer chain is not believed. */
const maxHops = 32;

/** Throws RangeError for an entry that is neither an address nor a range. */
export function createClientAddress(trustedProxies: readonly string[]) {
  const trusted = trustedBy(trustedProxies);
  return (peer: string | undefined, encrypted: boolean, header: HeaderReader): ClientAddress => {
    const address = parse(peer ?? '');
    if (address === undefined) return describe('', false, encrypted);
    const ip = address.toString();
    if (!trusted(ip)) {
      const forwarded = forwardingHeaders.some((name) => header(name) !== undefined);
      return describe(ip, !forwarded && isPrivate(address) && isNamedHere(header('host')), encrypted);
    }
    const https = header('x-forwarded-proto')?.split(',').at(-1)?.trim().toLowerCase();
    const { origin, certain } = lastUntrusted(header('x-forwarded-for'), trusted);
    // A trusted proxy that names nobody could stand for anyone: its address is used, its privacy is not.
    const known = origin ?? address;
    const isNear = certain && isPrivate(known) && isNamedHere(header('host')) && isNamedHere(header('x-forwarded-host'));
    return describe(known.toString(), isNear, https === undefined ? encrypted : https === 'https');
  };
}

/** The same for calls, of which only the address is asked. Throws RangeError. */
export function createClientIp(trustedProxies: readonly string[]) {
  const trusted = trustedBy(trustedProxies);
  return (peer: string | undefined, header: HeaderReader): string => {
    const address = parse(peer ?? '');
    if (address === undefined) return '';
    const ip = address.toString();
    return trusted(ip) ? (lastUntrusted(header('x-forwarded-for'), trusted).origin ?? address).toString() : ip;
  };
}

function trustedBy(trustedProxies: readonly string[]): (ip: string) => boolean {
  const { matcher, invalid } = parseIpList(trustedProxies.join('\n'));
  if (invalid.length > 0) throw new RangeError(`not an address or range: ${invalid[0]}`);
  return matcher === undefined ? () => false : (ip) => matcher.matches(ip);
}

/** Right-most entry that is not one of our proxies, the left-most one when all are; uncertain where the chain is unreadable. */
function lastUntrusted(forwardedFor: string | undefined, trusted: (ip: string) => boolean) {
  const hops = (forwardedFor ?? '').split(',').slice(-maxHops);
  let origin: Address | undefined;
  for (const hop of hops.reverse()) {
    const address = parse(hop.trim());
    if (address === undefined) return { origin, certain: false };
    origin = address;
    if (!trusted(address.toString())) break;
  }
  return { origin, certain: true };
}

function describe(ip: string, isPrivateAddress: boolean, isHttps: boolean): ClientAddress {
  return { ip, limitKey: limitKey(ip), isPrivate: isPrivateAddress, isHttps };
}

function limitKey(ip: string): string {
  const address = parse(ip);
  if (address === undefined || address.kind() === 'ipv4') return ip;
  return `${(address as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}

function isPrivate(address: Address): boolean {
  return privateRanges.has(address.range());
}

/** Domains that nobody can register. */
const localDomain = /(?:^|\.)(?:localhost|local|lan|home|home\.arpa|internal|intranet|corp|private|localdomain)$/;

/**
 * Whether a name that we were called by is an address or a network's own. Any other may have been made to lead here by whoever
 * owns it, and the page that calls is theirs, wherever its browser is (decision 0121).
 */
function isNamedHere(host: string | undefined): boolean {
  if (host === undefined) return true;
  const name = URL.parse(`http://${host}`)?.hostname.replace(/\.$/, '') ?? '.';
  return name.startsWith('[') || parse(name) !== undefined || !name.includes('.') || localDomain.test(name);
}

const rememberedAddresses = 4_096;
const parsedAddresses = new Map<string, Address | undefined>();

/** Reading an address costs several microseconds, and the same few callers come again and again. */
function parse(text: string): Address | undefined {
  if (parsedAddresses.has(text)) return parsedAddresses.get(text);
  if (parsedAddresses.size >= rememberedAddresses) parsedAddresses.clear();
  const address = readAddress(text);
  // Longer than any address: not worth keeping.
  if (text.length <= 64) parsedAddresses.set(text, address);
  return address;
}

/** An address in its shortest form: IPv4 inside IPv6 becomes IPv4, zone ids are dropped. */
function readAddress(text: string): Address | undefined {
  const plain = text.replace(/%.*$/, '');
  // ipaddr.js reads "1", octal and hexadecimal forms too; other readers do not agree on those.
  if (!plain.includes(':') && !/^\d{1,3}(\.\d{1,3}){3}$/.test(plain)) return undefined;
  return ipaddr.isValid(plain) ? ipaddr.process(plain) : undefined;
}

/** The entries of a list as they are written, read or not. */
export function ipEntries(text: string): string[] {
  return text.split(/[\s,]+/).filter((part) => part !== '');
}

/**
 * Reads a list of addresses and CIDR ranges separated by lines, commas or spaces (contract 5.3).
 * `matcher` is undefined of an empty list, which means "no limit"; one without a single readable entry matches nobody.
 */
export function parseIpList(text: string): { matcher: IpMatcher | undefined; invalid: string[] } {
  const ranges: Range[] = [];
  const invalid: string[] = [];
  for (const entry of ipEntries(text)) {
    const range = parseRange(entry);
    if (range === undefined) invalid.push(entry);
    else ranges.push(range);
  }
  if (ranges.length + invalid.length === 0) return { matcher: undefined, invalid };
  return { matcher: { size: ranges.length, matches: (ip) => matchesAny(parse(ip), ranges) }, invalid };
}

function parseRange(entry: string): Range | undefined {
  const [addressText = '', bitsText, ...rest] = entry.split('/');
  const address = parse(addressText);
  if (address === undefined || rest.length > 0) return undefined;
  const size = address.kind() === 'ipv4' ? 32 : 128;
  if (bitsText === undefined) return [address, size];
  // A mapped range (::ffff:10.0.0.0/104) would need its bits shifted; nobody writes it.
  if (!/^\d{1,3}$/.test(bitsText) || Number(bitsText) > size || (size === 32 && addressText.includes(':'))) return undefined;
  return [address, Number(bitsText)];
}

function matchesAny(address: Address | undefined, ranges: readonly Range[]): boolean {
  if (address === undefined) return false;
  return ranges.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits));
}
