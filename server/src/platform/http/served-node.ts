import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createGatherer, type Gatherer } from '@tollgate/wire';
import { type Answer, BodyTooLarge, framed, largestCopied, type Serve, type ServedRequest } from './served.ts';

/** Serves what node:http has parsed. */
export function serveNode(serve: Serve): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => serve(requestOf(request, response), createNodeAnswer(response));
}

function requestOf(request: IncomingMessage, response: ServerResponse): ServedRequest {
  const { method = 'GET', url = '/', headers, socket } = request;
  return {
    ...{ method, url, headers, socket },
    body: (maxBytes) => collect(request, maxBytes),
    leaveUnread() {
      if (!request.complete) response.shouldKeepAlive = false;
    },
  };
}

function collect(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? Number.NaN);
  if (announced > maxBytes) return Promise.reject(new BodyTooLarge());
  return new Promise((resolve, reject) => {
    // The request keeps its listeners until it is answered.
    let gathered: Gatherer | undefined = createGatherer(maxBytes);
    request.on('data', (chunk: Buffer) => {
      if (gathered?.add(chunk) !== false) return;
      gathered = undefined;
      request.removeAllListeners('data');
      request.resume();
      reject(new BodyTooLarge());
    });
    request.on('end', () => {
      if (gathered !== undefined) resolve(gathered.take());
    });
    request.on('error', () => reject(undefined));
    request.on('close', () => reject(undefined));
  });
}

/**
 * Writes answers with few system calls and objects. What follows the first piece of a stream goes to the socket with its
 * frame around it, in one piece: the response object would make four pieces of it.
 */
function createNodeAnswer(response: ServerResponse): Answer {
  /** Set once the head and everything before went to this socket. */
  let direct: Socket | undefined;
  return {
    get headSent() {
      return response.headersSent;
    },
    get gone() {
      return response.closed && !response.writableFinished;
    },
    head: (status, headers) => void response.writeHead(status, headers),
    write(bytes) {
      if (direct !== undefined && bytes.length <= largestCopied) {
        return bytes.length === 0 || direct.write(framed(typeof bytes === 'string' ? Buffer.from(bytes) : bytes));
      }
      const { socket } = response;
      const isReady = response.write(bytes);
      // A response that waits behind another one of its connection has no socket yet; old callers get no chunks.
      if (socket !== null && response.chunkedEncoding) direct = socket;
      return isReady;
    },
    passage: () => undefined,
    end: (bytes) => void response.end(bytes),
    whole(status, headers, body) {
      response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
      // Text goes out together with the head; this text has the body's very bytes.
      if (typeof body !== 'string' && body.length <= largestCopied) response.end(body.toString('latin1'), 'latin1');
      else response.end(body);
    },
    destroy: () => void response.destroy(),
    onDrain: (listener) => void (direct ?? response).once('drain', listener),
    onTaken(listener) {
      if (response.writableFinished || response.closed) return listener();
      const taken = () => {
        response.off('finish', taken).off('close', taken);
        listener();
      };
      response.on('finish', taken).on('close', taken);
    },
    onGone(listener) {
      response.once('close', () => {
        if (!response.writableFinished) listener();
      });
    },
  };
}
