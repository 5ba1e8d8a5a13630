import { isIP, type Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import { UpstreamFault } from './fault.ts';

const version = 5;
const authVersion = 1;
const methods = { none: 0, login: 2 } as const;
const connectCommand = 1;
const addressTypes = { v4: 1, name: 3, v6: 4 } as const;
const replies: Readonly<Record<number, string>> = {
  1: 'it failed',
  2: 'it is not allowed',
  3: 'the network is unreachable',
  4: 'the host is unreachable',
  5: 'the connection was refused',
  6: 'it took too long',
  7: 'it cannot connect',
  8: 'it does not know such addresses',
};

/** Asks a proxy for a connection (RFC 1928, 1929). Rejects with UpstreamFault; afterwards the socket is that of the place. */
export async function askSocks(
  socket: Socket,
  login: { readonly user: string; readonly password: string } | undefined,
  host: string,
  port: number,
): Promise<void> {
  const offered = login === undefined ? [methods.none] : [methods.none, methods.login];
  socket.write(Buffer.from([version, offered.length, ...offered]));
  const [spoken, method] = await readExactly(socket, 2);
  if (spoken !== version) throw new UpstreamFault('protocol', 'the proxy does not speak SOCKS5');
  if (method === methods.login && login !== undefined) await signIn(socket, login);
  else if (method !== methods.none) throw new UpstreamFault('connect', 'the proxy wants other credentials');
  socket.write(Buffer.concat([Buffer.from([version, connectCommand, 0]), addressOf(host), portBytes(port)]));
  const [, reply = 1, , type] = await readExactly(socket, 4);
  if (reply !== 0) throw new UpstreamFault('connect', `the proxy says ${replies[reply] ?? `error ${reply}`}`);
  // Where it connects from is of no interest, but stands in front of the answer.
  await readExactly(socket, (await addressBytes(socket, type)) + 2);
}

async function signIn(socket: Socket, { user, password }: { readonly user: string; readonly password: string }): Promise<void> {
  const name = Buffer.from(user);
  const secret = Buffer.from(password);
  socket.write(Buffer.concat([Buffer.from([authVersion, name.length]), name, Buffer.from([secret.length]), secret]));
  const [, status] = await readExactly(socket, 2);
  if (status !== 0) throw new UpstreamFault('connect', 'the proxy refuses the credentials');
}

function addressOf(host: string): Buffer {
  const kind = isIP(host);
  if (kind !== 0) {
    return Buffer.from([kind === 4 ? addressTypes.v4 : addressTypes.v6, ...ipaddr.parse(host).toByteArray()]);
  }
  const name = Buffer.from(host);
  if (name.length > 255) throw new UpstreamFault('connect', 'the name is too long for the proxy');
  return Buffer.concat([Buffer.from([addressTypes.name, name.length]), name]);
}

function portBytes(port: number): Buffer {
  return Buffer.from([port >> 8, port & 0xff]);
}

async function addressBytes(socket: Socket, type: number | undefined): Promise<number> {
  if (type === addressTypes.v4) return 4;
  if (type === addressTypes.v6) return 16;
  if (type !== addressTypes.name) throw new UpstreamFault('protocol', 'the proxy does not speak SOCKS5');
  return (await readExactly(socket, 1))[0] ?? 0;
}

async function readExactly(socket: Socket, length: number): Promise<Buffer> {
  for (;;) {
    const bytes = socket.read(length) as Buffer | null;
    if (bytes !== null && bytes.length === length) return bytes;
    await readable(socket);
  }
}

/** What has come, at least one byte. */
export async function readSome(socket: Socket): Promise<Buffer> {
  for (;;) {
    const bytes = socket.read() as Buffer | null;
    if (bytes !== null) return bytes;
    await readable(socket);
  }
}

const events = ['readable', 'end', 'close', 'error'] as const;

async function readable(socket: Socket): Promise<void> {
  if (!socket.readableEnded && !socket.destroyed) {
    await new Promise<void>((resolve) => {
      const done = () => {
        for (const event of events) socket.off(event, done);
        resolve();
      };
      for (const event of events) socket.on(event, done);
    });
  }
  if (socket.readableEnded || socket.destroyed) {
    throw socket.errored ?? new UpstreamFault('connect', 'the proxy closed the connection');
  }
}
