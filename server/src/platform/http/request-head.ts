import type { Socket } from 'node:net';
import type { UpstreamRequest } from './exchange.ts';
import { UpstreamFault } from './fault.ts';

const namePattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const valuePattern = /^[\t\x20-\x7e\x80-\xff]*$/;
const pathPattern = /^\/[\x21-\x7e]*$/;
/** What the client itself decides. */
const ownHeaders: ReadonlySet<string> = new Set(['content-length', 'connection', 'keep-alive', 'host']);
const forbiddenHeaders: ReadonlySet<string> = new Set(['transfer-encoding', 'upgrade', 'expect', 'te', 'trailer']);

interface Prepared {
  readonly method: string;
  readonly url: URL;
  readonly host: string;
  readonly text: string;
}

/** Channels send the same headers to the same address again and again. */
const prepared = new WeakMap<UpstreamRequest['headers'], Prepared>();

/** The head of a request under the name `via`, complete with its length. Throws UpstreamFault when it could be read as something else. */
export function requestHead(request: UpstreamRequest, host: string, via: string | undefined): string {
  const { method, url, headers, body } = request;
  let known = prepared.get(headers);
  if (known === undefined || known.url !== url || known.method !== method || known.host !== host) {
    known = { method, url, host, text: beginning(request, host, via) };
    prepared.set(headers, known);
  }
  if (method === 'GET' && body === undefined) return `${known.text}\r\n`;
  return `${known.text}content-length: ${body?.length ?? 0}\r\n\r\n`;
}

function beginning({ method, url, headers }: UpstreamRequest, host: string, via: string | undefined): string {
  const path = url.pathname + url.search;
  if (!pathPattern.test(path)) throw new UpstreamFault('protocol', 'the path cannot be sent');
  let text = `${method} ${path} HTTP/1.1\r\nhost: ${headers.host ?? host}\r\nconnection: keep-alive\r\n`;
  if (via !== undefined) text += `via: 1.1 ${via}\r\n`;
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (!namePattern.test(name) || !valuePattern.test(value) || forbiddenHeaders.has(lower)) {
      throw new UpstreamFault('protocol', `the header ${JSON.stringify(name)} cannot be sent`);
    }
    if (!ownHeaders.has(lower)) text += `${name}: ${value}\r\n`;
  }
  return text;
}

const largestJoined = 16_384;

/** Small bodies go out with their head in one piece. */
export function writeRequest(socket: Socket, head: string, body: Buffer | undefined): void {
  if (body === undefined || body.length === 0) {
    socket.write(head, 'latin1');
    return;
  }
  if (body.length > largestJoined) {
    socket.cork();
    socket.write(head, 'latin1');
    socket.write(body);
    socket.uncork();
    return;
  }
  const bytes = Buffer.allocUnsafe(head.length + body.length);
  bytes.write(head, 'latin1');
  body.copy(bytes, head.length);
  socket.write(bytes);
}
