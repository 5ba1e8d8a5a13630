import { type LogEntry, logType, role, type Statement } from '@tollgate/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { onEachEngine } from '../../test/engines.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import { draftOf, giveToken, giveUser, giveWallet, holdOf } from '../../test/ledger-kit.ts';
import { pick, rollAll, rollupOn } from '../../test/usage-kit.ts';
import type { Database } from '../storage/database.ts';
import { deleteOldLogs } from '../usage/cleanup/cleanup.ts';
import { createDashboards, createLogs, insertImportedLogs } from '../usage/index.ts';
import { transfer } from './accounts.ts';
import { giveBack } from './give-back.ts';
import { createLedger } from './ledger.ts';
import { bookOpening } from './opening.ts';
import { proveLedger } from './reconcile.ts';
import { createStatements } from './statement.ts';
import type { TransferRequest } from './types.ts';

const [user, other] = [7, 8];
const day = 86_400;
const begin = Date.UTC(2026, 7, 20) / 1000;
const zones = ['UTC', 'Asia/Shanghai', 'America/New_York', 'Asia/Kolkata', 'Europe/Berlin'];
const months = ['2026-08', '2026-09', '2026-10', '2026-11', '2026-12'];
/** As clocks that are not changed in this time, or are, show it. */
const monthOf = (seconds: number, timeZone: string): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, year: 'numeric', month: '2-digit' }).format(seconds * 1000);
const sumOf = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + amount, 0);

/** For the ledger, which is told the time: it only measures by its own how long calls wait. */
const standing = () => new FakeClock(begin * 1000);

interface Entry {
  at: number;
  kind: string;
  /** Of the balance. */
  amount: number;
  model?: string;
  token?: string;
}

/** A year of random books beside what their statements have to say. */
async function randomBooks(db: Database, seed: number, cleans: boolean) {
  const random = pick(seed);
  const clock = new FakeClock(begin * 1000);
  const now = () => Math.floor(clock.nowMs() / 1000);
  const ledger = createLedger({ db, clock: standing() });
  const rollup = rollupOn(db, 'a', 5, clock);
  const entries: Entry[] = [];
  const calls: { id: string; left: number; at: number }[] = [];
  for (const id of [user, other]) {
    await giveUser(db, id);
    await giveWallet(db, id, 0);
  }
  const tokens = [];
  for (let count = 0; count < 2; count += 1) tokens.push(await giveToken(db, user, { remain: 0, unlimited: true }));
  const stranger = await giveToken(db, other, { remain: 0, unlimited: true });
  const move = async (kind: TransferRequest['kind'], from: string, amount: number, to = `user:${user}`) => {
    const ref = `${kind}:${entries.length}`;
    await db.transaction((tx) =>
      tx.perform(transfer({ from, to, amount, kind, ref, userId: user, actorId: 0, now: now(), note: '' })),
    );
    entries.push({ at: now(), kind, amount: to === `user:${user}` ? amount : -amount });
  };
  const call = async (of: number, tokenId: number) => {
    const id = `call-${calls.length}-${entries.length}`;
    const [cost, model] = [1 + random(90), `m${random(3)}`];
    await ledger.hold(holdOf(id, of, tokenId, 100, { now: now(), leaseUntil: now() + 600 }));
    await ledger.settle({ id, cost, now: now(), draft: draftOf(id, of, tokenId, { model }) });
    if (of !== user) return;
    calls.push({ id, left: cost, at: now() });
    entries.push({ at: now(), kind: 'charge', amount: -cost, model, token: `token${tokenId}` });
  };
  const back = async () => {
    const given = calls[random(calls.length)];
    const row = await db.read
      .selectFrom('log')
      .select(['id', 'other', 'quota'])
      .where('request_id', '=', given?.id ?? '')
      .executeTakeFirst();
    if (given === undefined || row === undefined || row.quota === 0) return;
    const before = (JSON.parse(row.other) as { refunded?: number }).refunded ?? 0;
    const amount = 1 + random(row.quota);
    const actor = { id: 1, username: 'root', ip: '' };
    const options = () => ({ DisplayInCurrencyEnabled: true, QuotaPerUnit: 500_000 }) as never;
    const deps = { db, clock, changes: { notify: () => undefined } as never, options };
    await giveBack(deps, { logId: row.id, refunded: before + amount, reason: 'test', actor, role: role.root });
    entries.push({ at: now(), kind: 'give_back', amount });
  };
  await move('grant', 'grant', 5000);
  while (now() < begin + 120 * day) {
    const [token = 0] = random(2) === 0 ? tokens : tokens.toReversed();
    const what = random(20);
    if (what < 10) await call(user, token);
    else if (what === 10) await call(other, stranger).catch(() => undefined);
    else if (what < 13) await back();
    else if (what === 13) await move('payment', 'payment', 500 + random(500));
    else if (what === 14) await move('redeem', 'redeem', 1 + random(50));
    else if (what === 15) await move('adjust', `user:${user}`, 1 + random(20), 'adjust');
    else if (what === 16) await move('refund', `user:${user}`, 1 + random(20), 'payment');
    else if (what === 17) await rollAll(rollup);
    else if (what === 18 && cleans) {
      await rollAll(rollup);
      while ((await deleteOldLogs(db, now() - 40 * day)) > 0);
    }
    clock.advanceMs((random(4) === 0 ? random(5 * day) : random(7200)) * 1000);
  }
  // What is held is on the balance.
  await ledger.hold(holdOf('open', user, tokens[0] ?? 0, 100, { now: now(), leaseUntil: now() + 600 }));
  return { clock, entries };
}

/** What the user is told of the same month at other places: rows of the file of the log, its sum, and the dashboard. */
async function elsewhere(db: Database, clock: FakeClock, { start, end, time_zone }: Statement) {
  const scope = { kind: 'own', userId: user } as const;
  const none = { token_name: '', model_name: '', group: '', request_id: '', ip: '', username: '', channel: 0, type: 0 };
  const range = { ...none, upstream_request_id: '', start_timestamp: start, end_timestamp: end - 1 };
  const logs = createLogs({ db, clock, quotaPerUnit: () => 500_000 });
  let file = '';
  for await (const text of logs.export(scope, { ...range, type: logType.consume, format: 'ndjson' })) file += text;
  const rows = file.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as LogEntry]));
  const dashboards = createDashboards({ db, clock, options: () => ({ DataExportInterval: 0 }), openBreakers: () => 0 });
  const { totals: shown, models, tokens } = await dashboards.read(scope, { ...range, granularity: 'day', time_zone });
  const { quota } = await logs.stat(scope, { ...range, p: 1, page_size: 1, before: 0 });
  return { rows, sums: [quota, shown.quota, ...[models, tokens].map((each) => sumOf(each.map((row) => row.quota)))] };
}

const totals = (statement: Statement) => sumOf(statement.movements.map(({ amount }) => amount)) - statement.charged;

onEachEngine((_name, open) => {
  test.each([1, 2])(
    'the months of random books say to the unit what moved and was charged, in any zone, and follow on each other: %i',
    async (seed) => {
      const db = await open();
      const { clock, entries } = await randomBooks(db, seed, false);
      expect((await proveLedger({ db, clock })).checks.filter(({ ok, name }) => !ok && name !== 'receipts')).toEqual([]);
      const statements = createStatements({ db, clock: standing() });
      const check = async (time_zone: string, month: string) => {
        const told = await statements.read({ user_id: user, username: 'user7' }, { month, time_zone });
        const before = entries.filter(({ at }) => monthOf(at, time_zone) < month);
        const within = entries.filter(({ at }) => monthOf(at, time_zone) === month);
        const charges = within.filter(({ kind }) => kind === 'charge');
        expect([told.opening, told.closing]).toEqual([
          sumOf(before.map(({ amount }) => amount)),
          sumOf([...before, ...within].map(({ amount }) => amount)),
        ]);
        expect(told.opening + totals(told)).toBe(told.closing);
        expect(told.charged).toBe(-sumOf(charges.map(({ amount }) => amount)));
        const expected = Map.groupBy(charges, ({ model, token }) => `${model} ${token}`);
        expect(new Map(told.charges.map(({ model, token, calls, quota }) => [`${model} ${token}`, [calls, quota]]))).toEqual(
          new Map([...expected].map(([key, rows]) => [key, [rows.length, -sumOf(rows.map(({ amount }) => amount))]])),
        );
        const moves = Map.groupBy(
          within.filter(({ kind }) => kind !== 'charge'),
          ({ kind }) => kind,
        );
        expect(new Map(told.movements.map(({ kind, count, amount }) => [kind, [count, amount]]))).toEqual(
          new Map([...moves].map(([kind, rows]) => [kind, [rows.length, sumOf(rows.map(({ amount }) => amount))]])),
        );
        const { rows, sums } = await elsewhere(db, clock, told);
        const left = sumOf(rows.map(({ quota }) => quota));
        expect(sums).toEqual([left, left, left, left]);
        const refunded = sumOf(rows.map(({ other: text }) => (JSON.parse(text) as { refunded?: number }).refunded ?? 0));
        expect(left + refunded).toBe(told.charged);
      };
      const anywhere = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
      const examples = zones.flatMap((zone) => months.map((month): [string, string] => [zone, month]));
      await fc.assert(fc.asyncProperty(anywhere, fc.constantFrom(...months), check), { examples, numRuns: examples.length + 10 });
    },
    120_000,
  );

  test('the same holds for opening, movements and closing after the log was cleaned', async () => {
    const db = await open();
    await randomBooks(db, 3, true);
    const statements = createStatements({ db, clock: standing() });
    let last: Statement | undefined;
    for (const month of months) {
      const told = await statements.read({ user_id: user, username: 'user7' }, { month, time_zone: 'Asia/Shanghai' });
      expect(told.opening + totals(told)).toBe(told.closing);
      expect(told.charged).toBe(sumOf(told.charges.map(({ quota }) => quota)));
      expect(told.opening).toBe(last?.closing ?? 0);
      last = told;
    }
    const wallet = await db.read.selectFrom('wallet').selectAll().where('user_id', '=', user).executeTakeFirstOrThrow();
    expect(last?.closing).toBe(wallet.available + wallet.held);
    expect(wallet.held).toBe(100);
  }, 120_000);

  test('is of one moment: while calls are charged the month begins with what it began with', async () => {
    const db = await open();
    await giveUser(db, user);
    await giveWallet(db, user, 5000);
    const token = await giveToken(db, user, { remain: 0, unlimited: true });
    const ledger = createLedger({ db, clock: standing() });
    const statements = createStatements({ db, clock: standing() });
    const openings = new Set<number>();
    const call = async (id: string) => {
      await ledger.hold(holdOf(id, user, token, 50, { now: begin, leaseUntil: begin + 600 }));
      await ledger.settle({ id, cost: 40, now: begin, draft: draftOf(id, user, token) });
    };
    const read = async () =>
      openings.add((await statements.read({ user_id: user, username: '' }, { month: '2026-08', time_zone: 'UTC' })).opening);
    for (let round = 0; round < 10; round += 1)
      await Promise.all([call(`a${round}`), read(), call(`b${round}`), read(), call(`c${round}`), read()]);
    expect([...openings]).toEqual([5000]);
  });

  test('amounts that add up beyond the exact whole numbers are told all the same, in their month and before it', async () => {
    const db = await open();
    await giveUser(db, user);
    await giveWallet(db, user, 0);
    const amount = 3_000_000_000_000_000;
    const move = { amount, kind: 'adjust', userId: user, actorId: 0, now: begin, note: '' } as const;
    for (let round = 0; round < 5; round += 1) {
      const [given, taken] = [`given:${round}`, `taken:${round}`];
      await db.transaction((tx) => tx.perform(transfer({ ...move, from: 'adjust', to: `user:${user}`, ref: given })));
      await db.transaction((tx) => tx.perform(transfer({ ...move, from: `user:${user}`, to: 'adjust', ref: taken })));
    }
    const statements = createStatements({ db, clock: standing() });
    const read = (month: string) => statements.read({ user_id: user, username: '' }, { month, time_zone: 'UTC' });
    const told = await read('2026-08');
    expect(told.movements.map(({ amount: sum }) => sum).sort()).toEqual([-5 * amount, 5 * amount]);
    for (const statement of [told, await read('2026-07')]) expect(statement).toMatchObject({ opening: 0, closing: 0 });
  });

  test('the books of an imported account begin with its import, though the log has what was spent elsewhere', async () => {
    const db = await open();
    const clock = new FakeClock(Date.UTC(2026, 9, 10, 10, 30));
    const now = () => Math.floor(clock.nowMs() / 1000);
    await giveUser(db, user);
    const opening = { userId: user, ref: 'import:x:7', balance: 900, used: 700, requests: 2, affiliate: 0, now: now() };
    await db.transaction((tx) => tx.perform(bookOpening(opening)));
    const elsewhere = (createdAt: number, quota: number) => ({
      ...{ createdAt, quota, type: 2, userId: user, username: 'user7', tokenId: 0, tokenName: '', model: 'm', channelId: 0 },
      ...{ group: '', promptTokens: 1, completionTokens: 1, useTime: 1, isStream: false, content: '', other: '' },
      ...{ requestId: '', ip: '' },
    });
    await db.transaction((tx) => insertImportedLogs(tx, [elsewhere(now() - 60, 300), elsewhere(now() - 30 * day, 400)]));
    const token = await giveToken(db, user, { remain: 0, unlimited: true });
    const ledger = createLedger({ db, clock: standing() });
    for (const id of ['a', 'b']) {
      await ledger.hold(holdOf(id, user, token, 50, { now: now(), leaseUntil: now() + 600 }));
      await ledger.settle({ id, cost: 40, now: now(), draft: draftOf(id, user, token) });
      clock.advanceMs(3_600_000);
    }
    const statements = createStatements({ db, clock: standing() });
    const read = (month: string) => statements.read({ user_id: user, username: 'user7' }, { month, time_zone: 'UTC' });
    expect(await read('2026-10')).toMatchObject({
      ...{ start: Date.UTC(2026, 9, 10, 11) / 1000, opening: 860, movements: [], charged: 40, closing: 820 },
    });
    expect(await read('2026-11')).toMatchObject({ opening: 820, charges: [], closing: 820 });
    // By the clocks of its zone it is that month already, or still.
    const atTurn = createStatements({ db, clock: new FakeClock(Date.UTC(2026, 11, 1, 2)) });
    const months = ['UTC', 'Asia/Shanghai', 'America/New_York'].map(async (time_zone) => {
      return (await atTurn.read({ user_id: user, username: '' }, { month: '', time_zone })).month;
    });
    expect(await Promise.all(months)).toEqual(['2026-12', '2026-12', '2026-11']);
    await expect(read('2026-09')).rejects.toMatchObject({ code: 'statement_before_import' });
    await expect(
      statements.read({ user_id: user, username: '' }, { month: '2026-10', time_zone: 'Mars/Base' }),
    ).rejects.toMatchObject({ code: 'parameter_error' });
  });

  test('the first second of a month is its own, and the last one too', async () => {
    const db = await open();
    await giveUser(db, user);
    await giveWallet(db, user, 0);
    const token = await giveToken(db, user, { remain: 0, unlimited: true });
    const ledger = createLedger({ db, clock: standing() });
    const september = Date.UTC(2026, 8, 1) / 1000;
    for (const now of [september - 1, september]) {
      const common = { from: 'grant', to: `user:${user}`, kind: 'grant', userId: user, actorId: 0, now, note: '' } as const;
      await db.transaction((tx) => tx.perform(transfer({ ...common, amount: 100, ref: `grant:${now}` })));
      await ledger.hold(holdOf(`c${now}`, user, token, 30, { now, leaseUntil: now + 600 }));
      await ledger.settle({ id: `c${now}`, cost: 30, now, draft: draftOf(`c${now}`, user, token) });
    }
    const statements = createStatements({ db, clock: new FakeClock((september + day) * 1000) });
    const read = (month: string) => statements.read({ user_id: user, username: 'u' }, { month, time_zone: 'UTC' });
    const moved = [{ kind: 'grant', count: 1, amount: 100 }];
    expect(await read('2026-08')).toMatchObject({ opening: 0, movements: moved, charged: 30, closing: 70 });
    expect(await read('2026-09')).toMatchObject({ opening: 70, movements: moved, charged: 30, closing: 140 });
  });
});
