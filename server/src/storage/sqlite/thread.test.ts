import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startThread } from './thread.ts';

const oddWorks = new URL('../../../test/odd-works.ts', import.meta.url);

test('a thread that is used collects its heap by the clock, however little there is to collect', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-thread-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'thread.db');
  const thread = await startThread({ file, role: 'write', synchronous: 'NORMAL', worksUrl: oddWorks.href, collectMs: 20 });
  onTestFinished(() => thread.close());
  const run = (name: string) => thread.call({ op: 'run', name, input: undefined });
  await run('drop');
  await expect.poll(() => run('isGone')).toBe(true);
});

test('a call that said so takes longer than others may, as an index over a large table does', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-thread-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const config = { file: join(folder, 'thread.db'), role: 'write', synchronous: 'NORMAL', worksUrl: oddWorks.href } as const;
  const thread = await startThread(config, 3_000);
  onTestFinished(() => thread.close());
  expect(await thread.call({ op: 'run', name: 'stand', input: 5_500 }, 60_000)).toBe('timed-out');
}, 60_000);

test('a call that cannot be sent to the thread fails alone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-thread-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const thread = await startThread(
    { file: join(folder, 'thread.db'), role: 'write', synchronous: 'NORMAL', worksUrl: '' },
    1_000,
  );
  onTestFinished(() => thread.close());
  const query = (...parameters: unknown[]) => thread.call({ op: 'query', sql: 'SELECT ? AS one', parameters });
  await expect(query(Promise.resolve(1))).rejects.toThrow('could not be cloned');
  expect(await query(1)).toMatchObject({ packed: { values: [1] } });
});

test('a file that cannot be used is named, with what to do', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-thread-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [damaged, unusable] = ['damaged.db', 'unusable.db'].map((name) => join(folder, name)) as [string, string];
  writeFileSync(damaged, 'no database, and longer than a header is: '.repeat(50));
  mkdirSync(unusable);
  const start = (file: string) => startThread({ file, role: 'write', synchronous: 'NORMAL', worksUrl: '' });
  await expect(start(damaged)).rejects.toThrow(
    `${damaged} is damaged, or no database: go back to a backup (npx tollgate restore`,
  );
  await expect(start(unusable)).rejects.toThrow(`${unusable} and its folder must be there`);
});

test('a full disk of temporary files is not taken for that of the database', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-thread-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'read.db');
  const thread = async (role: 'write' | 'analyse') => {
    const opened = await startThread({ file, role, synchronous: 'NORMAL', worksUrl: '' });
    onTestFinished(() => opened.close());
    return (sql: string) => opened.call({ op: 'query', sql, parameters: [] });
  };
  await (await thread('write'))('CREATE TABLE one (x)');
  const query = await thread('analyse');
  await query('PRAGMA temp.max_page_count = 2');
  await expect(query('CREATE TEMP TABLE sorted AS SELECT hex(randomblob(100000)) AS x')).rejects.toThrow(
    /^database or disk is full\. .* temporary files: .*SQLITE_TMPDIR/,
  );
});

test('damage that shows only when a page is read names the file as well', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-thread-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'damaged.db');
  const opened = async () => {
    const thread = await startThread({ file, role: 'write', synchronous: 'NORMAL', worksUrl: '' });
    return { ...thread, query: (sql: string) => thread.call({ op: 'query', sql, parameters: [] }) };
  };
  const first = await opened();
  await first.query('CREATE TABLE t (a TEXT)');
  await first.query("INSERT INTO t VALUES ('somebody')");
  await first.close();
  const handle = openSync(file, 'r+');
  writeSync(handle, Buffer.alloc(4096, 7), 0, 4096, 4096);
  closeSync(handle);
  const second = await opened();
  onTestFinished(() => second.close());
  await expect(second.query('SELECT a FROM t')).rejects.toThrow(`${file} is damaged, or no database: go back to a backup`);
});
