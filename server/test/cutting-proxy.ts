import { connect, createServer, type Socket } from 'node:net';
import { listening } from './listening.ts';

/** When to cut: the COMMIT never arrives, or it arrives and its answer is lost. */
export type Cut = 'before' | 'after';

export interface CuttingProxy {
  /** The database's URL through the proxy. */
  url: string;
  /** Cuts the connection that sends the next COMMIT. */
  cutNextCommit(cut: Cut): void;
  /** Cuts the connection that sends the next statement with this in its text; the statement never arrives. */
  cutNextStatement(part: string): void;
  cuts(): number;
  close(): Promise<void>;
}

/** `Q`, length, "COMMIT", NUL: the simple query as it travels. */
const commitMessage = Buffer.from('COMMIT\0');

/** A TCP proxy in front of PostgreSQL that can cut a connection exactly at COMMIT or at a statement; `onCut` is called at that moment. */
export async function startCuttingProxy(target: string, onCut: () => void = () => undefined): Promise<CuttingProxy> {
  const url = new URL(target);
  const upstream = { host: url.hostname, port: Number(url.port) };
  const sockets = new Set<Socket>();
  let pending: { cut: Cut; at: Buffer } | undefined;
  let cuts = 0;
  const server = createServer((client) => {
    const backend = connect(upstream);
    const drop = (): void => {
      client.destroy();
      backend.destroy();
    };
    let losesAnswer = false;
    for (const socket of [client, backend]) {
      sockets.add(socket);
      socket.on('error', drop);
      socket.on('close', () => {
        sockets.delete(socket);
        drop();
      });
    }
    client.on('data', (chunk) => {
      const cut = pending !== undefined && chunk.includes(pending.at) ? pending.cut : undefined;
      if (cut !== undefined) {
        pending = undefined;
        cuts += 1;
        onCut();
      }
      if (cut === 'before') return drop();
      if (cut === 'after') losesAnswer = true;
      backend.write(chunk);
      return undefined;
    });
    backend.on('data', (chunk) => {
      if (losesAnswer) drop();
      else client.write(chunk);
    });
  });
  url.port = String(await listening(server));
  return {
    url: url.href,
    cutNextCommit(cut) {
      pending = { cut, at: commitMessage };
    },
    cutNextStatement(part) {
      pending = { cut: 'before', at: Buffer.from(part) };
    },
    cuts: () => cuts,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
