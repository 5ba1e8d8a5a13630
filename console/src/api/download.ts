import { clientDeps } from './call.ts';
import { readAnswer, sendSignedIn, textOfRefusal } from './client.ts';
import { ApiError, refusalOf, unansweredOf } from './errors.ts';

export interface DownloadInput {
  /** Aborts it; what came so far is dropped. */
  signal: AbortSignal;
  /** Told after every part: bytes so far. */
  onBytes(bytes: number): void;
  /** More than that ends in RangeError. */
  maxBytes: number;
}

const headMs = 60_000;
/** Parts are joined at this size, so that the browser may keep them elsewhere than in memory. */
const joinBytes = 8_000_000;

/**
 * Reads a file that the server writes while it is read. Throws ApiError for refusals and broken connections, RangeError when
 * it is too large; an aborted download throws the abort itself.
 */
export async function download(address: string, { signal, onBytes, maxBytes }: DownloadInput): Promise<Blob> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), headMs);
  try {
    const headers = {
      'Accept-Language': clientDeps.languageTag(),
      'Cache-Control': 'no-store',
      'New-Api-User': String(clientDeps.userId()),
    };
    const sent = { headers, signal: AbortSignal.any([signal, late.signal]) };
    const response = await sendSignedIn(clientDeps, () => clientDeps.fetch(address, sent));
    clearTimeout(timer);
    const type = response.headers.get('Content-Type') ?? '';
    if (!response.ok || type.startsWith('application/json')) {
      throw refusalOf(response, textOfRefusal(await readAnswer(response)));
    }
    return await collect(response, type, { onBytes, maxBytes });
  } catch (error) {
    if (signal.aborted || error instanceof ApiError || error instanceof RangeError) throw error;
    throw unansweredOf(late.signal);
  } finally {
    clearTimeout(timer);
  }
}

async function collect(response: Response, type: string, { onBytes, maxBytes }: Omit<DownloadInput, 'signal'>): Promise<Blob> {
  const reader = response.body?.getReader();
  let whole = new Blob([], { type });
  let parts: Uint8Array<ArrayBuffer>[] = [];
  let waiting = 0;
  const join = () => {
    whole = new Blob([whole, ...parts], { type });
    parts = [];
    waiting = 0;
  };
  for (;;) {
    const next = await reader?.read();
    if (!next || next.done) break;
    parts.push(new Uint8Array(next.value));
    waiting += next.value.byteLength;
    if (whole.size + waiting > maxBytes) {
      await reader?.cancel();
      throw new RangeError('too large');
    }
    if (waiting >= joinBytes) join();
    onBytes(whole.size + waiting);
  }
  join();
  return whole;
}
