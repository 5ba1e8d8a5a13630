import { expect, test } from 'vitest';
import { onEachEngine } from '../../test/engines.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import { giveWallet, holdOf, walletOf } from '../../test/ledger-kit.ts';
import { plainPrice } from '../../test/plain-price.ts';
import type { Database } from '../storage/database.ts';
import { asciiJson, createNoteBook, type SharedNote } from './hold-notes.ts';
import { createLedger } from './ledger.ts';
import { costOf } from './price.ts';
import { verifyReceipt } from './receipts.ts';
import { proveLedger } from './reconcile.ts';

const shared: SharedNote = {
  ...{ username: 'alice', tokenName: '钥匙 \u{1F511}', model: 'gpt-4o-mini', group: 'vip', isStream: true },
  ...{ content: '模型倍率 1.00', other: '{"model_ratio":1}', price: plainPrice },
};
const text = asciiJson(shared);
const note = (prompt: number) => ({ shared: text, own: JSON.stringify({ ip: '1.2.3.4', prompt }) });
const notes = (db: Database) => db.read.selectFrom('hold_note').select(['content', 'used_at']).execute();
const holdsOf = async (db: Database) =>
  (await db.read.selectFrom('hold').select(['id', 'context', 'note_id']).orderBy('id').execute()).map((row) => row.note_id);

test('a text is one byte a character, and says the same', () => {
  expect(text).toMatch(/^[ -~]+$/);
  expect(JSON.parse(text)).toEqual(shared);
});

onEachEngine((_name, open) => {
  test('what many holds share is stored once, by several ledgers at once too', async () => {
    const db = await open();
    await giveWallet(db, 1, 10_000);
    const clock = new FakeClock(1_000_000);
    const [one, other] = [createLedger({ db, clock }), createLedger({ db, clock })];
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        (index % 2 === 0 ? one : other).hold(holdOf(`h${index}`, 1, 0, 1, { draft: note(index) })),
      ),
    );
    expect(await notes(db)).toEqual([{ content: text, used_at: 1000 }]);
    expect(new Set(await holdsOf(db)).size).toBe(1);
  });

  test('a sweep writes the row of the call that died, and its receipt adds up', async () => {
    const db = await open();
    await giveWallet(db, 1, 10_000);
    const clock = new FakeClock(1_000_000);
    const ledger = createLedger({ db, clock });
    const usage = { prompt: 11, completion: 0, cached: 0, cacheWrite: 0 };
    const floorCost = costOf(plainPrice, usage);
    await ledger.hold(holdOf('a', 1, 0, 100, { draft: note(7) }));
    await ledger.hold(holdOf('b', 1, 0, 100, { draft: note(11), floorCost }));
    await ledger.dispatch('b');
    // Another process, which never saw the text.
    expect(await createLedger({ db, clock }).sweep(1120)).toBe(2);
    const [row, ...more] = await db.read.selectFrom('log').selectAll().where('type', '=', 2).execute();
    expect(more).toEqual([]);
    expect(row).toMatchObject({
      ...{ request_id: 'b', user_id: 1, username: 'alice', token_name: shared.tokenName, model_name: 'gpt-4o-mini' },
      ...{ group_name: 'vip', is_stream: 1, content: shared.content, ip: '1.2.3.4', prompt_tokens: 11, quota: floorCost },
    });
    expect(JSON.parse(row?.other ?? '')).toEqual({ model_ratio: 1, swept: true });
    expect(verifyReceipt(row?.receipt ?? '', () => '')).toBe('ok');
    expect((await proveLedger({ db, clock, sign: () => '' })).ok).toBe(true);
  });

  test('a text that a fail-over forgot keeps no hold open: the sweep charges and gives back without its names', async () => {
    const db = await open();
    await giveWallet(db, 1, 10_000);
    const clock = new FakeClock(1_000_000);
    const ledger = createLedger({ db, clock });
    await ledger.hold(holdOf('before', 1, 0, 100, { draft: note(7) }));
    // The standby that took over had not got it; this process knows it as stored.
    await db.transaction((tx) => tx.query.deleteFrom('hold_note').execute());
    await ledger.hold(holdOf('after', 1, 0, 100, { draft: note(11), floorCost: 5 }));
    await ledger.dispatch('after');
    expect(await notes(db)).toEqual([]);
    expect(await ledger.sweep(1120)).toBe(2);
    expect(await walletOf(db, 1)).toMatchObject({ available: 9_995, held: 0, used: 5 });
    const row = await db.read.selectFrom('log').selectAll().where('type', '=', 2).executeTakeFirstOrThrow();
    expect(row).toMatchObject({ request_id: 'after', user_id: 1, username: '', ip: '1.2.3.4', prompt_tokens: 11, quota: 5 });
    expect((await proveLedger({ db, clock, sign: () => '' })).ok).toBe(true);
  });

  test('a hold that was refused makes nobody believe that its text is there', async () => {
    const db = await open();
    await giveWallet(db, 1, 10);
    const ledger = createLedger({ db, clock: new FakeClock(1_000_000) });
    expect(await ledger.hold(holdOf('dear', 1, 0, 11, { draft: note(1) }))).toMatchObject({ ok: false });
    expect(await ledger.hold(holdOf('cheap', 1, 0, 10, { draft: note(1) }))).toEqual({ ok: true });
    expect(await notes(db)).toHaveLength(1);
  });
});

test('a text that is long known is sent again, so that its use is seen', () => {
  const book = createNoteBook();
  const first = book.send(note(1), 1_000);
  expect(first.content).toBe(text);
  book.stored(first, 1_000);
  expect(book.send(note(2), 1_000 + 11 * 3_600)).toEqual({ id: first.id, content: '' });
  const again = book.send(note(3), 1_000 + 12 * 3_600);
  expect(again).toEqual(first);
  book.stored(again, 1_000 + 12 * 3_600);
  expect(book.send(note(4), 1_000 + 13 * 3_600).content).toBe('');
});
