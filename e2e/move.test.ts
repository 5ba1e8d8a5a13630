import { mkdtempSync, rmSync } from 'node:fs';
import { cp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { openBooks } from './support/books.ts';
import { tollgate } from './support/command-line.ts';
import { onPostgres } from './support/engine.ts';
import { furnish } from './support/furnished.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import { fixtureTables, logRow, userRow, writeSqliteFixture } from './support/import-fixture.ts';
import { startLoad } from './support/load.ts';
import { startMockUpstream } from './support/mock-upstream.ts';
import { ofTest } from './support/of-test.ts';
import { startTaskUpstream } from './support/task-upstream.ts';
import { eventually } from './support/wait.ts';

const model = 'per-call';
/** Rows of the log that come along, doubled so many times: 2,048, or 1,048,576. */
const isSoak = process.env.TOLLGATE_SOAK === '1';
const doublings = isSoak ? 20 : 11;
const timeoutMs = (isSoak ? 20 : 3) * 60_000;
const seconds = (sinceMs: number) => ((performance.now() - sinceMs) / 1000).toFixed(1);
const leases = { HOLD_LEASE_SECONDS: '2', HOLD_SWEEP_SECONDS: '1' };

/** A log as large as wanted, whose user spent 3 with each row. */
function largeLog(file: string): void {
  const rows = 2 ** doublings;
  writeSqliteFixture(file, fixtureTables['new-api'], {
    users: [userRow(1, { username: 'root', role: 100 }), userRow(3, { username: 'alice', used_quota: 3 * rows })],
    tokens: [],
    channels: [],
    logs: [logRow(1, 3, { quota: 3 })],
  });
  const db = new Sqlite(file);
  const columns = (db.pragma('table_info(logs)') as { name: string }[]).map(({ name }) => name).filter((name) => name !== 'id');
  const names = columns.map((name) => `"${name}"`).join(', ');
  for (let done = 0; done < doublings; done += 1) db.exec(`INSERT INTO logs (${names}) SELECT ${names} FROM logs`);
  db.close();
}

/** Ended as an operator would end it; the data stays. */
async function end({ process: child }: Gateway): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

onPostgres((_engine, _open, kit) => {
  test(
    'a furnished installation moves to PostgreSQL and back: keys work, books agree, every charge is there',
    async () => {
      const [tasks, upstream] = await Promise.all([startTaskUpstream(), startMockUpstream()]);
      onTestFinished(async () => void (await Promise.all([tasks.close(), upstream.close()])));
      const first = await ofTest(startGateway(leases));
      const root = await first.root();
      await furnish(first.url, root, tasks);
      await root.addChannel({ base_url: upstream.url, models: model });
      await root.setOption('ModelPrice', { [model]: 0.0002 });
      const { key } = await root.addToken();
      const load = startLoad({ url: first.url, key, model, parallel: 16 });
      await load.firstAnswer;
      const answered = await load.stop();
      await end(first);
      const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-move-'));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      const old = path.join(folder, 'one-api.db');
      largeLog(old);
      const brought = await tollgate({ DATA_DIR: first.dataDir }, 'import', '--from', old);
      expect(brought).toMatchObject({ exitCode: 0, json: { ok: true, counts: { logs: { imported: 2 ** doublings } } } });

      const { url = '' } = await kit.place({ isEmpty: true });
      const SECRET_KEY = (await readFile(path.join(first.dataDir, 'secret.key'), 'utf8')).trim();
      const startedMs = performance.now();
      const there = await tollgate({}, 'move', '--from', `sqlite:${first.dataDir}`, '--to', url);
      expect(there).toMatchObject({ exitCode: 0, json: { ok: true, proof: { ok: true } } });
      console.log(`moved to PostgreSQL with ${2 ** doublings} log rows in ${seconds(startedMs)} s`);
      const second = await ofTest(startGateway({ ...leases, DATABASE_URL: url, SECRET_KEY }));
      await goesOn(second, key, answered);
      await end(second);

      await cp(path.join(first.dataDir, 'secret.key'), path.join(folder, 'secret.key'));
      const backMs = performance.now();
      const back = await tollgate({}, 'move', '--from', url, '--to', `sqlite:${folder}`);
      expect(back).toMatchObject({ exitCode: 0, json: { ok: true, proof: { ok: true } } });
      console.log(`and back in ${seconds(backMs)} s`);
      const third = await ofTest(startGateway({ ...leases, DATA_DIR: folder }));
      await goesOn(third, key, answered);
    },
    timeoutMs,
  );

  /** Calls are answered with the old key, and those answered before are charged once. Adds the new ones. */
  async function goesOn(gateway: Gateway, key: string, answered: string[]): Promise<void> {
    const load = startLoad({ url: gateway.url, key, model, parallel: 4 });
    await load.firstAnswer;
    answered.push(...(await load.stop()));
    const root = await gateway.root();
    expect(await root.call('GET', '/api/ledger/proof')).toMatchObject({ ok: true });
    const books = await openBooks(gateway);
    // That of the drawing, which nobody finished.
    await eventually(async () => expect(await books.openHolds()).toBe(1));
    const charges = await books.charges();
    await books.close();
    expect(answered.filter((id) => charges.get(id)?.transfers !== 1 || charges.get(id)?.logRows !== 1)).toEqual([]);
  }
});
