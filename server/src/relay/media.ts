import { type chat, entryOf } from '@tollgate/wire';
import type { MediaKinds, Protocol, Provider } from '../providers/index.ts';
import { type BodyBudget, type BodyPlace, noRoom } from './body-budget.ts';
import { localFault } from './faults.ts';

/** What an address turned out to be. */
export interface FetchedMedia {
  /** Without parameters, lower case. */
  readonly mediaType: string;
  readonly bytes: Buffer;
}

/** Fetches from an address that a caller named. Rejects with an error whose message may be shown to the caller. */
export type FetchMedia = (url: string, signal: AbortSignal) => Promise<FetchedMedia>;

/** What one call names by address, fetched once however many channels are tried. */
export interface MediaLoader {
  /** Rejects with RelayFault. */
  load(url: string): Promise<{ readonly mediaType: string; readonly base64: string }>;
  /** Lets go of what was fetched, and of its room; what still comes takes none. */
  forget(): void;
  /** The caller has left: what is being fetched is given up, and nothing more is. */
  abandon(): void;
}

/** Where what is fetched takes its room. */
type Room = Pick<BodyBudget, 'grow' | 'shrink'>;

const maxParallel = 4;
const maxAddresses = 64;
const maxBytesPerCall = 64 * 1024 * 1024;

/** A loader for one call, whose place is `place`. Most calls need none of it. */
export function createMediaLoader(fetchMedia: FetchMedia, room: Room, place: BodyPlace): MediaLoader {
  let loader: MediaLoader | undefined;
  return {
    load(url) {
      loader ??= boundedLoader(fetchMedia, room, place);
      return loader.load(url);
    },
    forget: () => loader?.forget(),
    abandon: () => loader?.abandon(),
  };
}

function boundedLoader(fetchMedia: FetchMedia, room: Room, place: BodyPlace): MediaLoader {
  const known = new Map<string, ReturnType<MediaLoader['load']>>();
  const waiting: (() => void)[] = [];
  let running = 0;
  let total = 0;
  let taken = 0;
  let isForgotten = false;
  const leaving = new AbortController();
  const fetched = async (url: string) => {
    if (running >= maxParallel) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      if (leaving.signal.aborted) throw unavailable('the caller has left');
      if (total > maxBytesPerCall) throw unavailable('the media of one request are too large together');
      const { mediaType, bytes } = await fetchMedia(url, leaving.signal).catch((error: unknown) => {
        throw unavailable(error instanceof Error ? error.message : 'it cannot be read');
      });
      total += bytes.length;
      const base64 = bytes.toString('base64');
      if (isForgotten) return { mediaType, base64 };
      if (!room.grow(place, base64.length)) throw noRoom();
      taken += base64.length;
      return { mediaType, base64 };
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
  return {
    load(url) {
      const found = known.get(url);
      if (found !== undefined) return found;
      if (known.size >= maxAddresses) return Promise.reject(unavailable(`more than ${maxAddresses} addresses in one request`));
      const loading = fetched(url);
      known.set(url, loading);
      return loading;
    },
    forget() {
      known.clear();
      room.shrink(place, taken);
      taken = 0;
      isForgotten = true;
    },
    abandon: () => leaving.abort(),
  };
}

function unavailable(reason: string) {
  return localFault('media_unavailable', { reason });
}

/** Media that an upstream takes by address from a request of another dialect. */
export function keptMedia(provider: Provider, { name, mediaByUrl }: chat.UpstreamDialect): MediaKinds {
  const own = ownMedia(provider, name);
  return own === undefined ? mediaByUrl : mediaByUrl.filter((kind) => own.includes(kind));
}

/** The same for a request of its own dialect; undefined = whatever that allows. */
export function ownMedia({ mediaByUrl }: Provider, protocol: Protocol): MediaKinds | undefined {
  return typeof mediaByUrl === 'function' ? mediaByUrl(protocol) : mediaByUrl;
}

/** A quick look: may a body name media by address at all? */
export function namesMediaToFetch(bytes: Buffer): boolean {
  // A search for eight bytes and more reads a long body byte by byte: few bodies come to it.
  return (bytes.includes('://') && (bytes.includes('http://') || bytes.includes('https://'))) || bytes.includes('\\/');
}

type Addressed = (chat.ImagePart | chat.FilePart) & { readonly source: { readonly at: 'url' } };

/** The request with everything inline that is named by address and not of the kinds to keep; itself when there is none. */
export function inlined(
  request: chat.ChatRequest,
  kept: MediaKinds,
  loader: MediaLoader | undefined,
): chat.ChatRequest | Promise<chat.ChatRequest> {
  const isToFetch = (part: chat.Part): part is Addressed =>
    (part.kind === 'image' || part.kind === 'file') && part.source.at === 'url' && !kept.includes(part.kind) && !isVideo(part);
  const isConcerned = (part: chat.Part) => isToFetch(part) || (part.kind === 'tool-result' && part.content.some(isToFetch));
  if (loader === undefined || !request.messages.some(({ parts }) => parts.some(isConcerned))) return request;
  const load = (part: Addressed) => loader.load(part.source.url).then((media) => ({ part, media }));
  const inPart = async (part: chat.Part): Promise<chat.Part> => {
    if (isToFetch(part)) return load(part).then((loaded) => sound(loaded) ?? picture(loaded));
    if (part.kind !== 'tool-result' || !part.content.some(isToFetch)) return part;
    const content = part.content.map((piece) => (isToFetch(piece) ? load(piece).then(picture) : piece));
    return { ...part, content: await Promise.all(content) };
  };
  const inMessage = async (message: chat.Message): Promise<chat.Message> =>
    message.parts.some(isConcerned) ? { ...message, parts: await Promise.all(message.parts.map(inPart)) } : message;
  return Promise.all(request.messages.map(inMessage)).then((messages) => ({ ...request, messages }));
}

/** Nobody carries those inline: whoever cannot take the address says so. */
function isVideo({ source }: chat.ImagePart | chat.FilePart): boolean {
  return source.mediaType?.startsWith('video/') === true;
}

interface Loaded {
  readonly part: Addressed;
  readonly media: Awaited<ReturnType<MediaLoader['load']>>;
}

const soundWords: Readonly<Record<string, string>> = { mpeg: 'mp3', 'x-wav': 'wav', wave: 'wav', mp4: 'm4a', 'x-m4a': 'm4a' };

function sound({ media: { mediaType, base64 } }: Loaded): chat.AudioPart | undefined {
  if (!mediaType.startsWith('audio/')) return undefined;
  const word = mediaType.slice('audio/'.length);
  return { kind: 'audio', base64, format: entryOf(soundWords, word) ?? word };
}

/** A picture by what it is, whatever the caller called it; a document keeps its name. */
function picture({ part, media: { mediaType, base64 } }: Loaded): chat.ImagePart | chat.FilePart {
  const source = { at: 'inline', mediaType, base64 } as const;
  const mark = part.cache === undefined ? {} : { cache: part.cache };
  if (mediaType.startsWith('image/')) {
    const { detail, extra } = part.kind === 'image' ? part : {};
    return {
      ...{ kind: 'image', source, ...mark },
      ...(detail === undefined ? {} : { detail }),
      ...(extra === undefined ? {} : { extra }),
    };
  }
  const file = part.kind === 'file' ? part : undefined;
  return {
    ...{ kind: 'file', source, ...mark },
    ...(file?.name === undefined ? {} : { name: file.name }),
    ...(file?.extra === undefined ? {} : { extra: file.extra }),
  };
}

/** Throws RelayFault when a message holds more pictures than the upstream takes. */
export function refuseTooManyImages({ messages }: chat.ChatRequest, most: number | undefined): void {
  if (most === undefined) return;
  const count = (parts: readonly chat.Part[]) => parts.filter(({ kind }) => kind === 'image').length;
  if (messages.some(({ parts }) => count(parts) > most)) throw localFault('too_many_images', { most });
}
