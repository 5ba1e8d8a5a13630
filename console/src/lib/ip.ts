const octet = /^(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)$/;
const isV4 = (text: string): boolean => {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => octet.test(part));
};

function isV6(text: string): boolean {
  const halves = text.split('::');
  if (halves.length > 2 || text.includes(':::')) return false;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const last = groups.at(-1) ?? '';
  const embedded = last.includes('.');
  if (embedded && !isV4(last)) return false;
  const plain = embedded ? groups.slice(0, -1) : groups;
  if (!plain.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return false;
  const count = plain.length + (embedded ? 2 : 0);
  return halves.length === 2 ? count <= 7 : count === 8;
}

/** True for an IPv4 or IPv6 address or a CIDR range. */
export function isAddressOrRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  if (rest.length > 0) return false;
  const v4 = isV4(address);
  if (!v4 && !isV6(address)) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (v4 ? 32 : 128));
}

/** The entries of a list of addresses: one per line; commas and spaces separate too. */
export const addressesIn = (text: string): string[] => text.split(/[\s,]+/).filter((entry) => entry !== '');

/** The entries of such a list that are no address. */
export const invalidAddresses = (text: string): string[] => addressesIn(text).filter((entry) => !isAddressOrRange(entry));
