/** The operator's service that asks in our stead (contract 8.9). */
export interface Worker {
  readonly url: string;
  readonly key: string;
}

/** An address that a user named is not asked. The text may be shown to that user. */
export class UserFetchRefused extends Error {}

const maxAddressChars = 8_192;
/** "" = that of the scheme. */
const ports: ReadonlySet<string> = new Set(['', '80', '443', '8443']);

/** Judges an address that a user named; what it resolves to is judged by the guard. Throws UserFetchRefused. */
export function vettedAddress(text: string): URL {
  const url = text.length > maxAddressChars ? null : URL.parse(text);
  if (url === null) throw new UserFetchRefused('it is no address');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new UserFetchRefused('only http and https are allowed');
  if (url.username !== '' || url.password !== '') throw new UserFetchRefused('credentials in the address are not allowed');
  if (!ports.has(url.port)) throw new UserFetchRefused('only the ports 80, 443 and 8443 are allowed');
  return url;
}

interface Errand {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  /** null = none. */
  readonly body?: string | null;
}

/** Where the worker is and what it is asked to do. Throws UserFetchRefused. */
export function workerOrder({ url: address, key }: Worker, errand: Errand): { readonly url: URL; readonly body: string } {
  const { url, method, headers = {}, body = null } = errand;
  if (url.protocol !== 'https:') throw new UserFetchRefused('only https is allowed');
  const target = URL.parse(address);
  if (target === null) throw new UserFetchRefused('it cannot be reached');
  return { url: target, body: JSON.stringify({ url: url.href, key, method, headers, body }) };
}

/** The worker that the options name; undefined = none. */
export function workerOf({
  WorkerUrl: url,
  WorkerValidKey: key,
}: {
  WorkerUrl: string;
  WorkerValidKey: string;
}): Worker | undefined {
  return url === '' ? undefined : { url, key };
}
