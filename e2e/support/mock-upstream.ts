import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { accountRoutes, embeddings } from './mock/account.ts';
import { type Dialect, jsonAnswer, type MockAnswer } from './mock/dialect.ts';
import { openaiChat, openaiModels, upstreamError } from './mock/openai-chat.ts';
import { createRecords, type MockRequest } from './mock/records.ts';
import { type MockScript, parseScript, scriptOfModel } from './mock/script.ts';
import { sendAnswer } from './mock/send.ts';

export type { MockRequest, MockScript };

export interface MockOptions {
  /** 0 or absent: any free port. */
  readonly port?: number;
  readonly models?: readonly string[];
  /** Holds for requests without a script of their own. */
  readonly defaults?: MockScript;
  /** How many requests are remembered. */
  readonly maxRecords?: number;
  /** By method and end of the path; they come before the mock's own. */
  readonly dialects?: readonly (readonly [route: string, dialect: Dialect])[];
}

/** Answers a request with a script; undefined = the script of the header or of the model name. */
export type ScriptOf = (request: MockRequest) => MockScript | undefined;

export interface MockUpstream {
  /** Origin without a trailing slash. Any base path below it works too. */
  readonly url: string;
  requests(): readonly MockRequest[];
  /** Resolves with the first request that fits, now or later. */
  waitFor(fits: (request: MockRequest) => boolean, timeoutMs?: number): Promise<MockRequest>;
  /** A function answers every request from now on; a list answers one request each, then the defaults hold again. */
  script(next: ScriptOf | readonly MockScript[]): void;
  /** Forgets records and scripts. */
  reset(): void;
  /** Closes the port and every connection. */
  close(): Promise<void>;
}

const maxBodyBytes = 64 * 1024 * 1024;
const defaultModels = ['gpt-4o-mini', 'gpt-4o', 'mock-model'];

/** Dialects by the end of the path, so that channels can have base paths of their own. A new dialect is one more line. */
function dialectsFor({ models = defaultModels, dialects = [] }: MockOptions): ReadonlyMap<string, Dialect> {
  const own = new Set(dialects.map(([route]) => route));
  const usual: (readonly [string, Dialect])[] = [
    ['POST /chat/completions', openaiChat],
    ['POST /embeddings', embeddings],
    ...accountRoutes,
    ['GET /models', () => openaiModels(models)],
  ];
  return new Map([...dialects, ...usual.filter(([route]) => !own.has(route))]);
}

/** Starts a real HTTP server on 127.0.0.1 that plays an upstream. */
export async function startMockUpstream(options: MockOptions = {}): Promise<MockUpstream> {
  const dialects = dialectsFor(options);
  const records = createRecords(options.maxRecords ?? 10_000);
  const closing = new AbortController();
  let scripted: ScriptOf = () => undefined;
  let count = 0;

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(incoming);
    count += 1;
    const record = recordOf(count, incoming, body);
    const script = chooseScript(record, scripted) ?? options.defaults ?? {};
    const gone = new AbortController();
    response.once('close', () => {
      record.aborted = !response.writableEnded && !isOurs(script);
      record.endedAtMs = performance.timeOrigin + performance.now();
      gone.abort();
      records.changed();
    });
    records.add(record);
    const signal = AbortSignal.any([gone.signal, closing.signal]);
    await sendAnswer({ response, record, script, changed: records.changed, signal }, answerFor(dialects, record, script));
  }

  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else response.writeHead(500, { 'content-type': 'text/plain' }).end(String(error));
    });
  });
  // A test may keep a connection longer than any default.
  server.requestTimeout = 0;
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: records.list,
    waitFor: records.waitFor,
    script(next) {
      scripted = typeof next === 'function' ? next : inTurn(next);
    },
    reset() {
      records.clear();
      scripted = () => undefined;
    },
    async close() {
      closing.abort();
      records.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function inTurn(scripts: readonly MockScript[]): ScriptOf {
  const queue = [...scripts];
  return () => queue.shift();
}

/** The close of a connection that the script itself broke is not the client's. */
function isOurs(script: MockScript): boolean {
  return script.fault === 'reset' || (script.cutAtByte !== undefined && script.cut !== 'hang');
}

function chooseScript(record: MockRequest, scripted: ScriptOf): MockScript | undefined {
  const own = scripted(record);
  if (own !== undefined) return own;
  const header = record.headers['x-mock'];
  if (typeof header === 'string') return parseScript(header);
  return scriptOfModel(typeof record.json.model === 'string' ? record.json.model : '');
}

function answerFor(dialects: ReadonlyMap<string, Dialect>, record: MockRequest, script: MockScript): MockAnswer {
  const status = script.status ?? 200;
  if (script.body !== undefined) return fixedAnswer(status, script.body);
  if (status !== 200) return jsonAnswer(status, upstreamError(`mock status ${status}`, 'mock_error', `mock_${status}`));
  const path = record.path.split('?', 1)[0] ?? '';
  for (const [route, dialect] of dialects) {
    const [method, end = ''] = route.split(' ');
    if (record.method === method && path.endsWith(end)) return dialect(record, script);
  }
  return jsonAnswer(404, upstreamError(`no such route: ${record.method} ${path}`, 'invalid_request_error'));
}

function fixedAnswer(status: number, body: string | Readonly<Record<string, unknown>>): MockAnswer {
  if (typeof body !== 'string') return jsonAnswer(status, body);
  return { status, contentType: 'text/plain', pieces: [Buffer.from(body)], paced: false };
}

async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBodyBytes) throw new Error('the request body is too large for the mock');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function recordOf(id: number, incoming: IncomingMessage, body: Buffer): MockRequest {
  return {
    id,
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    headers: incoming.headers,
    body,
    json: parseBody(body),
    receivedAtMs: Date.now(),
    status: 0,
    bytesSent: 0,
    aborted: false,
    endedAtMs: 0,
  };
}

function parseBody(body: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/**
 * `node e2e/support/mock-upstream.ts --port 9100 [--script 'chunkDelayMs=0']`: the mock as a process of its own, at the
 * pace of a real model, until a signal ends it.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { port: { type: 'string', default: '9100' }, script: { type: 'string', default: 'delayMs=150&chunkDelayMs=40' } },
  });
  const mock = await startMockUpstream({ port: Number(values.port), defaults: parseScript(values.script), maxRecords: 100 });
  console.log(`mock upstream: ${mock.url}`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void mock.close());
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await main();
