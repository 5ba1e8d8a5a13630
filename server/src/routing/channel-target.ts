import { parseObject } from '@tollgate/wire';
import type { Crypto } from '../platform/crypto.ts';
import { PublicError } from '../platform/errors.ts';
import { UpstreamFault } from '../platform/http/client.ts';
import type { SystemAnswer, SystemClient, SystemRequest } from '../platform/http/system-client.ts';
import { redactText } from '../platform/log.ts';
import type { Database } from '../storage/database.ts';
import { overrideHeaders } from './channel-headers.ts';
import { byHand, openChannelKey } from './channel-key.ts';
import { readStored, type StoredChannel } from './channel-view.ts';
import { type RouteChannel, routeChannel, withKey } from './snapshot.ts';

/** What calls beside the relay need to know of a channel type; provider records fit. */
export interface ProviderFacts {
  readonly baseUrl: string;
  readonly completeUrl?: boolean;
  /** A gateway whose addresses stand for the beginning of the paths. */
  readonly fronted?: { readonly by: string; readonly without: string };
  readonly keyHeader?: string;
  readonly organizationHeader?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly balance?: (place: {
    base: string;
    isOwnAddress: boolean;
    nowMs: number;
  }) => Generator<{ readonly url: string; readonly keyHeader?: string }, number, unknown>;
  /** Statuses that mean, at this vendor, that the key is dead. */
  readonly keyRefusals?: readonly number[];
}

export interface TargetDeps {
  db: Database;
  crypto: Crypto;
  /** In [0, 1). */
  random?: () => number;
}

/** A stored channel ready to be called, whatever its status. */
export interface ChannelTarget {
  row: StoredChannel;
  channel: RouteChannel;
}

/**
 * Throws PublicError: no such channel, no credential (`channel_key_missing`), or one that cannot be opened (`channel_unreadable`).
 * `keyIndex`: with this one of its credentials, switched off or not.
 */
export async function readTarget(
  { db, crypto, random = Math.random }: TargetDeps,
  id: number,
  keyIndex?: number,
): Promise<ChannelTarget> {
  const row = await readStored(db.read, id);
  if (row.key_sealed === '') throw new PublicError('channel_key_missing');
  const off = await db.read.selectFrom('channel_key').select(['key_hmac', 'reason']).where('channel_id', '=', id).execute();
  const named = (keys: typeof off) => new Set(keys.map(({ key_hmac }) => `${id}:${key_hmac}`));
  const openKey = (stored: Parameters<typeof openChannelKey>[1]) => openChannelKey(crypto, stored);
  if (keyIndex !== undefined) return { row, channel: withOneKey(routeChannel(row, { openKey }), keyIndex) };
  // A channel all of whose credentials are off is still asked with one of them, whichever no person switched off: that is how it can come back.
  const channel =
    routeChannel(row, { openKey, disabledKeys: named(off) }) ??
    withAnyKey(routeChannel(row, { openKey, disabledKeys: named(off.filter(({ reason }) => reason === byHand)) }), random()) ??
    withAnyKey(routeChannel(row, { openKey }), random());
  if (channel === undefined) throw new PublicError('channel_unreadable');
  return { row, channel };
}

function withOneKey(channel: RouteChannel | undefined, index: number): RouteChannel {
  const key = channel?.keys[index];
  if (channel === undefined) throw new PublicError('channel_unreadable');
  if (key === undefined) throw new PublicError('channel_key_missing');
  return withKey(channel, key);
}

function withAnyKey(channel: RouteChannel | undefined, random: number): RouteChannel | undefined {
  const keys = channel?.keys.filter(({ disabled }) => !disabled) ?? [];
  const key = keys[Math.floor(random * keys.length)];
  return channel && key ? withKey(channel, key) : channel;
}

/** The credential that a channel was asked with, by the name under which its health knows it. */
export type UsedKey = { readonly id: string; readonly index: number } | undefined;

export function keyUsed({ key, keys }: RouteChannel): UsedKey {
  const used = keys.find(({ secret }) => secret === key);
  return used && { id: used.id, index: used.index };
}

/** A channel as the relay uses it, whatever its status; undefined = there is none. Throws PublicError or DatabaseError. */
export async function readAnyChannel(deps: TargetDeps, id: number): Promise<RouteChannel | undefined> {
  try {
    return (await readTarget(deps, id)).channel;
  } catch (error) {
    if (error instanceof PublicError && error.code === 'channel_not_found') return undefined;
    throw error;
  }
}

/** The address that API paths are appended to, without a trailing slash; "" when the channel has none. */
export function apiRoot(baseUrl: string, facts: Pick<ProviderFacts, 'baseUrl' | 'completeUrl'> | undefined): string {
  const address = (baseUrl || facts?.baseUrl || '').replace(/\/+$/, '');
  if (facts?.completeUrl !== true) return address;
  // A complete address names one endpoint: what stands before its version is the root.
  return address.replace(/\/(v\d\w*|chat|\{model\})(\/.*)?$/, '').replaceAll('{model}', '');
}

/** The headers of a question on a channel's account: the key, and whose it is where a key has several accounts. */
export function keyHeaders(
  facts: Pick<ProviderFacts, 'keyHeader' | 'organizationHeader' | 'headers'> | undefined,
  { key, organization, headerOverride }: Pick<RouteChannel, 'key' | 'organization' | 'headerOverride'>,
): Record<string, string> {
  const usual: Record<string, string> = { accept: 'application/json', 'accept-encoding': 'identity', ...facts?.headers };
  const headers = { ...usual, ...organizationOf(facts, { organization }) };
  if (facts?.keyHeader === undefined) headers.authorization = `Bearer ${key}`;
  else headers[facts.keyHeader] = key;
  return overrideHeaders(headers, headerOverride, key);
}

/** Which of a key's accounts is meant; nothing where the channel or its type has no such. */
export function organizationOf(
  facts: Pick<ProviderFacts, 'organizationHeader'> | undefined,
  { organization }: Pick<RouteChannel, 'organization'>,
): Record<string, string> {
  return facts?.organizationHeader === undefined || organization === '' ? {} : { [facts.organizationHeader]: organization };
}

/** Sends one request. Throws PublicError with the transport's text, free of the credentials. */
export async function askUpstream(http: SystemClient, request: SystemRequest, secrets: readonly string[]): Promise<SystemAnswer> {
  try {
    return await http.request(request);
  } catch (error) {
    throw error instanceof UpstreamFault ? unanswered(error, secrets) : error;
  }
}

/** A question that no answer came to, as the operator who asked it reads it. */
export function unanswered({ kind, message, privateAddress: address }: UpstreamFault, secrets: readonly string[]): PublicError {
  if (address !== undefined) return new PublicError('channel_address_private', { address });
  // What the system says begins with the kind mostly.
  const detail = message.startsWith(kind) ? message : `${kind}: ${message}`;
  return new PublicError('channel_upstream_failed', { detail: redactSecrets(detail, secrets) });
}

const maxText = 1000;

/** Text of unknown origin without the given credentials, their parts and what looks like one; bounded. */
export function redactSecrets(text: string, secrets: readonly string[]): string {
  return hideSecrets(text, secrets).slice(0, maxText);
}

/** The same at its whole length. */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  const forms = secrets.flatMap(formsOf).sort((left, right) => right.length - left.length);
  // The known ones first: the pattern could mask a part and hide the rest from them.
  return redactText(forms.reduce((masked, secret) => masked.replaceAll(secret, '***'), text));
}

const shortestForm = 8;
/** Where the title of a web page stands. */
const maxHeadLength = 4_096;

/** A credential as an upstream may echo it: whole, in parts, or escaped. */
function formsOf(secret: string): string[] {
  const parts = secret.startsWith('{') ? jsonTexts(secret) : secret.split(/[|\n]/);
  const bare = secret.replace(/^(sk-|Bearer\s+)/, '');
  const all = [secret, bare, ...parts].flatMap((form) => [form, encodeURIComponent(form), JSON.stringify(form).slice(1, -1)]);
  return [...new Set(all)].filter((form) => form.length >= shortestForm);
}

/** Only what is secret of a service account: names of projects and addresses would mask half of every error. */
function jsonTexts(secret: string): string[] {
  return Object.entries(parseObject(secret) ?? {}).flatMap(([name, value]) =>
    /key|secret|token/i.test(name) && typeof value === 'string' ? [value] : [],
  );
}

/** The message of a JSON error answer of any dialect, or the title of a web page, else the body itself; for people. */
export function upstreamMessage(text: string): string {
  try {
    const body = JSON.parse(text) as { error?: { message?: unknown } | string; message?: unknown; msg?: unknown } | null;
    const inner = typeof body?.error === 'object' ? body.error?.message : body?.error;
    const found = [inner, body?.message, body?.msg].find((each) => typeof each === 'string' && each !== '');
    return typeof found === 'string' ? found : text;
  } catch {
    return pageTitle(text) ?? text;
  }
}

/** What a web page is called, which is what a server says that has nothing at an address. Undefined for any other text. */
export function pageTitle(text: string): string | undefined {
  const start = text.slice(0, maxHeadLength);
  if (!/^\s*<(!doctype|html|head)\b/i.test(start)) return undefined;
  return /<title>([^<]+)/i.exec(start)?.[1]?.trim();
}
