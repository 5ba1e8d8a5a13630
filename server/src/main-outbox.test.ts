import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Ledger } from './billing/index.ts';
import { EnvironmentError } from './env.ts';
import { openOwnOutbox } from './main-outbox.ts';
import { createLog } from './platform/log.ts';

test('a second server on one DATA_DIR does not start; workers of one server do, and the next server', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-data-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const dataDir = join(folder, 'made', 'here');
  const common = { dataDir, workers: 2, ledger: {} as Ledger, log: createLog('silent'), lockWithinMs: 200 };
  const first = await openOwnOutbox({ ...common, index: 1 });
  const second = await openOwnOutbox({ ...common, index: 2 });
  await expect(openOwnOutbox({ ...common, index: 1 })).rejects.toThrow(EnvironmentError);
  const next = openOwnOutbox({ ...common, index: 1, lockWithinMs: 10_000 });
  await first.close();
  const outboxes = [second, await next];
  await Promise.all(outboxes.map((outbox) => outbox.close()));
});
