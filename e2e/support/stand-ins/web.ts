import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { listening } from '../../../server/test/listening.ts';

/** One request as a stand-in received it. */
export interface Received {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: string;
}

export interface Reply {
  status?: number;
  headers?: Record<string, string>;
  /** Text as it is, anything else as JSON. */
  body?: unknown;
  /** Never answers. */
  hang?: boolean;
  /** Hangs up instead of answering. */
  hangUp?: boolean;
}

export interface Web {
  /** http://127.0.0.1:port */
  origin: string;
  /** Everything that came, oldest first. */
  received: Received[];
  close(): Promise<void>;
}

/** A real HTTP server on loopback that answers as `answer` says. */
export async function startWeb(answer: (request: Received) => Reply | Promise<Reply>): Promise<Web> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = new URL(request.url ?? '/', 'http://stand-in.test');
    const entry = {
      method: request.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body: Buffer.concat(chunks).toString('utf8'),
    };
    received.push(entry);
    const { status = 200, headers = {}, body = '', hang = false, hangUp = false } = await answer(entry);
    if (hangUp) request.socket.destroy();
    if (hang || hangUp) return;
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const type = typeof body === 'string' ? 'text/plain' : 'application/json';
    response.writeHead(status, { 'content-type': type, ...headers }).end(text);
  });
  const port = await listening(server);
  return {
    origin: `http://127.0.0.1:${port}`,
    received,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** What is answered at each path, whole or as events. */
export type Answers = Readonly<Record<string, (isStream: boolean) => string>>;

/** An upstream that answers as it is asked: whole, or as events where the body or the path asks for a stream. */
export function startAnswering(answers: Answers): Promise<Web> {
  return startWeb(({ path, body }) => {
    const isStream = (JSON.parse(body) as { stream?: unknown }).stream === true || path.endsWith(':streamGenerateContent');
    const headers = { 'content-type': isStream ? 'text/event-stream' : 'application/json' };
    return { headers, body: answers[path]?.(isStream) };
  });
}
