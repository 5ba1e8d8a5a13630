import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, inject, onTestFinished, test } from 'vitest';
import { newFolder, runCommand } from '../../test/cli-kit.ts';
import { startCuttingProxy } from '../../test/cutting-proxy.ts';
import { onPostgres, type Place } from '../../test/engines.ts';
import { draftOf, giveToken, giveWallet, holdOf } from '../../test/ledger-kit.ts';
import { plainPrice } from '../../test/plain-price.ts';
import { newDirectory } from '../../test/template.ts';
import { createLedger, writeReceipt } from '../billing/index.ts';
import { systemClock } from '../platform/clock.ts';
import { createCrypto } from '../platform/crypto.ts';
import type { Database } from '../storage/database.ts';
import { logSegmentRows } from '../storage/log-segments.ts';
import { migrate } from '../storage/migrate.ts';
import { migrations } from '../storage/migrations/index.ts';
import { readLogWindows } from '../storage/postgres/log-windows.ts';

const SECRET_KEY = 'ab'.repeat(32);
const sign = (text: string) => createCrypto(Buffer.from(SECRET_KEY, 'hex')).hmac('receipt', text);
const usage = { prompt: 10, completion: 20, cached: 0, cacheWrite: 0, reasoning: 0, source: 'upstream', anomaly: false } as const;
/** More than a batch. */
const fillers = 4_500;

test('what is moved must be named, and be two engines', async () => {
  const env = { SECRET_KEY };
  const folder = newFolder();
  const secret = 'postgres-like://root:secret-word@host/db';
  for (const [from, to] of [
    [secret, `sqlite:${folder}`],
    [`sqlite:${folder}`, `sqlite:${folder}/b`],
    ['postgres://a', 'postgres://b'],
  ] as const) {
    const answer = await runCommand(env, 'move', '--from', from, '--to', to);
    expect(answer).toMatchObject({ exitCode: 2, out: '' });
    expect(answer.err).not.toContain('secret-word');
  }
  expect(await runCommand(env, 'move', '--from', `sqlite:${folder}`)).toMatchObject({ exitCode: 2 });
});

test('a charge that waits in the outbox of a node on PostgreSQL is not left behind', async () => {
  const DATA_DIR = newFolder();
  writeFileSync(join(DATA_DIR, 'outbox-2'), 'a charge\n');
  const target = join(newFolder(), 'new');
  const from = 'postgres://nobody@127.0.0.1:1/none';
  const answer = await runCommand(
    { SECRET_KEY, DATA_DIR, DATABASE_URL: from },
    'move',
    '--from',
    from,
    '--to',
    `sqlite:${target}`,
  );
  expect(answer).toMatchObject({ exitCode: 1, err: expect.stringContaining(`Charges wait in ${join(DATA_DIR, 'outbox-2')}`) });
});

/** A row of the log with the id, or the next one. */
const addRow = (id: number | undefined) =>
  id === undefined
    ? sql<{ id: number }>`INSERT INTO log (created_at, type, user_id, username) VALUES (1, 4, 1, 'a') RETURNING id`
    : sql`INSERT INTO log (id, created_at, type, user_id, username) VALUES (${id}, 1, 4, 1, 'a')`;

/** Charges, an open hold, texts of every kind, a real number, and tables whose newest rows are gone. */
async function furnish(db: Database): Promise<void> {
  const ledger = createLedger({ db, clock: systemClock });
  await giveWallet(db, 1, 9_000_000_000_000_000);
  const tokenId = await giveToken(db, 1, { remain: 0, unlimited: true });
  for (const id of ['one', 'two', 'open']) {
    const draft = draftOf(id, 1, tokenId, {
      receipt: writeReceipt(id, plainPrice, usage, 30, sign),
      content: `漢字 🙂 "{\\}," ${id}`,
    });
    await ledger.hold(holdOf(id, 1, tokenId, 100, { draft }));
    if (id !== 'open') await ledger.settle({ id, cost: 30, now: 1000, draft });
  }
  await db.transaction(async ({ query }) => {
    await query.insertInto('option').values({ key: 'odd', value: 'a\0b' }).execute();
    await query.insertInto('option').values({ key: 'empty', value: '' }).execute();
    await sql`INSERT INTO channel (status, name, created_at, type, balance) VALUES (1, 'NULL', 1, 1, 0.1)`.execute(query);
    for (let from = 0; from < fillers; from += 500) {
      const rows = Array.from({ length: 500 }, (_, index) => ({ kind: 'user', key: `k${from + index}`, created_at: 5 }));
      await query.insertInto('change').values(rows).execute();
    }
    await query
      .deleteFrom('change')
      .where('seq', '>', fillers - 10)
      .execute();
  });
}

onPostgres((_engine, open, { place }) => {
  const embedded = (): Place => ({ url: undefined, dataDir: newDirectory(inject('templateDir')) });
  const addressOf = ({ url, dataDir }: Place): string => url ?? `sqlite:${dataDir}`;
  const move = (from: Place, to: Place, ...more: string[]) =>
    runCommand({ SECRET_KEY }, 'move', '--from', addressOf(from), '--to', addressOf(to), '--json', ...more);
  /** What stands in a database, for comparison; nothing stays connected. */
  const look = async (where: Place) => {
    const db = await open({ place: where });
    const [log, hold, options, channel] = await Promise.all([
      db.read.selectFrom('log').selectAll().orderBy('id').execute(),
      db.read.selectFrom('hold').selectAll().execute(),
      db.read.selectFrom('option').selectAll().orderBy('key').execute(),
      db.read.selectFrom('channel').selectAll().execute(),
    ]);
    const change = { kind: 'user', key: 'next', created_at: 6 };
    const { seq } = await db.transaction(({ query }) =>
      query.insertInto('change').values(change).returning('seq').executeTakeFirstOrThrow(),
    );
    const doctor = await runCommand(
      { DATABASE_URL: where.url, DATA_DIR: where.dataDir, SECRET_KEY },
      'doctor',
      'ledger',
      '--all',
    );
    await db.close();
    return { log, hold, options, channel, seq, doctor };
  };

  test('there and back again: every row, text, amount and the next number', async () => {
    const [first, second, third] = [embedded(), await place({ isEmpty: true }), { url: undefined, dataDir: newFolder() }];
    const db = await open({ place: first });
    await furnish(db);
    await db.close();
    const rehearsal = await move(first, second, '--dry-run');
    expect(rehearsal.json()).toMatchObject({ rows: expect.any(Number), estimated_seconds: expect.any(Number) });
    const moved = await move(first, second);
    // Each takes minutes where the log is large.
    expect(moved.err).toBe('The ledger of the source is being proven\nThe ledger of the copy is being proven\n');
    const there = moved.json();
    expect(there).toMatchObject({ ok: true, rows: rehearsal.json().rows, proof: { ok: true } });
    // A move into the same folder that was killed.
    const killed = join(third.dataDir, '.move-killed');
    mkdirSync(killed);
    utimesSync(killed, 1, 1);
    const back = (await move(second, third)).json();
    expect(back.tables).toEqual(there.tables);
    expect(readdirSync(third.dataDir)).toEqual(['tollgate.db']);
    expect(there.tables).toContainEqual(expect.objectContaining({ name: 'change', rows: fillers - 10 }));
    const looks = [await look(first), await look(second), await look(third)] as const;
    for (const each of looks) expect(each).toMatchObject({ seq: fillers + 1, doctor: { exitCode: 0 } });
    for (const each of [looks[1], looks[2]]) {
      expect(each).toMatchObject({ log: looks[0].log, hold: looks[0].hold, channel: looks[0].channel });
      expect(each.options).toContainEqual({ key: 'odd', value: 'a\uFFFDb' });
      expect(each.options).toContainEqual({ key: 'empty', value: '' });
    }
  });

  test('rows of the log above its first window get a window', async () => {
    const [first, second] = [embedded(), await place({ isEmpty: true })];
    const db = await open({ place: first });
    const id = 100 * logSegmentRows + 5;
    await db.transaction(({ query }) => addRow(id).execute(query));
    await db.close();
    expect((await move(first, second)).json()).toMatchObject({ ok: true });
    const target = await open({ place: second });
    const windows = await readLogWindows(target.read);
    expect(windows.find(({ from, to }) => from <= id && id < to)?.name).toMatch(/^log_from_/);
    const { rows } = await target.transaction(({ query }) => addRow(undefined).execute(query));
    expect(rows).toEqual([{ id: id + 1 }]);
  });

  test('a target that holds something, a source that is in use and charges in the outbox are refused', async () => {
    const [first, second] = [embedded(), await place()];
    const db = await open({ place: first });
    await giveWallet(db, 1, 5);
    expect(await move(first, second)).toMatchObject({ exitCode: 1, out: expect.stringContaining('A server runs') });
    await db.close();
    const target = await open({ place: second });
    expect(await move(first, second)).toMatchObject({ exitCode: 1, out: expect.stringContaining('connections') });
    await giveWallet(target, 7, 5);
    await target.close();
    const used = await move(first, second);
    expect(used).toMatchObject({ exitCode: 1, out: expect.stringContaining('not empty: transfer has 1 rows') });
    expect(await move(first, second, '--dry-run')).toMatchObject({ exitCode: 1, out: expect.stringContaining('not empty') });
    expect(await move(second, first)).toMatchObject({ exitCode: 1, out: expect.stringContaining('not empty') });
    writeFileSync(join(first.dataDir, 'outbox'), 'a charge\n');
    expect(await move(first, second)).toMatchObject({ exitCode: 1, out: expect.stringContaining('outbox') });
  });

  test('a file that is no database, or in the place of a folder, is named with what to do', async () => {
    const target = await place({ isEmpty: true });
    const dataDir = newFolder();
    const file = join(dataDir, 'tollgate.db');
    writeFileSync(file, 'no database, and longer than a header is: '.repeat(50));
    const told = async (from: string) => (await move({ url: undefined, dataDir: from }, target, '--dry-run')).json().error;
    expect(await told(dataDir)).toBe(
      `file is not a database. ${file} is damaged, or no database: go back to a backup (npx tollgate restore --from <file> --force)`,
    );
    expect(await told(file)).toMatch(`There is no database in ${file}`);
  });

  test('schemas that differ are refused: an older source, a newer one', async () => {
    const old = { url: undefined, dataDir: newFolder() };
    const { openDatabase } = await import('../storage/open.ts');
    const worksModule = new URL('../billing/works.ts', import.meta.url);
    const db = await openDatabase({ ...old, synchronous: 'NORMAL', worksModule });
    await migrate(db, migrations.slice(0, -1));
    await db.close();
    const target = await place({ isEmpty: true });
    expect(await move(old, target)).toMatchObject({ exitCode: 1, out: expect.stringContaining('tollgate migrate') });
    const later = embedded();
    const newer = await open({ place: later });
    await migrate(newer, [...migrations, { name: '9999-later', up: async () => undefined }]);
    await newer.close();
    expect(await move(later, target)).toMatchObject({ exitCode: 1, out: expect.stringContaining('newer version') });
  });

  test('books that do not add up, and a connection that breaks half-way, leave nothing in the target', async () => {
    const [first, second] = [embedded(), await place({ isEmpty: true })];
    const db = await open({ place: first });
    await furnish(db);
    const { available } = await db.read
      .selectFrom('wallet')
      .select('available')
      .where('user_id', '=', 1)
      .executeTakeFirstOrThrow();
    const setFirst = (on: Database, value: number) =>
      on.transaction((tx) => tx.query.updateTable('wallet').set({ available: value }).where('user_id', '=', 1).execute());
    await setFirst(db, available + 1);
    await db.close();
    const wrong = await move(first, second);
    expect(wrong).toMatchObject({ exitCode: 1, out: expect.stringContaining('first difference: user:1') });
    const back = { url: undefined, dataDir: join(newFolder(), 'new') };
    expect(await move(second, back)).toMatchObject({ exitCode: 1, out: expect.stringContaining('lacks migration') });
    expect(existsSync(back.dataDir)).toBe(false);
    expect(readdirSync(first.dataDir).filter((name) => name.startsWith('.'))).toEqual([]);

    const mended = await open({ place: first });
    await setFirst(mended, available);
    await mended.close();
    const proxy = await startCuttingProxy(second.url ?? '');
    onTestFinished(() => proxy.close());
    proxy.cutNextStatement('unnest');
    const cutOff = await move(first, { ...second, url: proxy.url });
    expect(proxy.cuts()).toBe(1);
    expect(cutOff).toMatchObject({ exitCode: 1, out: expect.not.stringContaining('first difference') });
    expect(await move(second, back)).toMatchObject({ exitCode: 1, out: expect.stringContaining('lacks migration') });
  });

  test('a COMMIT that is lost on its way, and one whose answer is: the same move again does it, or finds that all is there', async () => {
    const first = embedded();
    const db = await open({ place: first });
    await furnish(db);
    await db.close();
    const { log } = await look(first);
    for (const cut of ['before', 'after'] as const) {
      const second = await place({ isEmpty: true });
      const proxy = await startCuttingProxy(second.url ?? '');
      onTestFinished(() => proxy.close());
      proxy.cutNextCommit(cut);
      const lost = await move(first, { ...second, url: proxy.url });
      expect(proxy.cuts()).toBe(1);
      expect(lost).toMatchObject({ exitCode: 1, out: expect.stringContaining('Run the same move again') });
      const again = await move(first, second);
      if (cut === 'before') expect(again.json()).toMatchObject({ ok: true, proof: { ok: true } });
      else expect(again).toMatchObject({ exitCode: 1, out: expect.stringMatching(/not empty: .* everything came/) });
      expect(await look(second)).toMatchObject({ log, doctor: { exitCode: 0 } });
    }
  });
});
