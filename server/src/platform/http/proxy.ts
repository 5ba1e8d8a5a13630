import { UpstreamFault } from './fault.ts';
import { endpointOf, type Guard, type Target } from './guard.ts';

/** A service that carries connections on. */
export interface ProxyServer {
  readonly kind: 'http' | 'https' | 'socks5';
  /** Where it is, as the guard lets it be reached. */
  readonly target: Target;
  readonly host: string;
  readonly port: number;
  /** Undefined = it asks for none. */
  readonly login: { readonly user: string; readonly password: string } | undefined;
}

const usualPorts = { http: 80, https: 443, socks5: 1080 } as const;
const kinds: Readonly<Record<string, ProxyServer['kind']>> = {
  'http:': 'http',
  'https:': 'https',
  'socks5:': 'socks5',
  // Names are always left to the proxy.
  'socks5h:': 'socks5',
};
const longestLogin = 255;

/** Is this the address of a proxy that can be used? Credentials may stand in it. */
export function isProxyAddress(text: string): boolean {
  return parts(text) !== undefined;
}

/** Throws UpstreamFault or EgressRefused; neither repeats the address, which may hold a password. */
export function vetProxy(text: string, guard: Guard): ProxyServer {
  const read = parts(text);
  if (read === undefined) throw new UpstreamFault('refused', 'the proxy is no http, https or socks5 address');
  const { kind, host, port, login } = read;
  // The guard knows the schemes of HTTP only; what it judges is the place.
  const target = guard.target(new URL(`${kind === 'https' ? 'https' : 'http'}://${host}:${port}`));
  return { kind, target, ...endpointOf(new URL(target.origin)), login };
}

function parts(text: string): Omit<ProxyServer, 'target'> | undefined {
  const url = URL.parse(text.includes('://') ? text : `http://${text}`);
  const kind = url === null ? undefined : kinds[url.protocol];
  if (url === null || kind === undefined || url.hostname === '') return undefined;
  const user = decoded(url.username);
  const password = decoded(url.password);
  if (user === undefined || password === undefined) return undefined;
  if (Buffer.byteLength(user) > longestLogin || Buffer.byteLength(password) > longestLogin) return undefined;
  const login = user === '' && password === '' ? undefined : { user, password };
  return { kind, host: url.hostname, port: Number(url.port) || usualPorts[kind], login };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
