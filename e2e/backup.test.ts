import { mkdtempSync, rmSync } from 'node:fs';
import { access, cp, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openBooks } from './support/books.ts';
import { booksAgree } from './support/books-agree.ts';
import { tollgate } from './support/command-line.ts';
import { startGateway } from './support/gateway.ts';
import { startLoad } from './support/load.ts';
import { startMockUpstream } from './support/mock-upstream.ts';
import { ofTest } from './support/of-test.ts';

const model = 'per-call';
const leases = { HOLD_LEASE_SECONDS: '2', HOLD_SWEEP_SECONDS: '1' };

test('a backup made while calls are charged holds every call answered before it, and its books agree', async () => {
  const upstream = await ofTest(startMockUpstream());
  const gateway = await ofTest(startGateway(leases));
  const root = await gateway.root();
  await root.addChannel({ base_url: upstream.url, models: model });
  await root.setOption('ModelPrice', { [model]: 0.0002 });
  const { key } = await root.addToken();
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-backup-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'copy.db');

  const earlier = startLoad({ url: gateway.url, key, model, parallel: 48 });
  await earlier.firstAnswer;
  const answered = await earlier.stop();
  const during = startLoad({ url: gateway.url, key, model, parallel: 8 });
  await during.firstAnswer;
  const made = await tollgate({ DATA_DIR: gateway.dataDir }, 'backup', '--to', file);
  const later = await during.stop();
  expect(made).toMatchObject({ exitCode: 0, json: { ok: true, proof: { ok: true } } });

  const over = await tollgate({ DATA_DIR: gateway.dataDir }, 'restore', '--from', file, '--force');
  expect(over).toMatchObject({ exitCode: 1, json: { error: expect.stringContaining('A server runs') } });

  const dataDir = path.join(folder, 'restored');
  await cp(path.join(gateway.dataDir, 'secret.key'), path.join(dataDir, 'secret.key'));
  expect(await tollgate({ DATA_DIR: dataDir }, 'restore', '--from', file)).toMatchObject({ exitCode: 0, json: { ok: true } });
  // Without its key the database is served under no other one.
  const keyFile = path.join(dataDir, 'secret.key');
  await rename(keyFile, path.join(folder, 'key'));
  await expect(startGateway({ DATA_DIR: dataDir })).rejects.toThrow(/ended with 2:.*secret\.key.*runbook/s);
  await expect(access(keyFile)).rejects.toThrow('ENOENT');
  await rename(path.join(folder, 'key'), keyFile);
  const second = await ofTest(startGateway({ ...leases, DATA_DIR: dataDir }));
  const sameRoot = await second.root();
  await booksAgree(second, sameRoot);
  const books = await openBooks(second);
  const charges = await books.charges();
  await books.close();
  console.log(`${answered.length} calls before the backup, ${later.length} during it, ${charges.size} charged in it`);
  expect(answered.filter((id) => charges.get(id)?.transfers !== 1)).toEqual([]);
  // It was made amid the calls: some of them came too late for it.
  expect(charges.size).toBeLessThan(answered.length + later.length);

  const again = startLoad({ url: second.url, key, model, parallel: 2 });
  await again.firstAnswer;
  expect((await again.stop()).length).toBeGreaterThan(0);
  await booksAgree(second, sameRoot);
});
