import { crc32 } from 'node:zlib';

/** One message of application/vnd.amazon.eventstream, written from the published format. */
export function binaryMessage(headers: Readonly<Record<string, string>>, payload: string): Buffer {
  const parts = Object.entries(headers).map(([name, value]) => {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(Buffer.byteLength(value));
    return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from([7]), length, Buffer.from(value)]);
  });
  const head = Buffer.concat(parts);
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(16 + head.length + Buffer.byteLength(payload), 0);
  prelude.writeUInt32BE(head.length, 4);
  const body = Buffer.concat([prelude, sum(prelude), head, Buffer.from(payload)]);
  return Buffer.concat([body, sum(body)]);
}

function sum(bytes: Buffer): Buffer {
  const out = Buffer.alloc(4);
  out.writeUInt32BE(crc32(bytes));
  return out;
}
