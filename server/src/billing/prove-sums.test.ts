import type { KyselyPlugin } from 'kysely';
import { describe, expect, test } from 'vitest';
import { unlockTable } from '../../test/append-only.ts';
import { onEachEngine } from '../../test/engines.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import { draftOf, giveWallet, grant, holdOf } from '../../test/ledger-kit.ts';
import type { Database, Transaction } from '../storage/database.ts';
import { transfer } from './accounts.ts';
import { createLedger } from './ledger.ts';
import { proveSums, sumChecks } from './prove-sums.ts';

const clock = new FakeClock(1_000_000);
const users = [1, 2, 3];
const callsEach = 12;
/** One statement for all of it; windows of several rows; of one. */
const windows = [50_000, 5, 1];

async function call(ledger: ReturnType<typeof createLedger>, userId: number, id: string): Promise<void> {
  await ledger.hold(holdOf(id, userId, 0, 50));
  await ledger.settle({ id, cost: 30, now: 1001, draft: draftOf(id, userId, 0) });
}

/** Three users who called in turn, and an agent's cents. */
async function tellStory(db: Database): Promise<void> {
  const ledger = createLedger({ db, clock });
  for (const userId of users) await giveWallet(db, userId, 1000);
  for (let index = 0; index < callsEach; index += 1) {
    for (const userId of users) await call(ledger, userId, `call-${userId}-${index}`);
  }
  const accounts = { from_account: 'dividend', to_account: 'agent:1', unit: 'cent', kind: 'dividend' };
  const rest = { amount: 7, ref: 'dividend:1', user_id: 1, actor_id: 0, created_at: 1, note: '' };
  await db.transaction((tx) =>
    tx.query
      .insertInto('transfer')
      .values({ ...accounts, ...rest })
      .execute(),
  );
  await unlockTable(db, 'transfer');
}

const change =
  (ref: string, to: { amount?: number; user_id?: number; from_account?: string; unit?: string }) => (tx: Transaction) =>
    tx.query.updateTable('transfer').set(to).where('ref', '=', ref).execute();

interface Fault {
  readonly what: string;
  plant(tx: Transaction): Promise<unknown>;
  /** By check, as the page tells it. */
  readonly told: readonly string[];
}

const faults: readonly Fault[] = [
  {
    what: 'a wallet that has more than came',
    plant: (tx) => tx.query.updateTable('wallet').set({ available: 700 }).where('user_id', '=', 2).execute(),
    told: ['wallet_equals_transfers user:2 700/640'],
  },
  {
    what: 'an old charge that was changed',
    plant: change('call-3-0', { amount: 31 }),
    told: ['used_equals_revenue user:3 360/361', 'wallet_equals_transfers user:3 640/639'],
  },
  {
    what: 'the newest charge that was changed',
    plant: change('call-1-11', { amount: 29 }),
    told: ['used_equals_revenue user:1 360/359', 'wallet_equals_transfers user:1 640/641'],
  },
  {
    what: 'an old row of the log that is gone',
    plant: (tx) => tx.query.deleteFrom('log').where('request_id', '=', 'call-2-1').execute(),
    told: ['used_equals_log user:2 360/330'],
  },
  {
    what: 'a charge of somebody who is not there',
    plant: change('call-1-3', { user_id: 9, from_account: 'user:9' }),
    told: ['transfers_have_wallets call-1-3 0/1', 'used_equals_revenue user:1 360/330', 'wallet_equals_transfers user:1 640/670'],
  },
  {
    what: 'an account that moves cents as well',
    plant: change('dividend:1', { from_account: 'user:3' }),
    told: ['accounts_have_one_unit user:3 2/1'],
  },
];

/** The same database; `each` runs after each of its reading statements. */
function beside(db: Database, each: () => Promise<void>): Database {
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      await each();
      return result;
    },
  };
  return { ...db, read: db.read.withPlugin(plugin) };
}

onEachEngine((_name, open) => {
  describe('the sums of the proof', () => {
    test('of a difference the checks that compare it turn red and name it, however the ledger is cut into windows', async () => {
      const db = await open();
      await tellStory(db);
      /** What each cut finds, one after the other: a transaction has one connection. */
      const reds = async (reader: Parameters<typeof proveSums>[0]) => {
        const found: string[][] = [];
        for (const rows of windows) {
          const differences = [...(await proveSums(reader, rows))];
          found.push(differences.map(([check, { what, expected, found: has }]) => `${check} ${what} ${has}/${expected}`).sort());
        }
        return found;
      };
      const none = windows.map(() => []);
      expect(await reds(db)).toEqual(none);
      for (const { what, plant, told } of faults) {
        const undo = new Error('put back');
        const planted = db.transaction(async (tx) => {
          await plant(tx);
          expect({ what, reds: await reds({ read: tx.query }) }).toEqual({ what, reds: windows.map(() => told) });
          throw undo;
        });
        await expect(planted).rejects.toBe(undo);
      }
      expect(await reds(db)).toEqual(none);
      expect(new Set(faults.flatMap((fault) => fault.told.map((text) => text.split(' ')[0])))).toEqual(
        new Set(sumChecks.map(({ name }) => name)),
      );
    });

    test('what came to a balance and went again may add up beyond the exact whole numbers', async () => {
      const db = await open();
      const amount = 3_000_000_000_000_001;
      await giveWallet(db, 1, 1);
      const move = (from: string, to: string, ref: string) =>
        db.transaction((tx) => tx.perform(transfer({ ...grant(1, amount, ref), from, to })));
      for (const [index, away] of ['adjust', 'payment', 'adjust', 'payment', 'adjust'].entries()) {
        await move('grant', 'user:1', `in:${index}`);
        await move('user:1', away, `out:${index}`);
      }
      for (const rows of windows) expect(await proveSums(db, rows)).toEqual(new Map());
      await unlockTable(db, 'transfer');
      await db.transaction(change('out:0', { amount: amount - 1 }));
      for (const rows of windows) {
        const difference = { what: 'user:1', expected: 2n, found: 1n };
        expect(await proveSums(db, rows)).toEqual(new Map([['wallet_equals_transfers', difference]]));
      }
    });

    test('calls go on meanwhile, and none of them is a difference', async () => {
      const db = await open();
      await tellStory(db);
      const ledger = createLedger({ db, clock });
      let calls = 0;
      const busy = beside(db, () => call(ledger, users[calls % 3] ?? 1, `more-${calls++}`));
      expect(await proveSums(busy, 4)).toEqual(new Map());
      expect(calls).toBeGreaterThan(10);
    });

    test('a row of the log that is cleaned away between two windows is no difference; one that was lost is', async () => {
      const db = await open();
      await tellStory(db);
      const clean = async (id: string) =>
        db.transaction(async (tx) => {
          const rows = await tx.query.deleteFrom('log').where('request_id', '=', id).returning(['user_id', 'quota']).execute();
          for (const row of rows) {
            const fresh = { ...row, prompt_tokens: 0, completion_tokens: 0, row_count: 1, last_at: 1 };
            await tx.query
              .insertInto('log_compaction')
              .values(fresh)
              .onConflict((conflict) =>
                conflict.column('user_id').doUpdateSet((set) => ({
                  quota: set('log_compaction.quota', '+', row.quota),
                  row_count: set('log_compaction.row_count', '+', 1),
                })),
              )
              .execute();
          }
        });
      const cleaning = (ids: string[]) => {
        let statements = 0;
        return beside(db, async () => {
          statements += 1;
          if (statements % 8 === 0) await clean(ids.shift() ?? '');
        });
      };
      const few = ['call-2-1', 'call-2-2', 'call-2-3'];
      expect(await proveSums(cleaning(few), 5)).toEqual(new Map());
      expect(few).toEqual([]);
      await db.transaction((tx) => tx.query.deleteFrom('log').where('request_id', '=', 'call-2-7').execute());
      expect([...(await proveSums(cleaning(['call-2-4']), 5)).keys()]).toEqual(['used_equals_log']);
      const many = users.flatMap((userId) => Array.from({ length: callsEach }, (_, index) => `call-${userId}-${index}`));
      await expect(proveSums(cleaning(many.filter((id) => !id.startsWith('call-2'))), 5)).rejects.toMatchObject({ kind: 'busy' });
    });
  });
});
