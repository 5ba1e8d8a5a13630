import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { sql } from 'kysely';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { certificate, privateKey } from '../../../test/certificate.ts';
import { onPostgres, productWorks } from '../../../test/engines.ts';
import { listening } from '../../../test/listening.ts';
import { DatabaseError } from '../errors.ts';
import { migrate } from '../migrate.ts';
import { openSource } from '../move/open.ts';
import { openPostgres } from './open.ts';
import { unreached } from './pools.ts';

const open = (url: string) => openPostgres({ url, worksModule: productWorks });

/** A message of PostgreSQL's protocol. */
function message(type: string, content: Buffer): Buffer {
  const head = Buffer.from([type.charCodeAt(0), 0, 0, 0, content.length + 4]);
  return Buffer.concat([head, content]);
}
const errorMessage = (severity: string, code: string, text: string) =>
  message('E', Buffer.from(`S${severity}\0C${code}\0M${text}\0\0`));
const readyForQuery = message('Z', Buffer.from('I'));

/** A pooler that lets in whoever comes, and says a text to each message that holds a word. */
function poolThatRefuses(text: string, word: string, socket: Socket): void {
  const done = [...['1', '2', 'n'].map((each) => message(each, Buffer.alloc(0))), message('C', Buffer.from('SELECT 0\0'))];
  socket.on('error', () => undefined);
  socket.once('data', () => {
    socket.write(Buffer.concat([message('R', Buffer.alloc(4)), readyForQuery]));
    socket.on('data', (asked) => {
      const answer = asked.includes(word) ? [errorMessage('FATAL', '08P01', text)] : done;
      socket.write(Buffer.concat([...answer, readyForQuery]));
    });
  });
}

/** What PostgreSQL says to who asks for TLS: the byte S, and then TLS. */
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** One as providers run it: whoever comes without TLS is refused for that, whoever comes with it in other words. */
function refuseLikePostgres(socket: Socket): void {
  const refuse = (on: Socket, text: string) => on.end(errorMessage('FATAL', '28000', text));
  socket.on('error', () => undefined);
  socket.once('data', (first) => {
    if (!first.equals(sslRequest)) return refuse(socket, 'no pg_hba.conf entry for host "127.0.0.1", no encryption');
    socket.write('S');
    const secure = new TLSSocket(socket, { isServer: true, cert: certificate, key: privateKey });
    secure.on('error', () => undefined);
    secure.once('data', () => refuse(secure, 'came by TLS'));
  });
}

onPostgres((_engine, openMigrated, { place }) => {
  test('what is read is not compiled first', async () => {
    const { read, analyse } = await openMigrated();
    for (const reader of [read, analyse])
      expect((await sql`SELECT current_setting('jit') AS jit`.execute(reader)).rows).toEqual([{ jit: 'off' }]);
  });

  test('a sum that has left the whole numbers that are exact fails its own query, not the process', async () => {
    const { read } = await openMigrated();
    const sum = sql`SELECT SUM(part) AS sum FROM (VALUES (${Number.MAX_SAFE_INTEGER}::bigint), (2)) AS parts (part)`;
    await expect(sum.execute(read)).rejects.toThrow('Integer out of the safe range: 9007199254740993');
    expect((await sql`SELECT 1 AS one`.execute(read)).rows).toEqual([{ one: 1 }]);
  });

  test('a database that is not there is told with its place, by a move as well', async () => {
    const url = `${(await place()).url}_none`;
    const { host, pathname } = new URL(url);
    const told = `PostgreSQL at ${host}${pathname}: database "${pathname.slice(1)}" does not exist. See that it runs`;
    await expect(open(url)).rejects.toThrow(told);
    await expect(openSource({ url }, { isAlone: false })).rejects.toThrow(told);
  });

  test.each(['LATIN1', 'SQL_ASCII'])(
    'a new database in %s is refused before its first table, with how to make it',
    async (encoding) => {
      const { url = '' } = await place({ isEmpty: true });
      const root = new pg.Client({ connectionString: url });
      await root.connect();
      const name = `odd_${encoding.toLowerCase()}_${process.pid}`;
      await root.query(`CREATE DATABASE ${name} ENCODING '${encoding}' LOCALE 'C' TEMPLATE template0`);
      const db = await open(url.replace(/\/[^/]*$/, `/${name}`));
      try {
        await expect(migrate(db)).rejects.toThrow(`encoding is ${encoding}, in which most texts cannot be stored. Make it anew`);
        const tables = sql`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`;
        expect((await tables.execute(db.read)).rows).toEqual([]);
      } finally {
        await db.close();
        await root.query(`DROP DATABASE ${name}`);
        await root.end();
      }
    },
  );

  test.each([
    'sorry, too many clients already',
    'too many connections for role "gate"',
    'remaining connection slots are reserved for non-replication superuser connections',
    'no more connections allowed (max_client_conn)',
    'MaxClientsInSessionMode: max clients reached',
    'Query read timeout',
  ])('who gets no connection is told how many there must be: %s', (text) => {
    const told = unreached('postgres://gate:secret@db.example.com/gate', new DatabaseError('unavailable', '', text));
    expect(String(told)).toBe(
      `DatabaseError: PostgreSQL at db.example.com/gate: ${text}. No connection seems to be left: each process takes 13, of a pooler in session mode as well (docs/many-nodes.md)`,
    );
  });

  test.each([
    ['lets in while the server behind it is away', '', 'server login has been failing', 'See that it runs'],
    [
      'takes no transactions',
      'BEGIN',
      'transaction blocks not allowed in statement pooling mode',
      'Charges are transactions: set pool_mode',
    ],
  ])('a pooler that %s is told with its place, and what to do', async (_what, refused, text, advice) => {
    const server = createServer((socket) => poolThatRefuses(text, refused, socket));
    const host = `127.0.0.1:${await listening(server)}`;
    onTestFinished(() => void server.close());
    await expect(open(`postgres://tollgate:test@${host}/gate`)).rejects.toThrow(`PostgreSQL at ${host}/gate: ${text}. ${advice}`);
  });

  test('a server that asks for TLS, or whose certificate nobody knows, is told with what to add to the address', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-ca-'));
    const ca = join(folder, 'ca.crt');
    writeFileSync(ca, certificate);
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const told = vi.spyOn(process, 'emitWarning');
    onTestFinished(() => told.mockRestore());
    const server = createServer((socket) => refuseLikePostgres(socket));
    const address = `postgres://tollgate:test@127.0.0.1:${await listening(server)}/gate`;
    onTestFinished(() => void server.close());
    await expect(open(address)).rejects.toThrow(/no encryption\. It wants TLS: .*sslmode=verify-full$/);
    for (const query of ['sslmode=require&channel_binding=require', 'sslmode=prefer', 'sslmode=verify-full&sslrootcert=system'])
      await expect(open(`${address}?${query}`)).rejects.toThrow(/certificate.*sslmode=verify-full&sslrootcert=FILE/);
    for (const query of [`sslmode=verify-ca&sslrootcert=${ca}`, 'sslmode=no-verify'])
      await expect(open(`${address}?${query}`)).rejects.toThrow('came by TLS');
    expect(told).not.toHaveBeenCalled();
  });

  test('a user who may not make tables is told what to allow, and one who may only read where to look', async () => {
    const where = await place({ isEmpty: true });
    const root = new pg.Client({ connectionString: where.url });
    await root.connect();
    const user = `guest_${process.pid}`;
    const url = new URL(where.url ?? '');
    await root.query(`CREATE ROLE ${user} LOGIN PASSWORD '${url.password}'`);
    url.username = user;
    const migrated = async () => {
      const db = await open(url.href);
      await migrate(db).finally(() => db.close());
    };
    try {
      await expect(migrated()).rejects.toThrow(/ permission denied for schema public\. Make .* OWNER TO <user>$/);
      await root.query(`ALTER ROLE ${user} SET default_transaction_read_only = on`);
      await expect(migrated()).rejects.toThrow(/read-only transaction\. .*takes writes$/);
    } finally {
      await root.query(`DROP ROLE ${user}`);
      await root.end();
    }
  });
});
