import { isRecord } from './json.ts';

/** A client that opens with a token: a name and a template with `{key}` and `{address}` (contract 12.3). */
export interface ChatLink {
  label: string;
  template: string;
}

/** The operator's chat links: single-key objects. Undefined when they are not set correctly. */
export function readChats(value: unknown): ChatLink[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const links: ChatLink[] = [];
  for (const item of value) {
    const [entry, ...more] = isRecord(item) ? Object.entries(item) : [];
    if (entry === undefined || more.length > 0 || typeof entry[1] !== 'string') return undefined;
    links.push({ label: entry[0], template: entry[1] });
  }
  return links;
}

/** Schemes that would run as a script or show foreign text under this site's name. */
const refused = new Set(['javascript:', 'data:', 'vbscript:', 'blob:', 'file:', 'about:']);

/** The address to open; undefined for what is no address, must not be opened, or would send the key to a server: the part behind # stays in the browser. */
export function chatAddress(template: string, key: string, address: string): string | undefined {
  const isPage = /^https?:/i.test(template);
  if (isPage && (template.split('#')[0] ?? '').includes('{key}')) return undefined;
  const text = template.replaceAll('{key}', key).replaceAll('{address}', encodeURIComponent(address));
  const url = URL.parse(text);
  return url && !refused.has(url.protocol) ? text : undefined;
}

/** Pages open in a window of their own, links of apps by navigation. */
export function openChat(address: string): void {
  if (/^https?:/i.test(address)) window.open(address, '_blank', 'noopener,noreferrer');
  else location.assign(address);
}
