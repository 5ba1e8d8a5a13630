import { createServer, type Socket } from 'node:net';
import { listening } from '../../../server/test/listening.ts';

export interface ByteUpstream {
  readonly url: string;
  /** Requests that came. */
  readonly calls: number;
  /** Connections that are open. */
  readonly open: number;
  /** What the next requests are answered with, head and all; then the connection closes unless it is kept. */
  answer(bytes: Iterable<Buffer>, kept?: boolean): void;
  close(): Promise<void>;
}

/** An upstream below HTTP: it answers with the very bytes it is told to, however wrong they are. */
export async function startByteUpstream(): Promise<ByteUpstream> {
  let next: { bytes: Iterable<Buffer>; kept: boolean } = { bytes: [], kept: false };
  let calls = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
    let asked = '';
    socket.on('data', (chunk) => {
      asked += chunk.toString('latin1');
      if (!isWhole(asked)) return;
      asked = '';
      calls += 1;
      void send(socket, next.bytes).then(() => {
        if (!next.kept) socket.end();
      });
    });
  });
  const port = await listening(server);
  return {
    url: `http://127.0.0.1:${port}`,
    get calls() {
      return calls;
    },
    get open() {
      return sockets.size;
    },
    answer(bytes, kept = false) {
      next = { bytes, kept };
      calls = 0;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function isWhole(asked: string): boolean {
  const end = asked.indexOf('\r\n\r\n');
  const size = Number(/\r\ncontent-length: (\d+)/i.exec(asked)?.[1] ?? 0);
  return end >= 0 && asked.length >= end + 4 + size;
}

async function send(socket: Socket, pieces: Iterable<Buffer>): Promise<void> {
  for (const bytes of pieces) {
    if (socket.destroyed) return;
    if (socket.write(bytes)) continue;
    await new Promise<void>((resolve) => {
      const go = () => {
        socket.off('drain', go).off('close', go);
        resolve();
      };
      socket.once('drain', go).once('close', go);
    });
  }
}
