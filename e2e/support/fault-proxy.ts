import { connect, createServer, type Server, type Socket } from 'node:net';
import { createStatementReader, failingStatement, type SentStatement } from './fault-statements.ts';

/** A stretch of network between a node and what it needs, which a test can break. */
export interface FaultProxy {
  /** The target's URL through here. */
  readonly url: string;
  /** Every piece of data travels so long, in either direction. */
  delay(ms: number): void;
  /** Nothing arrives any more and nothing is refused, as behind a broken switch. */
  silence(): void;
  /** Whoever sends one of the next `count` COMMITs loses the connection before the answer. */
  loseCommits(count: number): void;
  /** How many COMMITs lost their answer so far. */
  lost(): number;
  /** This share of all statements fails on the server, or takes its connection along. */
  failStatements(share: number): void;
  /** How many did so far. */
  failed(): number;
  /** Data flows again; what was held up arrives late. */
  heal(): void;
  close(): Promise<void>;
}

/** `Q`, length, "COMMIT", NUL: the simple query as it travels. */
const commitMessage = Buffer.from('COMMIT\0');
/** Serialization failure, deadlock, cancelled, no connection left, out of memory, I/O error; '' = the connection breaks. */
const failures = ['40001', '40P01', '57014', '53300', '53200', '58030', ''];

/** A TCP proxy in front of `target`, a URL with a port. */
export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const url = new URL(target);
  const isPostgres = url.protocol.startsWith('postgres');
  const place = { host: url.hostname, port: Number(url.port) };
  const sockets = new Set<Socket>();
  let delayMs = 0;
  let isSilent = false;
  let toLose = 0;
  let lost = 0;
  let failShare = 0;
  let failed = 0;

  const server = createServer((client) => {
    const backend = connect(place);
    let losesAnswer = false;
    const drop = () => {
      client.destroy();
      backend.destroy();
    };
    for (const socket of [client, backend]) {
      socket.setNoDelay(true);
      sockets.add(socket);
      socket.on('error', drop);
      socket.on('close', () => {
        sockets.delete(socket);
        drop();
      });
      if (isSilent) socket.pause();
    }
    const pass = (to: Socket, chunk: Buffer) => {
      const send = () => void (to.writable && to.write(chunk));
      if (delayMs > 0) setTimeout(send, delayMs);
      else send();
    };
    const sabotaged = ({ bytes, isStatement }: SentStatement): Buffer | undefined => {
      if (!isStatement || Math.random() >= failShare) return bytes;
      const sqlState = failures[failed % failures.length] ?? '';
      failed += 1;
      return sqlState === '' ? undefined : failingStatement(sqlState);
    };
    const read = createStatementReader();
    client.on('data', (received) => {
      // Read from the first byte on, so that it is known where a statement begins.
      const sent = isPostgres ? read(received).map(sabotaged) : [received];
      if (sent.includes(undefined)) return drop();
      const chunk = Buffer.concat(sent as Buffer[]);
      if (chunk.length === 0) return undefined;
      if (toLose > 0 && chunk.includes(commitMessage)) {
        toLose -= 1;
        losesAnswer = true;
      }
      return pass(backend, chunk);
    });
    backend.on('data', (chunk) => {
      if (!losesAnswer) return pass(client, chunk);
      lost += 1;
      return drop();
    });
  });
  url.port = String(await listen(server));
  return {
    url: url.href,
    delay: (ms) => {
      delayMs = ms;
    },
    silence() {
      isSilent = true;
      for (const socket of sockets) socket.pause();
    },
    loseCommits: (count) => {
      toLose = count;
    },
    lost: () => lost,
    failStatements: (share) => {
      failShare = share;
    },
    failed: () => failed,
    heal() {
      delayMs = 0;
      toLose = 0;
      failShare = 0;
      isSilent = false;
      for (const socket of sockets) socket.resume();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : 0);
    });
  });
}
