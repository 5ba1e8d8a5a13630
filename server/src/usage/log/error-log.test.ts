import { describe, expect, test } from 'vitest';
import { onEachEngine } from '../../../test/engines.ts';
import { FakeClock } from '../../../test/fake-clock.ts';
import type { Log } from '../../platform/log.ts';
import type { Database } from '../../storage/database.ts';
import { DatabaseError } from '../../storage/errors.ts';
import { createErrorLog, type ErrorEntry } from './error-log.ts';

const warnings: unknown[] = [];
const log = { warn: (fields: unknown) => void warnings.push(fields) } as unknown as Log;
const entry: ErrorEntry = {
  ...{ userId: 7, username: 'alice', tokenId: 3, tokenName: 'work', model: 'gpt-4o', group: 'default', channelId: 5 },
  ...{ isStream: true, requestId: 'r1', ip: '1.2.3.4', durationMs: 2_600, status: 502, code: 'bad "code"' },
  ...{ message: 'x'.repeat(900), adminInfo: '{"use_channel":["5"]}' },
};

function create(db: Database, clock: FakeClock, enabled = () => true) {
  return createErrorLog({ db, clock, log, enabled });
}

onEachEngine((_name, open) => {
  describe('error rows', () => {
    const rows = (db: Database) => db.read.selectFrom('log').selectAll().orderBy('id').execute();

    test('a failed call leaves a row that charges nothing and says what its caller was told', async () => {
      const db = await open();
      const errors = create(db, new FakeClock(5_000_000));
      errors.note(entry);
      await errors.stop();
      const [row] = await rows(db);
      expect(row).toMatchObject({
        type: 5,
        quota: 0,
        created_at: 5000,
        user_id: 7,
        channel_id: 5,
        use_time: 3,
        is_stream: 1,
        receipt: '',
      });
      expect(row).toMatchObject({ request_id: 'r1', model_name: 'gpt-4o', content: 'x'.repeat(500) });
      expect(JSON.parse(row?.other ?? '')).toEqual({ error_code: 'bad "code"', status: 502, admin_info: { use_channel: ['5'] } });
    });

    test('who fails without end gets a few rows a minute and one that counts the rest', async () => {
      const db = await open();
      const clock = new FakeClock(5_000_000);
      const errors = create(db, clock);
      for (let call = 0; call < 5_000; call += 1) errors.note(entry);
      await errors.flush();
      expect(await rows(db)).toHaveLength(60);
      clock.advanceMs(60_000);
      await errors.flush();
      expect((await rows(db)).at(-1)).toMatchObject({
        type: 5,
        user_id: 7,
        content: '另有 4940 个错误未逐条记录',
        request_id: '',
      });
      for (let call = 0; call < 100; call += 1) errors.note(entry);
      await errors.stop();
      expect(await rows(db)).toHaveLength(61 + 6 + 1);
      expect((await rows(db)).at(-1)?.content).toContain('94');
    });

    test('whoever is forgotten because so many others fail is told of first', async () => {
      const db = await open();
      const errors = create(db, new FakeClock(5_000_000));
      for (let call = 0; call < 100; call += 1) errors.note(entry);
      await errors.flush();
      for (let others = 0; others < 10_000; others += 1_000) {
        for (let userId = 101; userId <= 1_100; userId += 1) errors.note({ ...entry, userId: others + userId });
        await errors.flush();
      }
      const own = (await rows(db)).filter(({ user_id }) => user_id === entry.userId);
      expect(own.map(({ content }) => content).filter((content) => content !== 'x'.repeat(500))).toEqual([
        '另有 40 个错误未逐条记录',
      ]);
      await errors.stop();
    });

    test('one user who fails takes no row from another', async () => {
      const db = await open();
      const errors = create(db, new FakeClock(5_000_000));
      for (let user = 1; user <= 30; user += 1) for (let call = 0; call < 100; call += 1) errors.note({ ...entry, userId: user });
      await errors.flush();
      expect((await rows(db)).length).toBe(30 * 60);
    });

    test('switched off, nothing is written; a database that is away costs rows and no call', async () => {
      const db = await open();
      const off = create(db, new FakeClock(0), () => false);
      off.note(entry);
      await off.stop();
      expect(await rows(db)).toEqual([]);
      const broken = create({ ...db, transaction: () => Promise.reject(new Error('away')) }, new FakeClock(0));
      broken.note(entry);
      await broken.stop();
      expect(warnings).toMatchObject([{ lost: 1 }]);
      warnings.length = 0;
    });

    test('rows of an outage wait for its end, two thousand of them, and are there once', async () => {
      const db = await open();
      let fault: DatabaseError | undefined = new DatabaseError('unavailable', '', 'away');
      const transaction: Database['transaction'] = (body, options) =>
        fault === undefined ? db.transaction(body, options) : Promise.reject(fault);
      const errors = create({ ...db, transaction }, new FakeClock(5_000_000));
      for (let userId = 1; userId <= 10; userId += 1) errors.note({ ...entry, userId });
      await errors.flush();
      for (let userId = 11; userId <= 2_100; userId += 1) errors.note({ ...entry, userId });
      await errors.flush();
      fault = undefined;
      await errors.flush();
      await errors.flush();
      expect((await rows(db)).map(({ user_id }) => user_id)).toEqual(Array.from({ length: 2_000 }, (_, index) => index + 1));
      expect(warnings).toMatchObject([{ err: { message: 'away' } }, { lost: 100 }]);
      warnings.length = 0;
      // These may be there, or not.
      fault = new DatabaseError('unknown', '', 'lost');
      errors.note({ ...entry, userId: 3_000 });
      await errors.flush();
      fault = new DatabaseError('full', '', 'full');
      errors.note({ ...entry, userId: 3_001 });
      await errors.stop();
      expect(warnings).toMatchObject([{ lost: 1 }, { err: { message: 'full' } }, { lost: 1 }]);
      expect(await rows(db)).toHaveLength(2_000);
      warnings.length = 0;
    });
  });
});
