import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Handler } from './listener.ts';
import { takesGzip } from './platform/http/packed.ts';

interface StoredFile {
  readonly bytes: Buffer;
  readonly gzip: Buffer | undefined;
  readonly type: string;
  readonly cache: string;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
};
const notBuilt = 'The console is not built yet: run "npm run build".';
/** As everywhere under /api and /v1 (contract 1.1). */
const unknown = ({ method, url }: { method?: string | undefined; url?: string | undefined }): string => {
  const message = `Invalid URL (${method} ${(url ?? '').split('?', 1)[0]})`;
  return JSON.stringify({ error: { message, type: 'invalid_request_error', param: '', code: '' } });
};
/** Assets carry a hash in their name; everything else is asked for again. */
const hashed = 'public, max-age=604800, immutable';
const revalidate = 'no-cache';
const csp = (scriptHosts: readonly string[], formHosts: readonly string[], frameHosts: readonly string[]): string =>
  [
    "default-src 'self'",
    ["script-src 'self'", ...scriptHosts].join(' '),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: https:",
    // A video that was read for the player, and songs, which lie with who made them.
    "media-src 'self' blob: https:",
    "connect-src 'self'",
    ["frame-src 'self'", ...frameHosts].join(' '),
    "object-src 'none'",
    "base-uri 'none'",
    ["form-action 'self'", ...formHosts].join(' '),
    "frame-ancestors 'none'",
  ].join('; ');
const fixedHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin-allow-popups',
};

/** Addresses without a page of their own: the first chat, a page of before, and what sites that are moved here gave away as links. */
const moved: ReadonlyMap<string, string> = new Map([
  ['/chat', '/chat/0'],
  ['/personal', '/setting'],
  ['/console', '/detail'],
  ['/console/personal', '/setting'],
  ['/sign-in', '/login'],
  ['/sign-up', '/register'],
]);
/** The pages of such sites, under the names that they have here. */
const formerPage = /^\/console(\/[a-z0-9-]+)$/;

/** Where an address leads instead, with its query: an invite code is part of a link. */
function placeOf(url: string): string | undefined {
  const urlPath = url.split('?', 1)[0] ?? '';
  const place = moved.get(urlPath) ?? formerPage.exec(urlPath)?.[1];
  return place && place + url.slice(urlPath.length);
}

export interface ConsolePolicy {
  /** Origins, beside our own, whose scripts the pages may run now. */
  scriptHosts(): readonly string[];
  /** What may stand in a frame. */
  frameHosts?(): readonly string[];
  /** What forms may be sent to, beside us. A payment page sends its visitor on, and browsers judge that too. */
  formHosts?(): readonly string[];
}

const botCheck = 'https://challenges.cloudflare.com';
const messenger = 'https://oauth.telegram.org';
/** Proxies refuse answers whose headers are too long. */
const mostFrameText = 1_500;

export interface FramedPlaces {
  readonly Chats: readonly Readonly<Record<string, string>>[];
  readonly HomePageContent: string;
  readonly About: string;
  readonly TurnstileCheckEnabled: boolean;
  readonly TelegramOAuthEnabled: boolean;
}

/**
 * What pages may show in a frame: the sites the operator named, with and without www., as many lead from one to the other
 * (decision 0092). All of https where so many are named that the header would be too long.
 */
export function frames({ Chats, HomePageContent, About, ...doors }: FramedPlaces): readonly string[] {
  const pages = [...Chats.flatMap((chat) => Object.values(chat)), HomePageContent.trim(), About.trim()];
  const places = new Set(pages.flatMap(siteOf));
  if (doors.TurnstileCheckEnabled) places.add(botCheck);
  if (doors.TelegramOAuthEnabled) places.add(messenger);
  return [...places].join(' ').length > mostFrameText ? ['https:'] : [...places];
}

function siteOf(address: string): string[] {
  const url = /^https:\/\/\S+$/i.test(address.split('#', 1)[0] ?? '') ? URL.parse(address) : null;
  // What a policy could read as something else than a host is not named in it.
  if (url === null || !/^[\w.-]+(:\d+)?$/.test(url.host)) return [];
  const bare = url.host.replace(/^www\./, '');
  return /^[\d.]+(:|$)/.test(bare) ? [url.origin] : [`https://${bare}`, `https://www.${bare}`];
}

/** Whose scripts the pages run beside ours. */
export function scripts({ TurnstileCheckEnabled }: Pick<FramedPlaces, 'TurnstileCheckEnabled'>): readonly string[] {
  return TurnstileCheckEnabled ? [botCheck] : [];
}

export interface PaymentPlace {
  readonly PayAddress: string;
  readonly EpayId: string;
  readonly EpayKey: string;
}

/**
 * Where the form of an online payment goes, on sites that take payments: the payment service, and the secure pages it sends
 * the visitor to, which nobody knows beforehand (decision 0033).
 */
export function paymentForms({ PayAddress, EpayId, EpayKey }: PaymentPlace): readonly string[] {
  const origin = URL.parse(PayAddress)?.origin ?? 'null';
  return origin === 'null' || EpayId === '' || EpayKey === '' ? [] : [origin, 'https:'];
}

/**
 * Serves the built console from memory; unknown paths get its index page, unknown assets a 404 (contract 1.1).
 * Without a build every page says how to make one.
 */
export function createConsoleFiles(distDir: string, { scriptHosts, formHosts, frameHosts }: ConsolePolicy): Handler {
  const files = readFiles(distDir);
  const index = files.get('/index.html');
  const preloadsOf = readPreloads(distDir);
  return (request, response) => {
    const securityHeaders = {
      ...fixedHeaders,
      'content-security-policy': csp(scriptHosts(), formHosts?.() ?? [], frameHosts?.() ?? []),
    };
    const urlPath = (request.url ?? '/').split('?', 1)[0] ?? '/';
    const place = placeOf(request.url ?? '/');
    if (place !== undefined) return void response.writeHead(302, { ...securityHeaders, location: place }).end();
    const file = files.get(urlPath) ?? (urlPath.startsWith('/assets/') ? undefined : index);
    if (file === undefined) {
      const [type, text] = index === undefined ? ['text/plain; charset=utf-8', notBuilt] : ['application/json', unknown(request)];
      response.writeHead(404, { ...securityHeaders, 'content-type': type });
      return void response.end(text);
    }
    const packed = takesGzip(request.headers['accept-encoding']) ? file.gzip : undefined;
    const body = packed ?? file.bytes;
    const link = file === index ? preloadsOf(request.url ?? '/') : undefined;
    response.writeHead(200, {
      ...securityHeaders,
      'content-type': file.type,
      'cache-control': file.cache,
      'content-length': body.length,
      vary: 'accept-encoding',
      ...(link === undefined ? {} : { link }),
      ...(packed === undefined ? {} : { 'content-encoding': 'gzip' }),
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  };
}

function readFiles(distDir: string): ReadonlyMap<string, StoredFile> {
  const files = new Map<string, StoredFile>();
  for (const name of listFiles(distDir)) {
    const extension = path.extname(name);
    const type = types[extension];
    if (type === undefined || name.startsWith('.vite')) continue;
    const full = path.join(distDir, name);
    files.set(`/${name.split(path.sep).join('/')}`, {
      bytes: readFileSync(full),
      gzip: statSync(`${full}.gz`, { throwIfNoEntry: false }) === undefined ? undefined : readFileSync(`${full}.gz`),
      type,
      cache: name.startsWith(`assets${path.sep}`) ? hashed : revalidate,
    });
  }
  return files;
}

function listFiles(dir: string): string[] {
  try {
    return readdirSync(dir, { recursive: true, encoding: 'utf8' });
  } catch {
    return [];
  }
}

/** The `Link` header of a page of the console, by its path and query; undefined where nothing is to be named. */
type PreloadsOf = (url: string) => string | undefined;

/** Written by the build: the files of each page, `$x` in a path standing for anything, `?tab=x` for a tab. */
export function createPreloads(table: Readonly<Record<string, readonly string[]>>): PreloadsOf {
  const pages = Object.entries(table).map(([place, files]) => {
    const [pathname = '', tab = ''] = place.split('?tab=');
    return { parts: pathname.split('/'), tab, link: files.map((file) => `<${file}>; rel=modulepreload`).join(', ') };
  });
  // A tab comes before the page that has it.
  pages.sort((a, b) => b.tab.length - a.tab.length);
  return (url) => {
    const [pathname = '', query = ''] = url.split('?', 2);
    const parts = pathname.split('/');
    const tab = new URLSearchParams(query).get('tab');
    const found = pages.find(
      (page) =>
        (page.tab === '' || page.tab === tab) &&
        page.parts.length === parts.length &&
        page.parts.every((part, index) => part.startsWith('$') || part === parts[index]),
    );
    return found?.link || undefined;
  };
}

/** The table beside a build; without one nothing is named. */
function readPreloads(distDir: string): PreloadsOf {
  try {
    return createPreloads(JSON.parse(readFileSync(path.join(distDir, '.vite', 'preloads.json'), 'utf8')));
  } catch {
    return () => undefined;
  }
}
