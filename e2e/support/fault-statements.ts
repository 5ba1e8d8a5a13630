/** One statement as a client sends it: everything up to the point at which it waits for an answer. */
export interface SentStatement {
  readonly bytes: Buffer;
  /** False: a greeting, a password, a farewell. */
  readonly isStatement: boolean;
}

const headBytes = 4;
const typedHeadBytes = 5;
/** "Query" and "Sync" of PostgreSQL's protocol: after them the server answers. */
const [query, sync] = [0x51, 0x53];
/** Parts of a statement that "Sync" ends: Parse, Bind, Describe, Execute, Close, Flush. */
const parts = new Set([...'PBDECH'].map((type) => type.charCodeAt(0)));

/** Cuts what one client sends to PostgreSQL into statements, in whatever pieces it comes. */
export function createStatementReader(): (received: Buffer) => SentStatement[] {
  let rest: Buffer = Buffer.alloc(0);
  let gathered: Buffer[] = [];
  let hasGreeted = false;
  return (received) => {
    rest = Buffer.concat([rest, received]);
    const sent: SentStatement[] = [];
    for (;;) {
      const typeBytes = hasGreeted ? typedHeadBytes - headBytes : 0;
      if (rest.length < typeBytes + headBytes) return sent;
      const length = typeBytes + rest.readUInt32BE(typeBytes);
      if (rest.length < length) return sent;
      const message = rest.subarray(0, length);
      const type = hasGreeted ? (message[0] ?? 0) : 0;
      rest = rest.subarray(length);
      hasGreeted = true;
      gathered.push(message);
      if (parts.has(type)) continue;
      sent.push({ bytes: Buffer.concat(gathered), isStatement: type === query || type === sync });
      gathered = [];
    }
  };
}

/** A statement that fails on the server with this SQLSTATE, so that its transaction is as after any failure. */
export function failingStatement(sqlState: string): Buffer {
  const sql = Buffer.from(`DO $$ BEGIN RAISE EXCEPTION 'injected' USING ERRCODE = '${sqlState}'; END $$\0`);
  const head = Buffer.alloc(typedHeadBytes);
  head[0] = query;
  head.writeUInt32BE(headBytes + sql.length, 1);
  return Buffer.concat([head, sql]);
}
