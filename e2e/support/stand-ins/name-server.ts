import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

export interface NameServer {
  /** As a resolver takes it. */
  readonly server: string;
  /** Name -> IPv4 addresses; a name that is not here does not exist. */
  readonly names: Map<string, { addresses: readonly string[]; ttl: number }>;
  /** Name -> IPv6 addresses, beside those. */
  readonly sixes: Map<string, readonly string[]>;
  /** Question as in `asked` -> how often it is still lost on its way. */
  readonly lost: Map<string, number>;
  /** Names that are heard and never answered; `*` = all. */
  readonly silent: Set<string>;
  /** Every question, as `A name` or `AAAA name`. */
  readonly asked: string[];
  close(): Promise<void>;
}

const kinds: Readonly<Record<number, string>> = { 1: 'A', 28: 'AAAA' };
const notFound = 3;

/** A name server on loopback. */
export async function startNameServer(): Promise<NameServer> {
  const socket = createSocket('udp4');
  const names: NameServer['names'] = new Map();
  const sixes: NameServer['sixes'] = new Map();
  const silent = new Set<string>();
  const lost: NameServer['lost'] = new Map();
  const asked: string[] = [];
  socket.on('message', (question, { port, address }) => {
    const { name, kind, end } = read(question);
    const asking = `${kinds[kind] ?? kind} ${name}`;
    asked.push(asking);
    const losses = lost.get(asking) ?? 0;
    lost.set(asking, losses - 1);
    if (losses > 0) return;
    if (silent.has('*') || silent.has(name)) return;
    const entry = names.get(name);
    const found = (kind === 1 ? entry?.addresses : sixes.get(name)) ?? [];
    const head = Buffer.from(question.subarray(0, 12));
    head.writeUInt16BE(0x8180 | (entry === undefined ? notFound : 0), 2);
    head.writeUInt16BE(found.length, 6);
    head.writeUInt32BE(0, 8);
    const records = found.map((text) => record(text, entry?.ttl ?? 0));
    socket.send(Buffer.concat([head, question.subarray(12, end), ...records]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    server: `127.0.0.1:${(socket.address() as AddressInfo).port}`,
    names,
    sixes,
    lost,
    silent,
    asked,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

/** The one question of a message; `end` is the offset behind it. */
function read(message: Buffer): { name: string; kind: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), kind: message.readUInt16BE(at + 1), end: at + 5 };
}

/** An address of the name in question; one of IPv6 in all its eight groups. */
function record(address: string, ttl: number): Buffer {
  const isSix = address.includes(':');
  const parts = isSix
    ? Buffer.from(
        address
          .split(':')
          .map((group) => group.padStart(4, '0'))
          .join(''),
        'hex',
      )
    : address.split('.').map(Number);
  const bytes = Buffer.alloc(12 + parts.length);
  bytes.writeUInt16BE(0xc00c, 0);
  bytes.writeUInt16BE(isSix ? 28 : 1, 2);
  bytes.writeUInt16BE(1, 4);
  bytes.writeUInt32BE(ttl, 6);
  bytes.writeUInt16BE(parts.length, 10);
  bytes.set(parts, 12);
  return bytes;
}
