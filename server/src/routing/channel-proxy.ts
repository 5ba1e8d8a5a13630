import { PublicError } from '../platform/errors.ts';
import { proxyIn } from './channel-setting.ts';

/**
 * The login of a channel's proxy is a secret, as its key is: administrators read a mask in its place, which means the
 * stored one when it comes back with the same address, and no other place's.
 */
const mask = '***';

/** A stored setting as it may be read. */
export function readableSetting(setting: string): string {
  const proxy = proxyIn(setting);
  const readable = proxy === undefined ? proxy : masked(proxy);
  return readable === proxy ? setting : withProxy(setting, readable);
}

/** The same with what is stored behind a mask. */
export function unmaskedSetting(setting: string, stored: string): string {
  const [proxy, own] = [proxyIn(setting), proxyIn(stored)];
  return proxy !== undefined && own !== undefined && proxy !== own && proxy === masked(own) ? withProxy(setting, own) : setting;
}

/** Throws PublicError `channel_proxy_masked` where nothing is stored behind a mask. */
export function refuseMask(setting: string): void {
  const url = addressOf(proxyIn(setting) ?? '');
  if (url?.password === mask || (url?.password === '' && url.username === mask)) throw new PublicError('channel_proxy_masked');
}

/** The last part of a login is what nobody else knows: some proxies take a token as the name. */
function masked(proxy: string): string {
  if (!proxy.includes('@')) return proxy;
  const url = addressOf(proxy);
  if (url === null) return mask;
  if (url.password !== '') url.password = mask;
  else if (url.username !== '') url.username = mask;
  else return proxy;
  return url.href;
}

/** As its calls read it. */
function addressOf(proxy: string): URL | null {
  return URL.parse(proxy.includes('://') ? proxy : `http://${proxy}`);
}

function withProxy(setting: string, proxy: string | undefined): string {
  return JSON.stringify({ ...(JSON.parse(setting) as object), proxy });
}
