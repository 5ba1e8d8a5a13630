import { createServer, type Server } from 'node:http';
import { listening } from '../../../server/test/listening.ts';

/** What the next request is answered with, byte for byte. */
export interface RawAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Written one by one, each after the one before has left. */
  readonly writes: readonly Buffer[];
  /** `end`: as HTTP has it; `fin`, `rst`: the connection closes in the middle. */
  readonly end?: 'end' | 'fin' | 'rst';
}

export interface RawUpstream {
  readonly url: string;
  /** How many requests came. */
  readonly calls: number;
  answer(next: RawAnswer): void;
  close(): Promise<void>;
}

/** An upstream that says what it is told to, to everybody, in any framing. */
export async function startRawUpstream(): Promise<RawUpstream> {
  let next: RawAnswer = { writes: [] };
  let calls = 0;
  const server: Server = createServer((request, response) => {
    request.resume();
    request.once('end', async () => {
      calls += 1;
      const { status = 200, headers = { 'content-type': 'text/event-stream' }, writes, end = 'end' } = next;
      response.writeHead(status, { ...headers });
      response.flushHeaders();
      for (const bytes of writes) if (!(await left(response, bytes))) return;
      if (end === 'end') response.end();
      else if (end === 'fin') response.socket?.end();
      else response.socket?.resetAndDestroy();
    });
  });
  const port = await listening(server);
  return {
    url: `http://127.0.0.1:${port}`,
    get calls() {
      return calls;
    },
    answer(answer) {
      next = answer;
      calls = 0;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** False: the reader is gone. */
function left(response: import('node:http').ServerResponse, bytes: Buffer): Promise<boolean> {
  return new Promise((resolve) => {
    const gone = () => resolve(false);
    response.once('close', gone);
    response.write(bytes, (error) => {
      response.off('close', gone);
      resolve(error === null || error === undefined);
    });
  });
}
