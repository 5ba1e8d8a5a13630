import * as fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { unlockTable } from '../../test/append-only.ts';
import { onEachEngine } from '../../test/engines.ts';
import { blankUser } from '../identity/registration.ts';
import type { Database } from '../storage/database.ts';
import { createAuditTrail, recordAudit, verifyAuditChain } from './index.ts';

const alice = { id: 7, username: 'alice', ip: '192.0.2.1' };

async function write(db: Database, target: string, now = 1000, detail = {}): Promise<void> {
  await db.transaction((tx) => tx.perform(recordAudit({ actor: alice, action: 'user.update', target, detail, now })));
}

async function tamper(db: Database, statement: string): Promise<void> {
  await unlockTable(db, 'audit');
  await db.transaction((tx) => sql.raw(statement).execute(tx.query));
}

onEachEngine((_name, open) => {
  test('an empty chain and a written one are sound; every row follows from the one before', async () => {
    const db = await open();
    expect(await verifyAuditChain(db)).toEqual({ ok: true, rows: 0 });
    for (let index = 1; index <= 5; index++) await write(db, `user:${index}`);
    expect(await verifyAuditChain(db)).toEqual({ ok: true, rows: 5 });
    const hashes = (await db.read.selectFrom('audit').select('hash').execute()).map((row) => row.hash);
    expect(new Set(hashes).size).toBe(5);
  });

  test('rows can be neither changed nor removed', async () => {
    const db = await open();
    await write(db, 'user:1');
    const run = (statement: string) => db.transaction((tx) => sql.raw(statement).execute(tx.query));
    await expect(run("UPDATE audit SET target = 'user:2'")).rejects.toThrow('append-only');
    await expect(run('DELETE FROM audit')).rejects.toThrow('append-only');
    expect(await verifyAuditChain(db)).toEqual({ ok: true, rows: 1 });
  });

  test.each([
    ['a changed letter of any column', 'UPDATE audit SET detail = \'{"a":2}\' WHERE seq = 3', { seq: 3, reason: 'changed' }],
    ['another actor', 'UPDATE audit SET actor_id = 8 WHERE seq = 2', { seq: 2, reason: 'changed' }],
    ['another time', 'UPDATE audit SET created_at = 1 WHERE seq = 1', { seq: 1, reason: 'changed' }],
    [
      'a flipped digit of a hash',
      "UPDATE audit SET hash = 'f' || substr(hash, 2) || 'x' WHERE seq = 4",
      { seq: 4, reason: 'changed' },
    ],
    ['a removed row', 'DELETE FROM audit WHERE seq = 2', { seq: 2, reason: 'missing' }],
    ['a cut end', 'DELETE FROM audit WHERE seq > 3', { seq: 4, reason: 'cut' }],
    ['an emptied log', 'DELETE FROM audit', { seq: 1, reason: 'cut' }],
  ])('%s is found, with its place', async (_what, statement, fault) => {
    const db = await open();
    for (let index = 1; index <= 5; index++) await write(db, `user:${index}`, 1000, { a: 1 });
    await tamper(db, statement);
    expect(await verifyAuditChain(db)).toEqual({ ok: false, rows: fault.seq - 1, fault });
  });

  test('writers at once make one chain without gaps, and a rolled-back row leaves none', async () => {
    const db = await open();
    const failing = async (index: number) => {
      const broken = db.transaction(async (tx) => {
        await tx.perform(recordAudit({ actor: alice, action: 'denied', target: `never:${index}`, now: 1 }));
        throw new Error('rolled back');
      });
      await expect(broken).rejects.toThrow('rolled back');
    };
    await Promise.all(Array.from({ length: 40 }, (_, index) => (index % 4 === 0 ? failing(index) : write(db, `user:${index}`))));
    expect(await verifyAuditChain(db)).toEqual({ ok: true, rows: 30 });
    const page = await createAuditTrail({ db }).page({
      p: 1,
      page_size: 100,
      actor: '',
      action: 'denied',
      target: '',
      start_timestamp: 0,
      end_timestamp: 0,
    });
    expect(page.total).toBe(0);
  });

  test('whatever the texts are, what was stored is what was hashed', async () => {
    const db = await open();
    const text = fc.string({ unit: 'binary', maxLength: 30 });
    let rows = 0;
    await fc.assert(
      fc.asyncProperty(text, text, fc.jsonValue(), async (target, username, value) => {
        const actor = { ...alice, username };
        await db.transaction((tx) => tx.perform(recordAudit({ actor, action: 'denied', target, detail: { value }, now: 1 })));
        rows += 1;
      }),
      { numRuns: 60 },
    );
    expect(await verifyAuditChain(db)).toEqual({ ok: true, rows });
  });

  test('pages are newest first and filtered by actor, action, object and time', async () => {
    const db = await open();
    const trail = createAuditTrail({ db });
    for (let index = 1; index <= 7; index++) await write(db, `user:${index}`, 1000 + index);
    const bob = { id: 9, username: 'bob', ip: '' };
    await db.transaction((tx) => tx.perform(recordAudit({ actor: bob, action: 'login', target: 'user:9', now: 2000 })));
    const all = { p: 1, page_size: 3, actor: '', action: '', target: '', start_timestamp: 0, end_timestamp: 0 };
    const targets = async (query: object) => {
      const { items, total } = await trail.page({ ...all, ...query });
      return [total, ...items.map((item) => item.target)];
    };
    expect(await targets({})).toEqual([8, 'user:9', 'user:7', 'user:6']);
    expect(await targets({ p: 3 })).toEqual([8, 'user:2', 'user:1']);
    expect(await targets({ actor: 'bob' })).toEqual([1, 'user:9']);
    expect(await targets({ actor: '9' })).toEqual([1, 'user:9']);
    expect(await targets({ action: 'login' })).toEqual([1, 'user:9']);
    expect(await targets({ target: 'user:3' })).toEqual([1, 'user:3']);
    expect(await targets({ target: 'user:' })).toEqual([0]);
    expect(await targets({ start_timestamp: 1003, end_timestamp: 1005 })).toEqual([3, 'user:5', 'user:4', 'user:3']);
  });

  test('who has another name now is found by either, and by the id', async () => {
    const db = await open();
    await write(db, 'user:1');
    const row = { ...blankUser(1000), id: alice.id, username: 'alicia', display_name: '', password_hash: '', aff_code: 'a' };
    await db.transaction((tx) => tx.query.insertInto('users').values(row).execute());
    await db.transaction((tx) =>
      tx.perform(recordAudit({ actor: { ...alice, username: 'alicia' }, action: 'login', target: 'user:7', now: 1001 })),
    );
    const find = async (actor: string) => {
      const query = { p: 1, page_size: 10, actor, action: '', target: '', start_timestamp: 0, end_timestamp: 0 };
      return (await createAuditTrail({ db }).page(query)).items.map(({ actor: name }) => name);
    };
    expect([await find('alicia'), await find('alice'), await find('7'), await find('bob')]).toEqual([
      ['alicia', 'alice'],
      ['alice'],
      ['alicia', 'alice'],
      [],
    ]);
  });
});
