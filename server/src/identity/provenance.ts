/** Headers that tell where a browser's request comes from. */
export interface Provenance {
  fetchSite: string | undefined;
  origin: string | undefined;
  host: string | undefined;
  /** Option ServerAddress: the public address behind a proxy that rewrites Host. */
  serverAddress: string;
}

/** Refuses what a browser marks as coming from elsewhere (R-23 with rulings 19); absent headers pass. */
export function isForeign({ fetchSite, origin, host, serverAddress }: Provenance): boolean {
  if (fetchSite !== undefined) return fetchSite !== 'same-origin' && fetchSite !== 'none';
  if (origin === undefined) return false;
  const from = URL.parse(origin);
  return from === null || (from.host !== host?.toLowerCase() && from.origin !== URL.parse(serverAddress)?.origin);
}

export type CookieName = 'session' | 'browser' | 'device';

/** The prefix makes browsers refuse it without Secure, with a Domain or another Path. */
export function hostCookieName(name: CookieName, isHttps: boolean): string {
  return isHttps ? `__Host-${name}` : name;
}
