import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants, createGunzip, type Gunzip } from 'node:zlib';
import { parseObject } from '@tollgate/wire';
import type { Clock } from '../clock.ts';
import type { Crypto } from '../crypto.ts';
import { randomAlphanumerics } from '../ids.ts';
import type { UpstreamClient, UpstreamFault } from './client.ts';
import { streamHeaders } from './stream-head.ts';

/** How the events of a stream came: one by one, all at its end, or not at all from this installation; `expired`: nor from anybody else, since the certificate there is over. */
export type StreamWay = 'apart' | 'together' | 'unreached' | 'expired';

/** Among the paths of callers, so that a proxy treats it as it treats them. */
export const streamCheckPath = '/v1/stream-check';

const ticketHeader = 'x-stream-check';
const ticketMs = 60_000;
const mostAtOnce = 8;
const events = 3;
const gapMs = 300;
const askMs = 4_000;
const maxBytes = 4_096;

interface Keys {
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly crypto: Pick<Crypto, 'hmac'>;
}

/**
 * Answers a holder of a ticket, which every node of the installation can write and read, with a few events that lie apart
 * and prove who answered. To anybody else, and to more than eight at once, there is nothing here.
 */
export function createStreamCheck(keys: Keys): (request: IncomingMessage, response: ServerResponse) => void {
  let open = 0;
  return (request, response) => {
    const ticket = String(request.headers[ticketHeader] ?? '');
    if (request.method !== 'GET' || open >= mostAtOnce || !isGood(keys, ticket)) {
      response.writeHead(404, { 'cache-control': 'no-store' }).end();
      return;
    }
    open += 1;
    const startMs = performance.now();
    const proof = proofOf(keys, ticket);
    let sent = 0;
    const send = () => {
      sent += 1;
      response.write(`data: ${JSON.stringify({ at: Math.round(performance.now() - startMs), proof })}\n\n`);
      if (sent < events) return;
      clearInterval(timer);
      response.end();
    };
    const timer = setInterval(send, gapMs);
    response.once('close', () => {
      open -= 1;
      clearInterval(timer);
    });
    response.writeHead(200, streamHeaders);
    send();
  };
}

/** Asks at an address of the installation. What came together is asked once more: this machine may have been busy. */
export async function askStreamCheck(deps: Keys & { readonly client: UpstreamClient }, address: string): Promise<StreamWay> {
  const url = URL.parse(`${address.replace(/\/+$/, '')}${streamCheckPath}`);
  if (url === null) return 'unreached';
  const first = await askOnce(deps, url);
  return first === 'together' ? askOnce(deps, url) : first;
}

function askOnce({ client, ...keys }: Keys & { readonly client: UpstreamClient }, url: URL): Promise<StreamWay> {
  const ticket = newTicket(keys);
  const proof = proofOf(keys, ticket);
  return new Promise((resolve) => {
    const came: Arrival[] = [];
    const finish = (fault?: UpstreamFault) => {
      clearTimeout(timer);
      call.abort();
      unzip?.destroy();
      const unreached = fault?.message.startsWith('CERT_HAS_EXPIRED') ? 'expired' : 'unreached';
      resolve(came.length === events ? judge(came) : unreached);
    };
    const timer = setTimeout(finish, askMs);
    const read = arrivalsOf(proof, came, finish);
    let unzip: Gunzip | undefined;
    const call = client.send(
      {
        ...{ url, method: 'GET', body: undefined, firstByteTimeoutMs: askMs, idleTimeoutMs: askMs },
        // As most clients say it: a proxy may keep events back only where it compresses them.
        headers: { 'user-agent': 'tollgate', accept: 'text/event-stream', 'accept-encoding': 'gzip', [ticketHeader]: ticket },
      },
      {
        head(_status, headers) {
          if (headers['content-encoding'] !== 'gzip') return;
          unzip = createGunzip({ flush: constants.Z_SYNC_FLUSH });
          unzip
            .on('data', read)
            .once('end', () => finish())
            .once('error', () => finish());
        },
        data: (chunk) => void (unzip === undefined ? read(chunk) : unzip.write(chunk)),
        end: () => void (unzip === undefined ? finish() : unzip.end()),
        fault: finish,
      },
    );
  });
}

interface Arrival {
  readonly atMs: number;
  /** Since the stream began, by the word of the sender. */
  readonly sentMs: number;
}

/** Notes the events that prove who sent them as their lines are read; gives up on more than a few of them can be. */
function arrivalsOf(proof: string, came: Arrival[], giveUp: () => void): (chunk: Buffer) => void {
  let rest = '';
  let size = 0;
  return (chunk) => {
    size += chunk.byteLength;
    if (size > maxBytes) return giveUp();
    const lines = `${rest}${chunk.toString('latin1')}`.split('\n');
    rest = lines.pop() ?? '';
    const atMs = performance.now();
    for (const line of lines) {
      const event = line.startsWith('data: ') ? parseObject(line.slice('data: '.length)) : undefined;
      if (event?.proof === proof) came.push({ atMs, sentMs: Number(event.at) });
    }
  };
}

/** Together = closer to each other than half of what lay between them when they were sent. */
function judge(came: readonly Arrival[]): StreamWay {
  const [first, last] = [came[0], came.at(-1)];
  if (first === undefined || last === undefined) return 'unreached';
  return last.atMs - first.atMs < (last.sentMs - first.sentMs) / 2 ? 'together' : 'apart';
}

function newTicket({ clock, crypto }: Keys): string {
  const text = `${clock.nowMs() + ticketMs}.${randomAlphanumerics(16)}`;
  return `${text}.${crypto.hmac('stream-check', `ask/${text}`)}`;
}

function isGood({ clock, crypto }: Keys, ticket: string): boolean {
  const [untilMs = '', nonce = '', given = ''] = ticket.split('.');
  const wanted = Buffer.from(crypto.hmac('stream-check', `ask/${untilMs}.${nonce}`));
  const found = Buffer.from(given);
  return found.length === wanted.length && timingSafeEqual(found, wanted) && Number(untilMs) > clock.nowMs();
}

const proofOf = ({ crypto }: Keys, ticket: string): string => crypto.hmac('stream-check', `answer/${ticket}`);
