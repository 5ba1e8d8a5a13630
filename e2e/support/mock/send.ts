import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { MockAnswer } from './dialect.ts';
import type { MockRequest } from './records.ts';
import type { MockScript } from './script.ts';

interface Sending {
  readonly response: ServerResponse;
  readonly record: MockRequest;
  readonly script: MockScript;
  readonly changed: () => void;
  /** Aborted when the client is gone or the mock closes. */
  readonly signal: AbortSignal;
}

/** Sends an answer with the faults of its script. Resolves when the mock is done with it, whether it arrived or not. */
export async function sendAnswer(sending: Sending, answer: MockAnswer): Promise<void> {
  const { response, script, signal } = sending;
  if (script.delayMs !== undefined) await pause(script.delayMs, signal);
  await script.until;
  if (signal.aborted || script.fault === 'hang') return;
  if (script.fault === 'reset') {
    response.socket?.resetAndDestroy();
    return;
  }
  writeHead(sending, answer);
  if (script.fault === 'hang-after-headers') {
    response.flushHeaders();
    return;
  }
  await writeBody(sending, answer);
}

function writeHead({ response, record, script, changed }: Sending, answer: MockAnswer): void {
  record.status = answer.status;
  const { retryAfter, gzip, headers } = script;
  response.writeHead(answer.status, {
    'content-type': script.contentType ?? answer.contentType,
    'x-request-id': `req_mock_${record.id}`,
    ...(answer.paced ? { 'cache-control': 'no-cache' } : {}),
    ...(gzip === true ? { 'content-encoding': 'gzip' } : {}),
    ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }),
    ...(answer.paced || script.cutAtByte !== undefined || gzip === true ? {} : { 'content-length': sizeOf(answer.pieces) }),
    ...answer.headers,
    ...headers,
  });
  changed();
}

function sizeOf(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0);
}

async function writeBody(sending: Sending, answer: MockAnswer): Promise<void> {
  const { response, record, script, changed, signal } = sending;
  const pieces = script.gzip === true ? [gzipSync(Buffer.concat(answer.pieces))] : answer.pieces;
  const limit = script.cutAtByte ?? Number.POSITIVE_INFINITY;
  for (const [k, piece] of pieces.entries()) {
    if (k > 0 && k === pieces.length - 1 && answer.paced) await script.end;
    if (k > 0 && answer.paced && (script.chunkDelayMs ?? 0) > 0) await pause(script.chunkDelayMs ?? 0, signal);
    if (signal.aborted) return;
    const part = piece.subarray(0, Math.max(0, limit - record.bytesSent));
    record.bytesSent += part.length;
    const flowing = part.length === 0 || response.write(part);
    if (part.length < piece.length || record.bytesSent >= limit) return cut(sending);
    changed();
    if (!flowing) await drained(response, signal);
  }
  if (!signal.aborted) response.end();
}

/** The bytes so far must have left before the connection closes, or a reset would take them back. */
function cut({ response, script }: Sending): void {
  const how = script.cut ?? 'fin';
  if (how === 'hang') return;
  if (how === 'clean') {
    response.end();
    return;
  }
  const { socket } = response;
  if (socket === null) return;
  response.flushHeaders();
  socket.write('', () => (how === 'rst' ? socket.resetAndDestroy() : socket.end()));
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  // An abort only ends the wait; the caller looks at the signal.
  await delay(ms, undefined, { signal }).catch(() => undefined);
}

function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    response.once('drain', resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
