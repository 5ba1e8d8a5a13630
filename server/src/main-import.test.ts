import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { newFolder } from '../test/cli-kit.ts';
import { onEachEngine } from '../test/engines.ts';
import { channelRow, fixtureTables, logRow, tokenRow, userRow, writeSqliteFixture } from '../test/import-kit.ts';
import { importHandlers } from './api/import.ts';
import { readEnv } from './env.ts';
import { createImports } from './main-import.ts';
import { type Clock, systemClock } from './platform/clock.ts';
import { createLog } from './platform/log.ts';
import { createRunBoard } from './storage/run-board.ts';

const actor = { id: 1, username: 'root', ip: '::1' };

function fixture(logs = 3): string {
  const file = join(newFolder(), 'one-api.db');
  writeSqliteFixture(file, fixtureTables['new-api'], {
    users: [userRow(1, { username: 'root', role: 100, quota: 1_000 }), userRow(2, { username: 'alice', quota: -5 })],
    tokens: [tokenRow(1, 2)],
    channels: [channelRow(1, 1, { key: 'sk-one-0123456789' })],
    redemptions: [],
    logs: Array.from({ length: logs }, (_, index) => logRow(index + 1, 2, { quota: 1 })),
  });
  return file;
}

onEachEngine((_engine, open, { place }) => {
  const begin = async () => {
    const where = await place();
    const db = await open({ place: where });
    const env = readEnv({ DATA_DIR: where.dataDir, DATABASE_URL: where.url, SECRET_KEY: 'ab'.repeat(32) });
    const log = createLog('silent');
    const nodeOf = (node: string, clock = systemClock) => createImports({ env, db, clock, log, node });
    return { db, nodeOf, first: nodeOf('first'), second: nodeOf('second') };
  };
  const ended = (imports: { state(): Promise<{ running: boolean } | null> }) =>
    expect.poll(async () => (await imports.state())?.running, { timeout: 30_000 }).toBe(false);

  test('looks, then brings, and every node tells how it went', async () => {
    const { db, first, second } = await begin();
    expect(await first.state()).toBeNull();
    const from = fixture();
    await first.start({ from, mode: 'dry-run' }, actor);
    await expect(first.start({ from, mode: 'import' }, actor)).rejects.toMatchObject({ code: 'import_running' });
    await expect(second.start({ from, mode: 'import' }, actor)).rejects.toMatchObject({ code: 'import_running' });
    await ended(first);
    expect(await first.state()).toMatchObject({ mode: 'dry-run', failure: '', report: { ok: true } });
    expect(await db.read.selectFrom('users').select('username').where('username', '=', 'alice').execute()).toEqual([]);

    await second.start({ from, mode: 'import' }, actor);
    await ended(second);
    const state = await first.state();
    expect(state).toEqual(await second.state());
    expect(state).toMatchObject({
      ...{ running: false, mode: 'import', failure: '', kind: 'logs', done: 3, found: 3 },
      report: { ok: true, debts: 5, counts: { users: { found: 2, imported: 2 }, logs: { imported: 3 } } },
    });
    const audit = await db.read.selectFrom('audit').select(['actor', 'target']).where('action', '=', 'import').execute();
    expect(audit).toContainEqual({ actor: 'root', target: 'import' });
  });

  test('says why it could not, and keeps passwords off every record', async () => {
    const { db, first, second } = await begin();
    await expect(first.start({ from: 'ftp://host/file', mode: 'import' }, actor)).rejects.toMatchObject({
      code: 'import_source_invalid',
    });
    await first.start({ from: 'mysql://me:hunter2-secret@127.0.0.1:9/none', mode: 'import' }, actor);
    await ended(first);
    const state = await second.state();
    expect(state).toMatchObject({ running: false, report: null, failure: expect.stringContaining('cannot be read') });
    const tables = ['audit', 'job_lease'] as const;
    const rows = await Promise.all(tables.map((table) => db.read.selectFrom(table).selectAll().execute()));
    expect(JSON.stringify([state, rows])).not.toContain('hunter2');
    // And it may be tried again.
    await first.start({ from: join(newFolder(), 'none.db'), mode: 'dry-run' }, actor);
    await ended(first);
    const noFile = await first.state();
    expect(noFile).toMatchObject({ failure: expect.stringContaining('There is no file'), fault: { code: 'no_file' } });
    const said = await importHandlers({ imports: second }).state({ language: 'zh' } as never);
    expect(said?.failure).toMatch(/^没有文件 .*none\.db$/);
    // Nor is there anything left of one that had no place for its temporary files.
    const from = fixture();
    vi.stubEnv('TMPDIR', from);
    onTestFinished(() => void vi.unstubAllEnvs());
    await first.start({ from, mode: 'dry-run' }, actor);
    await ended(first);
    expect(await second.state()).toMatchObject({ running: false, fault: { code: 'no_stage' } });
    vi.unstubAllEnvs();
    await second.start({ from, mode: 'dry-run' }, actor);
    await ended(second);
    expect(await first.state()).toMatchObject({ failure: '', report: { ok: true } });
    expect(said).not.toHaveProperty('fault');
  });

  test('a run whose server died has ended, and says so', async () => {
    const { db, nodeOf } = await begin();
    const dead = createRunBoard({ db, clock: systemClock, node: 'dead', run: 'import' });
    expect(await dead.begin()).toBe(true);
    const told = { running: true, mode: 'import', started_at: 1, finished_at: 0, kind: 'logs', done: 5, found: 9, failure: '' };
    await dead.tell({ ...told, report: null });
    expect(await nodeOf('first').state()).toMatchObject({ running: true, done: 5 });
    const later: Clock = { ...systemClock, nowMs: () => systemClock.nowMs() + 31_000 };
    expect(await nodeOf('first', later).state()).toMatchObject({
      ...{ running: false, done: 5 },
      failure: expect.stringContaining('The server that ran it ended'),
    });
  });

  test('a run that is stopped goes on where it was', async () => {
    const { db, first, second } = await begin();
    // So many that it cannot be over before it is stopped.
    const from = fixture(20_000);
    await first.start({ from, mode: 'import' }, actor);
    await expect.poll(async () => (await first.state())?.kind, { timeout: 30_000 }).toBe('logs');
    await expect(second.cancel(actor)).rejects.toMatchObject({ code: 'import_elsewhere' });
    await first.cancel(actor);
    const stopped = await first.state();
    expect(stopped).toMatchObject({ running: false, report: null, failure: expect.stringContaining('Stopped') });
    const acts = await db.read.selectFrom('audit').select(['actor', 'target']).where('action', '=', 'import').execute();
    expect(acts).toContainEqual({ actor: 'root', target: 'cancel' });
    await second.start({ from, mode: 'import' }, actor);
    await ended(second);
    expect(await second.state()).toMatchObject({ failure: '', report: { ok: true } });
    await second.stop();
    await expect(second.start({ from, mode: 'import' }, actor)).rejects.toMatchObject({ code: 'shutting_down' });
  });
});
