import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type DoctorReport, logType } from '@tollgate/contract';
import { expect, onTestFinished, test, vi } from 'vitest';
import { freePort } from '../../e2e/support/free-port.ts';
import { newFolder, runCommand as run } from '../test/cli-kit.ts';
import { onEachEngine, type Place } from '../test/engines.ts';
import { draftOf, giveToken, giveWallet, holdOf } from '../test/ledger-kit.ts';
import { plainPrice } from '../test/plain-price.ts';
import { createLedger, createProofWatch, writeReceipt } from './billing/index.ts';
import { bootstrapRoot, createPasswords } from './identity/index.ts';
import { openStorageForReading } from './main-storage.ts';
import { nowSeconds, systemClock } from './platform/clock.ts';
import { createCrypto } from './platform/crypto.ts';
import type { Database } from './storage/database.ts';
import { lockFile } from './storage/file-lock.ts';
import { presentNodes } from './storage/presence.ts';
import { insertImportedLogs, insertTestLog } from './usage/index.ts';

const masterKey = 'ab'.repeat(32);
const cheap = { memoryKiB: 64, passes: 1 };

function envOf({ url, dataDir }: Place): Record<string, string | undefined> {
  return { DATABASE_URL: url, DATA_DIR: dataDir || '/nonexistent', SECRET_KEY: masterKey };
}

test('what cannot be understood ends with 2: command, argument, time, environment', async () => {
  const env = { DATA_DIR: newFolder() };
  expect(await run(env, 'dance')).toMatchObject({ exitCode: 2, err: expect.stringContaining("unknown command 'dance'") });
  expect(await run(env, 'doctor', 'ledgre')).toMatchObject({ exitCode: 2, err: expect.stringContaining('Allowed choices') });
  expect(await run(env, 'user', 'reset-password')).toMatchObject({ exitCode: 2 });
  expect(await run(env, 'receipts', 'verify', '--from', 'soon')).toMatchObject({
    exitCode: 2,
    err: expect.stringContaining('soon'),
  });
  const wrong = await run({ PORT: 'many' }, 'doctor', '--json');
  expect(wrong).toMatchObject({ exitCode: 2, err: '' });
  expect(wrong.json().error).toContain('PORT');
});

test.each([
  ['main.ts', { PORT: 'many' }, 2, 'Wrong environment'],
  ['cli-main.ts', {}, 0, 'Usage: tollgate'],
])(
  '%s runs whoever loads it, such as a process manager: not every runtime says which file is the main one',
  async (file, env, code, said) => {
    const load = `process.argv.push('tollgate', '--help'); await import(${JSON.stringify(new URL(file, import.meta.url).href)})`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', load], {
      env: { ...process.env, ...env },
      timeout: 20_000,
    });
    const pieces: string[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => void pieces.push(String(bytes)));
    expect(await once(child, 'close')).toEqual([code, null]);
    expect(pieces.join('')).toContain(said);
  },
);

test('doctor asks at an address of IPv6 as at any other', async () => {
  const folder = newFolder();
  const env = { DATA_DIR: join(folder, 'data'), SECRET_KEY: masterKey };
  const wanted = join(folder, 'wanted.yaml');
  writeFileSync(wanted, "version: 1\noptions: { ServerAddress: 'http://[::1]:1' }\n");
  expect(await run(env, 'migrate')).toMatchObject({ exitCode: 0 });
  expect(await run(env, 'config', 'apply', wanted)).toMatchObject({ exitCode: 0, err: '' });
  const { checks } = (await run(env, 'doctor', '--json')).json() as DoctorReport;
  expect(checks.find(({ id }) => id === 'stream_buffering')?.detail).toContain('http://[::1]:1 gives no answer');
});

test('a file is that of the folder in which the command was called, not of the checkout', async () => {
  const folder = newFolder();
  const env = { DATA_DIR: join(folder, 'data'), SECRET_KEY: masterKey, TOLLGATE_CALLED_IN: folder };
  expect(await run(env, 'migrate')).toMatchObject({ exitCode: 0 });
  expect(await run(env, 'backup', '--to', 'own.db')).toMatchObject({ exitCode: 0, out: expect.stringContaining(folder) });
  expect(await run(env, 'restore', '--from', 'own.db', '--force')).toMatchObject({ exitCode: 0 });
  expect(await run(env, 'config', 'export', '--to', 'own.yaml')).toMatchObject({ exitCode: 0 });
  expect(await run(env, 'config', 'plan', 'own.yaml')).toMatchObject({ exitCode: 0 });
  expect(await run(env, 'keys', 'rotate', '--to', 'own.key')).toMatchObject({ exitCode: 0 });
  expect(readdirSync(folder).toSorted()).toEqual(['data', 'own.db', 'own.key', 'own.yaml']);
});

test('commands that look do not create a database where there is none', async () => {
  const dataDir = join(newFolder(), 'data');
  expect(await run({ DATA_DIR: dataDir }, 'doctor', 'ledger')).toMatchObject({
    exitCode: 1,
    err: expect.stringContaining('no database'),
  });
  expect(await run({ DATA_DIR: dataDir }, 'user', 'reset-password', 'root')).toMatchObject({ exitCode: 1 });
  expect(await run({ DATA_DIR: dataDir }, 'receipts', 'verify')).toMatchObject({ exitCode: 1 });
  const pending = await run({ DATA_DIR: dataDir }, 'migrate', '--dry-run', '--json');
  expect(pending.json().pending).toContain('0001-spine');
  expect(existsSync(dataDir)).toBe(false);
});

test.skipIf(!existsSync('/dev/full'))('what could not be printed is a failure: a file that it was to go to would lack it', () => {
  const full = openSync('/dev/full', 'w');
  onTestFinished(() => closeSync(full));
  const file = fileURLToPath(new URL('./cli-main.ts', import.meta.url));
  const ended = spawnSync(process.execPath, [file, '--help'], { stdio: ['ignore', full, 'pipe'], encoding: 'utf8' });
  expect(ended).toMatchObject({ status: 1, stderr: expect.stringMatching(/^What was to be printed .* ENOSPC: .*\n$/) });
});

test.skipIf(!existsSync('/dev/full'))(
  'a server goes on where its log cannot be written, and stops as ever when its terminal is closed',
  async () => {
    const [port, full] = [await freePort(), openSync('/dev/full', 'w')];
    onTestFinished(() => closeSync(full));
    // The warning of too few descriptors is the first that is logged.
    const env = { ...process.env, DATA_DIR: newFolder(), HOST: '127.0.0.1', PORT: String(port), MAX_STREAMS: '1000000' };
    const file = fileURLToPath(new URL('./main.ts', import.meta.url));
    const child = spawn(process.execPath, [file], { env, stdio: ['ignore', full, 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const ended = once(child, 'exit');
    await vi.waitFor(async () => expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200), { timeout: 30_000 });
    child.kill('SIGHUP');
    expect(await ended).toEqual([0, null]);
  },
);

test('serve ends when it cannot listen, with nothing left that has the data folder', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void taken.close());
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const file = fileURLToPath(new URL('./cli-main.ts', import.meta.url));
  const env = {
    ...process.env,
    DATA_DIR: newFolder(),
    PORT: String(port),
    HOST: '127.0.0.1',
    LOG_LEVEL: 'silent',
    DATABASE_URL: '',
  };
  const child = spawn(process.execPath, [file, 'serve'], { env, stdio: ['ignore', 'ignore', 'pipe'], timeout: 30_000 });
  expect(await Promise.all([text(child.stderr), once(child, 'exit')])).toEqual([
    expect.stringContaining(`PORT=${port}: listen EADDRINUSE`),
    [1, null],
  ]);
});

test('a signal in the middle of the start ends the first process of a container, too', async () => {
  const dataDir = newFolder();
  const lock = lockFile(join(dataDir, 'outbox.lock'));
  onTestFinished(() => lock?.release());
  const file = new URL('./main.ts', import.meta.url).href;
  const load = `Object.defineProperty(process, 'pid', { value: 1 }); await import(${JSON.stringify(file)})`;
  // The warning of too few descriptors is the first that is logged; then the start waits for the data folder.
  const env = { ...process.env, DATA_DIR: dataDir, DATABASE_URL: '', PORT: '0', HOST: '127.0.0.1', MAX_STREAMS: '1000000' };
  const child = spawn(process.execPath, ['--input-type=module', '-e', load], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  await once(createInterface({ input: child.stdout }), 'line');
  child.kill('SIGTERM');
  expect(await ended).toEqual([143, null]);
});

/** With two workers; what it printed is an error. */
async function serveInVain(dataDir: string) {
  const file = fileURLToPath(new URL('./cli-main.ts', import.meta.url));
  const env = { ...process.env, DATA_DIR: dataDir, WORKERS: '2', PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'silent' };
  const child = spawn(process.execPath, [file, 'serve'], { env: { ...env, DATABASE_URL: '' } });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  return { said, code };
}

test('serve by workers ends with the exit code of the one that did not start, which alone says why', async () => {
  const dataDir = join(newFolder(), 'file');
  writeFileSync(dataDir, '');
  expect(await serveInVain(dataDir)).toEqual({
    said: expect.stringMatching(/^Wrong environment:\n {2}DATA_DIR, which is .*\. Name a folder\n$/),
    code: 2,
  });
});

test('where a worker does not start those that have end in order first', async () => {
  const dataDir = newFolder();
  mkdirSync(join(dataDir, 'outbox-2'), { recursive: true });
  expect(await serveInVain(dataDir)).toEqual({ said: expect.stringMatching(/^EISDIR: .*outbox-2'\n$/), code: 1 });
  const db = await openStorageForReading({ DATABASE_URL: undefined, DATA_DIR: dataDir, SQLITE_SYNCHRONOUS: 'FULL' });
  onTestFinished(() => db.close());
  expect(await presentNodes(db, nowSeconds(systemClock))).toEqual([]);
});

test('serve ends with 3 while a charge is still in the outbox', async () => {
  const dataDir = newFolder();
  writeFileSync(join(dataDir, 'outbox'), 'not a settle\n');
  const file = fileURLToPath(new URL('./cli-main.ts', import.meta.url));
  const env = { ...process.env, DATA_DIR: dataDir, PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'silent', DATABASE_URL: '' };
  const child = spawn(process.execPath, [file, 'serve', '--json'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  expect(JSON.parse(String(line))).toMatchObject({ ready: true, url: expect.stringMatching(/^http:\/\/localhost:\d+$/) });
  child.kill('SIGTERM');
  expect(await exited).toEqual([3, null]);
});

const usage = { prompt: 10, completion: 20, cached: 0, cacheWrite: 0, reasoning: 0, source: 'upstream', anomaly: false } as const;
const sign = (text: string) => createCrypto(Buffer.from(masterKey, 'hex')).hmac('receipt', text);

/** `count` charged calls of cost 30, one a minute from 2025-01-31 on, and one more that a sweep closed. */
async function giveCalls(db: Database, count: number): Promise<void> {
  const ledger = createLedger({ db, clock: systemClock });
  await giveWallet(db, 1, 10_000_000);
  const tokenId = await giveToken(db, 1, { remain: 0, unlimited: true });
  const start = Date.parse('2025-01-31') / 1000;
  const callOf = async (id: string, now: number, settle: boolean) => {
    const draft = draftOf(id, 1, tokenId, { receipt: writeReceipt(id, plainPrice, usage, 30, sign) });
    await ledger.hold(holdOf(id, 1, tokenId, 100, { now, leaseUntil: now + 120, floorCost: 10, draft }));
    if (settle) await ledger.settle({ id, cost: 30, now, draft });
    else await ledger.dispatch(id);
  };
  // Not all at once: a ledger that is busy refuses.
  for (let from = 0; from < count; from += 100) {
    const some = Array.from({ length: Math.min(100, count - from) }, (_, index) => from + index);
    await Promise.all(some.map((index) => callOf(`call${index}`, start + 60 * index, true)));
  }
  await callOf('swept', start + 30, false);
  await ledger.sweep(start + 1000);
}

onEachEngine((_engine, open, { place }) => {
  test('doctor ledger is green on sound books and names the first difference on others', async () => {
    const where = await place();
    const db = await open({ place: where });
    await giveCalls(db, 3);
    expect(await run(envOf(where), 'doctor', 'ledger')).toMatchObject({ exitCode: 0, out: expect.stringContaining('adds up') });
    await db.transaction((tx) => tx.query.updateTable('wallet').set({ available: 1 }).where('user_id', '=', 1).execute());
    const found = await run(envOf(where), 'doctor', 'ledger', '--json');
    expect(found.exitCode).toBe(1);
    expect(found.json().checks[0]).toMatchObject({
      ok: false,
      first_difference: expect.stringContaining('user:1: 1 instead of'),
    });
    expect((await run(envOf(where), 'doctor', 'ledger')).out).toContain('first difference: user:1');
  });

  test('doctor ledger recomputes receipts: those since the last hourly proof, or all', async () => {
    const where = await place();
    const db = await open({ place: where });
    await giveCalls(db, 3);
    const proof = createProofWatch({ db, clock: systemClock, sign, node: 'a' });
    expect(await proof.run()).toEqual({ differences: [], receipts: 4 });
    const [row] = await db.read.selectFrom('log').selectAll().where('request_id', '=', 'call1').execute();
    const receipt = row?.receipt.replace('"cost":30', '"cost":31') ?? '';
    await db.transaction((tx) => tx.query.updateTable('log').set({ receipt }).where('request_id', '=', 'call1').execute());
    const recent = await run(envOf(where), 'doctor', 'ledger');
    expect(recent).toMatchObject({ exitCode: 0, out: expect.stringContaining('0 charges since the last hourly proof') });
    const all = await run(envOf(where), 'doctor', 'ledger', '--all', '--json');
    expect(all.exitCode).toBe(1);
    expect(all.json().checks.at(-1)).toMatchObject({ ok: false, first_difference: `log:${row?.id}: forged` });
  });

  test('receipts are verified page by page, within the range, swept calls apart', async () => {
    const where = await place();
    const db = await open({ place: where });
    await giveCalls(db, 1500);
    const all = await run(envOf(where), 'receipts', 'verify', '--json');
    expect(all.json()).toEqual({ ok: true, checked: 1501, swept: 1, brought: 0, faults: 0, examples: [] });
    const day = await run(envOf(where), 'receipts', 'verify', '--json', '--from', '2025-02-01', '--to', '2025-02-01');
    expect(day.json()).toMatchObject({ checked: 60, swept: 0 });
    const hour = await run(envOf(where), 'receipts', 'verify', '--json', '--to', '2025-01-31T00:59:00Z');
    expect(hour.json()).toMatchObject({ checked: 61 });
    // A time that names no zone is one of UTC, wherever the machine stands.
    vi.stubEnv('TZ', 'Asia/Shanghai');
    onTestFinished(() => void vi.unstubAllEnvs());
    const plain = await run(envOf(where), 'receipts', 'verify', '--json', '--to', '2025-01-31T00:59:00');
    expect(plain.json()).toMatchObject({ checked: 61 });
  });

  test('a receipt that was changed, moved to another call or removed is found', async () => {
    const where = await place();
    const db = await open({ place: where });
    await giveCalls(db, 4);
    const rows = await db.read.selectFrom('log').selectAll().where('request_id', 'like', 'call%').orderBy('id').execute();
    const receipts = ['', rows[0]?.receipt ?? '', rows[2]?.receipt.replace('"cost":30', '"cost":3') ?? ''];
    for (const [index, receipt] of receipts.entries()) {
      const id = rows[index]?.id ?? 0;
      await db.transaction((tx) => tx.query.updateTable('log').set({ receipt }).where('id', '=', id).execute());
    }
    const found = await run(envOf(where), 'receipts', 'verify', '--json');
    expect(found.exitCode).toBe(1);
    expect(found.json().examples.map((each: { fault: string }) => each.fault)).toEqual(['missing', 'unlike_row', 'forged']);
    const strange = await run({ ...envOf(where), SECRET_KEY: 'cd'.repeat(32) }, 'receipts', 'verify', '--json');
    expect(strange.json()).toMatchObject({ faults: 5 });
  });

  test('rows of the log that an import brought have no receipts, and none is missed; tests of channels are no charges', async () => {
    const where = await place();
    const db = await open({ place: where });
    await giveCalls(db, 2);
    const names = { username: '', tokenName: '', model: 'gpt-4o', group: '', content: '', other: '', ip: '' };
    const figures = { userId: 1, tokenId: 0, channelId: 0, quota: 5, promptTokens: 1, completionTokens: 1, useTime: 0 };
    const charge = { ...names, ...figures, createdAt: 1_735_689_600, type: logType.consume, isStream: false };
    const rows = ['', 'there1', 'there2'].map((requestId) => ({ ...charge, requestId }));
    const tested = { userId: 1, username: '', channelId: 1, model: 'gpt-4o', group: '', promptTokens: 1, completionTokens: 1 };
    await db.transaction(async (tx) => {
      await insertImportedLogs(tx, rows);
      await insertTestLog(tx, { ...tested, useTime: 0, wouldCost: 5, now: 1_735_689_601 });
    });
    const found = await run(envOf(where), 'receipts', 'verify', '--json');
    expect(found.json()).toMatchObject({ ok: true, checked: 3, brought: 3, faults: 0 });
    const told = await run(envOf(where), 'receipts', 'verify');
    expect(told).toMatchObject({ exitCode: 0, out: expect.stringContaining('3 charges came with an import') });
  });

  test('a reset password signs in, the old one does not, and every session of the user has ended', async () => {
    const where = await place();
    const db = await open({ place: where });
    const passwords = await createPasswords(cheap);
    await bootstrapRoot({ db, clock: systemClock, passwords });
    const answer = await run(envOf(where), 'user', 'reset-password', 'root', '--json');
    const { password } = answer.json();
    expect(password).toMatch(/^[0-9A-Za-z]{20}$/);
    const root = await db.read.selectFrom('users').selectAll().executeTakeFirstOrThrow();
    expect(root).toMatchObject({ session_epoch: 1, default_password: 0, access_token_hash: null });
    expect(await passwords.verify(root.password_hash, password)).toBe(true);
    expect(await passwords.verify(root.password_hash, '123456')).toBe(false);
    const change = await db.read.selectFrom('change').selectAll().where('kind', '=', 'user').executeTakeFirst();
    expect(change).toMatchObject({ key: String(root.id) });
    expect(await run(envOf(where), 'user', 'reset-password', 'nobody')).toMatchObject({ exitCode: 1 });
    const sound = await run(envOf(where), 'audit', 'verify');
    expect(sound).toMatchObject({ exitCode: 0, out: '1 rows of the audit log are sound.\n' });
    await db.transaction((tx) => tx.query.updateTable('audit_head').set({ seq: 2 }).execute());
    const cut = await run(envOf(where), 'audit', 'verify', '--json');
    expect(cut.exitCode).toBe(1);
    expect(cut.json()).toEqual({ ok: false, rows: 1, fault: { seq: 2, reason: 'cut' } });
  });

  test('migrate says what is pending, applies it once, and then has nothing to do', async () => {
    const env = envOf(await place({ isEmpty: true }));
    expect((await run(env, 'migrate', '--dry-run', '--json')).json().pending).toContain('0001-spine');
    expect((await run(env, 'migrate', '--json')).json().applied).toContain('0001-spine');
    expect((await run(env, 'migrate', '--dry-run', '--json')).json()).toEqual({ pending: [], steps: [], estimated_seconds: 0 });
    expect(await run(env, 'migrate')).toMatchObject({
      exitCode: 0,
      out: expect.stringMatching(/^The database is up to date\.\nDatabase: \S+\n$/),
    });
  });
});
