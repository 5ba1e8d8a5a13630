import { mkdtempSync, rmSync } from 'node:fs';
import { cp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openBooks } from './support/books.ts';
import { tollgate } from './support/command-line.ts';
import { onPostgres } from './support/engine.ts';
import { furnish } from './support/furnished.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import { startLoad } from './support/load.ts';
import { startMockUpstream } from './support/mock-upstream.ts';
import { startTaskUpstream } from './support/task-upstream.ts';
import { eventually } from './support/wait.ts';

const model = 'per-call';
const leases = { HOLD_LEASE_SECONDS: '2', HOLD_SWEEP_SECONDS: '1' };

/** Ended as an operator would end it; the data stays. */
async function end({ process: child }: Gateway): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

onPostgres((_engine, _open, kit) => {
  test('a furnished installation moves to PostgreSQL and back: keys work, books agree, every charge is there', async () => {
    const [tasks, upstream] = await Promise.all([startTaskUpstream(), startMockUpstream()]);
    onTestFinished(async () => void (await Promise.all([tasks.close(), upstream.close()])));
    const first = await startGateway(leases);
    onTestFinished(() => first.stop());
    const root = await first.root();
    await furnish(first.url, root, tasks);
    await root.addChannel({ base_url: upstream.url, models: model });
    await root.setOption('ModelPrice', { [model]: 0.0002 });
    const { key } = await root.addToken();
    const load = startLoad({ url: first.url, key, model, parallel: 16 });
    await load.firstAnswer;
    const answered = await load.stop();
    await end(first);

    const { url = '' } = await kit.place({ isEmpty: true });
    const SECRET_KEY = (await readFile(path.join(first.dataDir, 'secret.key'), 'utf8')).trim();
    const there = await tollgate({}, 'move', '--from', `sqlite:${first.dataDir}`, '--to', url);
    expect(there).toMatchObject({ exitCode: 0, json: { ok: true, proof: { ok: true } } });
    const second = await startGateway({ ...leases, DATABASE_URL: url, SECRET_KEY });
    onTestFinished(() => second.stop());
    await goesOn(second, key, answered);
    await end(second);

    const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-move-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    await cp(path.join(first.dataDir, 'secret.key'), path.join(folder, 'secret.key'));
    const back = await tollgate({}, 'move', '--from', url, '--to', `sqlite:${folder}`);
    expect(back).toMatchObject({ exitCode: 0, json: { ok: true, proof: { ok: true } } });
    const third = await startGateway({ ...leases, DATA_DIR: folder });
    onTestFinished(() => third.stop());
    await goesOn(third, key, answered);
  }, 180_000);

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
