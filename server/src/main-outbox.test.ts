import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { draftOf } from '../test/ledger-kit.ts';
import { moduleText, runAsUsual } from '../test/usual-user.ts';
import { type Ledger, openOutbox } from './billing/index.ts';
import { EnvironmentError, readEnv } from './env.ts';
import { lockOwnOutbox, openOwnOutbox } from './main-outbox.ts';
import { start } from './main-server.ts';
import { openStorage } from './main-storage.ts';
import { createLog } from './platform/log.ts';
import { lockFile } from './storage/file-lock.ts';
import { migrate, pendingMigrations } from './storage/migrate.ts';
import { migrations } from './storage/migrations/index.ts';

type Parts = Omit<Parameters<typeof openOwnOutbox>[0], 'release'>;
const opened = async (parts: Parts) => openOwnOutbox({ ...parts, release: await lockOwnOutbox(parts) });

test('a second server on one DATA_DIR does not start; workers of one server do, and the next server', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-data-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const dataDir = join(folder, 'made', 'here');
  const common = { dataDir, workers: 2, ledger: {} as Ledger, log: createLog('silent'), lockWithinMs: 200 };
  const first = await opened({ ...common, index: 1 });
  const second = await opened({ ...common, index: 2 });
  await expect(opened({ ...common, index: 1 })).rejects.toThrow(EnvironmentError);
  const next = opened({ ...common, index: 1, lockWithinMs: 10_000 });
  await first.close();
  const outboxes = [second, await next];
  await Promise.all(outboxes.map((outbox) => outbox.close()));
});

test('a second server that would have to migrate changes nothing under the one that runs', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-data-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const env = readEnv({ DATA_DIR: dataDir, SECRET_KEY: 'ab'.repeat(32), PORT: '0', HOST: '127.0.0.1' });
  const db = await openStorage(env);
  await migrate(db, migrations.slice(0, -1));
  const lock = lockFile(join(dataDir, 'outbox.lock'));
  await expect(start(env, createLog('silent'))).rejects.toThrow('belongs to another server that runs');
  lock?.release();
  expect(await pendingMigrations(db)).toHaveLength(1);
  await db.close();
});

test('what workers left that are no longer started is booked by the first one, however often that takes, and then gone', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-data-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const settled: string[] = [];
  let isAway = true;
  const settle = async ({ id }: { id: string }) => {
    if (isAway) throw new Error('the database is away');
    settled.push(id);
    return { closed: true, collected: 1, shortfall: 0, correction: 0 };
  };
  const ledger = { settle } as unknown as Ledger;
  const leave = async (name: string, id: string) => {
    const outbox = await openOutbox({ path: join(dataDir, name), ledger });
    await outbox.add({ id, cost: 30, now: 1010, draft: draftOf(id, 1, 1) });
    await outbox.close();
  };
  for (const index of [1, 2, 3, 4]) await leave(index === 1 ? 'outbox' : `outbox-${index}`, `of ${index}`);
  const busy = lockFile(join(dataDir, 'outbox-4.lock'));
  const first = await opened({ dataDir, index: 1, workers: 2, ledger, log: createLog('silent'), lockWithinMs: 200 });
  expect([first.size(), settled]).toEqual([3, []]);
  isAway = false;
  expect(await first.replay()).toMatchObject({ settled: 2, left: 1 });
  expect([settled, first.size(), existsSync(join(dataDir, 'outbox-3'))]).toEqual([['of 1', 'of 3'], 1, false]);
  busy?.release();
  expect(await first.replay()).toMatchObject({ settled: 1, left: 0 });
  expect([settled, first.size()]).toEqual([['of 1', 'of 3', 'of 4'], 0]);
  // Of a worker that is started: not the first one's.
  expect(existsSync(join(dataDir, 'outbox-2'))).toBe(true);
  await first.close();
});

test.skipIf(process.platform === 'win32')('a lock that may not be used is told as that, and not as another server', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-data-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const parts = { dataDir, index: 1 };
  const text = runAsUsual(
    dataDir,
    `import { writeFileSync } from 'node:fs';
    import { lockOwnOutbox } from ${moduleText(import.meta.url, './main-outbox.ts')};
    writeFileSync(${JSON.stringify(join(dataDir, 'outbox.lock'))}, '', { mode: 0o400 });
    const log = { warn: console.log, info: console.log, error: console.log };
    await lockOwnOutbox({ ...${JSON.stringify(parts)}, log }).catch(({ message }) => console.log(message));`,
  );
  expect(text).toMatch(
    /^DATA_DIR, which is .* cannot be used: EACCES.*outbox\.lock'\. Let the user of this process read and write.*\n$/,
  );
});
