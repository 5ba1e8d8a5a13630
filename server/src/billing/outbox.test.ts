import { appendFileSync, copyFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { onEachEngine } from '../../test/engines.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import { draftOf, giveToken, giveWallet, holdOf, tokenOf, walletOf } from '../../test/ledger-kit.ts';
import { LedgerUnavailable } from './errors.ts';
import { createLedger } from './ledger.ts';
import { type Outbox, openOutbox } from './outbox.ts';
import { proveLedger } from './reconcile.ts';
import type { Ledger, SettleRequest, SettleResult } from './types.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function newPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-outbox-'));
  folders.push(folder);
  return join(folder, 'outbox');
}

const booked: SettleResult = { closed: true, collected: 1, shortfall: 0, correction: 0 };

/** A ledger that notes what it is asked to settle, and fails where told. */
function recordingLedger(fails: (id: string) => Error | undefined = () => undefined) {
  const ids: string[] = [];
  const settle: Ledger['settle'] = async ({ id }) => {
    const fault = fails(id);
    if (fault) throw fault;
    ids.push(id);
    return booked;
  };
  return { ids, settle };
}

function settleOf(id: string, userId = 1, tokenId = 1): SettleRequest {
  return { id, cost: 30, now: 1010, draft: draftOf(id, userId, tokenId) };
}

async function withOutbox<T>(path: string, ledger: Pick<Ledger, 'settle'>, use: (outbox: Outbox) => Promise<T>): Promise<T> {
  const outbox = await openOutbox({ path, ledger });
  return use(outbox).finally(() => outbox.close());
}

test('what was added stands in the file, readable by its owner only, before add resolves', async () => {
  const path = newPath();
  await withOutbox(path, recordingLedger(), async (outbox) => {
    await Promise.all(['a', 'b', 'c'].map((id) => outbox.add(settleOf(id))));
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(4);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });
});

test('a later process replays what an earlier one left, in order, and the file is empty afterwards', async () => {
  const path = newPath();
  await withOutbox(path, recordingLedger(), async (outbox) => {
    for (const id of ['a', 'b']) await outbox.add(settleOf(id));
  });
  const ledger = recordingLedger();
  await withOutbox(path, ledger, async (outbox) => {
    expect(outbox.size()).toBe(2);
    expect(await outbox.replay()).toEqual({ settled: 2, left: 0, fault: undefined });
  });
  expect(ledger.ids).toEqual(['a', 'b']);
  expect(statSync(path).size).toBe(0);
});

test('a torn last line is dropped and does not spoil the line that is added next', async () => {
  const path = newPath();
  await withOutbox(path, recordingLedger(), (outbox) => outbox.add(settleOf('whole')));
  appendFileSync(path, '{"v":1,"settle":{"id":"torn","cost":');
  await withOutbox(path, recordingLedger(), (outbox) => outbox.add(settleOf('next')));
  const ledger = recordingLedger();
  await withOutbox(path, ledger, (outbox) => outbox.replay());
  expect(ledger.ids).toEqual(['whole', 'next']);
});

test('a line that cannot be read stays and keeps nobody else waiting', async () => {
  const path = newPath();
  appendFileSync(path, '{"v":1,"settle":{"id":7}}\n');
  const ledger = recordingLedger();
  const result = await withOutbox(path, ledger, async (outbox) => {
    await outbox.add(settleOf('good'));
    return outbox.replay();
  });
  expect(result).toMatchObject({ settled: 1, left: 1 });
  expect(String(result.fault)).toContain(`Line 1 of ${path} cannot be read: a newer version wrote it`);
  const [, chapter = 'nothing'] = /docs\/runbook\.md, "(.*)"/.exec(String(result.fault)) ?? [];
  expect(readFileSync(new URL('../../../docs/runbook.md', import.meta.url), 'utf8')).toContain(`\n## ${chapter}\n`);
  expect(readFileSync(path, 'utf8')).toBe('{"v":1,"settle":{"id":7}}\n');
});

test('a line that the ledger refuses stays, is named with its reason and keeps nobody else waiting', async () => {
  const path = newPath();
  const refusal = new Error('Hold b has no wallet');
  const ledger = recordingLedger((id) => (id === 'b' ? refusal : undefined));
  const result = await withOutbox(path, ledger, async (outbox) => {
    for (const id of ['a', 'b', 'c']) await outbox.add(settleOf(id));
    return outbox.replay();
  });
  expect(ledger.ids).toEqual(['a', 'c']);
  expect(result).toMatchObject({ settled: 2, left: 1, fault: { cause: refusal } });
  expect(String(result.fault)).toContain(`Line 2 of ${path} (call b) is refused by the ledger`);
});

test('while the database is out nothing is lost, and what is added during a replay stays', async () => {
  const path = newPath();
  const out = new LedgerUnavailable('out');
  const ledger = recordingLedger((id) => (id === 'first' ? undefined : out));
  await withOutbox(path, ledger, async (outbox) => {
    await outbox.add(settleOf('first'));
    await outbox.add(settleOf('second'));
    const [result] = await Promise.all([outbox.replay(), outbox.add(settleOf('third'))]);
    expect(result).toMatchObject({ settled: 1, fault: out });
  });
  const healed = recordingLedger();
  await withOutbox(path, healed, (outbox) => outbox.replay());
  expect(healed.ids).toEqual(['second', 'third']);
});

test('a full outbox refuses, and what it holds stays whole', async () => {
  const path = newPath();
  const size = Buffer.byteLength(JSON.stringify({ v: 1, settle: settleOf('a') })) + 1;
  const outbox = await openOutbox({ path, ledger: recordingLedger(), maxBytes: 2 * size });
  const results = await Promise.allSettled(['a', 'b', 'c'].map((id) => outbox.add(settleOf(id))));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
  expect(statSync(path).size).toBe(2 * size);
  await outbox.replay();
  await outbox.add(settleOf('d'));
  expect(outbox.size()).toBe(1);
  await outbox.close();
});

onEachEngine((_engine, open) => {
  async function openCall() {
    const db = await open();
    const clock = new FakeClock(1_000_000);
    const ledger = createLedger({ db, clock });
    await giveWallet(db, 1, 1000);
    const tokenId = await giveToken(db, 1, { remain: 500, unlimited: false });
    await ledger.hold(holdOf('call', 1, tokenId, 100, { floorCost: 10 }));
    await ledger.dispatch('call');
    return { db, clock, ledger, tokenId, path: newPath() };
  }

  test('a settle from the outbox charges once, also when a crash brings its line back', async () => {
    const { db, clock, ledger, tokenId, path } = await openCall();
    await withOutbox(path, ledger, async (outbox) => {
      await outbox.add(settleOf('call', 1, tokenId));
      copyFileSync(path, `${path}.before`);
      await outbox.replay();
    });
    // The crash came after COMMIT and before the line was removed.
    copyFileSync(`${path}.before`, path);
    await withOutbox(path, ledger, async (outbox) => expect(await outbox.replay()).toMatchObject({ settled: 1, left: 0 }));
    expect(await walletOf(db, 1)).toEqual({ available: 970, held: 0, used: 30, count: 1 });
    expect(await tokenOf(db, tokenId)).toMatchObject({ remain: 470, used: 30, held: 0 });
    expect(await proveLedger({ db, clock })).toMatchObject({ ok: true });
  });

  test('a settle that comes after the sweep books one correction, however often it is replayed', async () => {
    const { db, clock, ledger, tokenId, path } = await openCall();
    expect(await ledger.sweep(1120)).toBe(1);
    for (let round = 0; round < 2; round += 1) {
      await withOutbox(path, ledger, async (outbox) => {
        await outbox.add(settleOf('call', 1, tokenId));
        await outbox.replay();
      });
    }
    expect(await walletOf(db, 1)).toEqual({ available: 970, held: 0, used: 30, count: 1 });
    const corrections = await db.read.selectFrom('transfer').select(['ref', 'amount']).where('kind', '=', 'correction').execute();
    expect(corrections).toEqual([{ ref: 'call:corr', amount: 20 }]);
    expect(await proveLedger({ db, clock })).toMatchObject({ ok: true });
  });
});
