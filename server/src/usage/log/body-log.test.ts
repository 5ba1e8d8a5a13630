import { describe, expect, test } from 'vitest';
import { cpuMs } from '../../../../wire/test/cpu-ms.ts';
import { onEachEngine } from '../../../test/engines.ts';
import { FakeClock } from '../../../test/fake-clock.ts';
import { insertLogs } from '../../../test/log-kit.ts';
import type { Log } from '../../platform/log.ts';
import type { Database } from '../../storage/database.ts';
import { DatabaseError } from '../../storage/errors.ts';
import { createBodyLog, type KeptBody } from './body-log.ts';
import { redactBody } from './redact-body.ts';

const warnings: unknown[] = [];
const log = { warn: (fields: unknown) => void warnings.push(fields) } as unknown as Log;
const admin = { id: 1, username: 'root', ip: '' };
const alice = { id: 7, username: 'alice', ip: '' };
const body: KeptBody = {
  ...{ requestId: 'r1', userId: 7, status: 200, truncated: false },
  request: Buffer.from('{"messages":[],"api_key":"sk-abcdefghijkl"}'),
  response: Buffer.from('你好'),
};

test('credentials, attachments and long blobs are not kept, words are', () => {
  const picture = `data:image/png;base64,${'A'.repeat(500)}`;
  const text = JSON.stringify({
    messages: [{ role: 'user', content: '请用 sk-abcdef0123456789 调用' }, { image_url: { url: picture } }],
    headers: { Authorization: 'Bearer abcdefghijklmnop', 'x-api-key': 'plain "quoted" secret', password: 'hunter2' },
    input_audio: { data: 'QUJD'.repeat(1000) },
    max_tokens: 5,
  });
  const kept = redactBody(text);
  for (const secret of ['abcdef0123456789', 'abcdefghijklmnop', 'quoted', 'hunter2', 'AAAA', 'QUJDQUJD'])
    expect(kept).not.toContain(secret);
  for (const word of [
    '请用',
    '调用',
    '"role":"user"',
    '"max_tokens":5',
    'data:image/png;base64,[500 characters]',
    '[4000 characters]',
  ]) {
    expect(kept).toContain(word);
  }
  expect(() => JSON.parse(kept)).not.toThrow();
});

test('a hostile body takes no time', () => {
  const startedMs = cpuMs();
  for (const unit of ['"api_key":"', 'sk-', '\\"', 'data:a/b;base64,', 'a-', 'password'.repeat(3), '"aaaaaaaa', '"password'])
    redactBody(unit.repeat(100_000 / unit.length));
  // Runs that are one character too short to be a blob.
  redactBody(`${'a'.repeat(999)} `.repeat(2_000));
  expect(cpuMs() - startedMs).toBeLessThan(5_000);
});

onEachEngine((_name, open) => {
  describe('kept bodies', () => {
    const create = (db: Database, clock = new FakeClock(5_000_000)) => createBodyLog({ db, clock, log, days: () => 7 });

    test('owner and administrators read them, others learn nothing, and a look at somebody else is on record', async () => {
      const db = await open();
      const bodies = create(db);
      await insertLogs(db, [
        { id: 1, user_id: 7, request_id: 'r1' },
        { id: 2, user_id: 8, request_id: 'r1' },
        { id: 3, user_id: 7 },
      ]);
      bodies.keep(body);
      bodies.keep(body);
      await bodies.flush();
      const kept = {
        request_id: 'r1',
        status: 200,
        request: '{"messages":[],"api_key":"***"}',
        response: '你好',
        truncated: false,
      };
      expect(await bodies.read(1, 7, alice)).toMatchObject(kept);
      expect(await db.read.selectFrom('audit').select('action').execute()).toEqual([]);
      expect(await bodies.read(1, undefined, admin)).toMatchObject(kept);
      const audit = await db.read.selectFrom('audit').select(['action', 'target', 'detail']).execute();
      expect(audit).toEqual([{ action: 'log.body', target: 'log:1', detail: '{"user_id":7,"request_id":"r1"}' }]);
      for (const [id, owner] of [
        [1, 8],
        [2, 8],
        [3, 7],
        [99, undefined],
      ] as const) {
        await expect(bodies.read(id, owner, admin)).rejects.toMatchObject({ code: 'log_body_missing' });
      }
      await bodies.stop();
    });

    test('they go when their time is over', async () => {
      const db = await open();
      const clock = new FakeClock(5_000_000);
      const bodies = create(db, clock);
      bodies.keep(body);
      await bodies.flush();
      clock.advanceMs(7 * 86_400_000);
      expect(await bodies.expire(50)).toBe(0);
      // A clock that is set months ahead may be set right again.
      clock.skewMs(100 * 86_400_000);
      expect(await bodies.expire(50)).toBe(0);
      clock.skewMs(-100 * 86_400_000);
      expect(await bodies.expire(50)).toBe(0);
      clock.advanceMs(1_000);
      expect(await bodies.expire(50)).toBe(1);
      expect(await db.read.selectFrom('log_body').select('id').execute()).toEqual([]);
      await bodies.stop();
    });

    test('they are redacted before the writer is asked for, since calls wait for it', async () => {
      const db = await open();
      let isWriting = false;
      const seen: boolean[] = [];
      const watched: Database = {
        ...db,
        transaction: (body, options) =>
          db.transaction(async (tx) => {
            isWriting = true;
            return body(tx).finally(() => {
              isWriting = false;
            });
          }, options),
      };
      const bodies = create(watched);
      const request = Object.assign(Buffer.from('x'), { toString: () => `x${seen.push(isWriting)}` });
      for (const requestId of ['r1', 'r2']) bodies.keep({ ...body, requestId, request });
      await bodies.stop();
      expect(seen).toEqual([false, false]);
      expect(await db.read.selectFrom('log_body').select('request').execute()).toEqual([{ request: 'x1' }, { request: 'x2' }]);
    });

    test('the end waits for a database that does not answer once, whatever waits', async () => {
      let asked = 0;
      const away = async () => {
        asked += 1;
        throw new DatabaseError('unavailable', '', 'The database did not answer in time');
      };
      const bodies = create({ ...(await open()), transaction: away });
      for (let index = 0; index < 100; index += 1) bodies.keep({ ...body, requestId: `r${index}` });
      await bodies.stop();
      expect(asked).toBe(1);
      expect(warnings.slice(-1)).toEqual([{ lost: 84 }]);
      warnings.length = 0;
    });

    test('what the database cannot take in time is dropped and counted, never held without end', async () => {
      const db = await open();
      const bodies = create(db);
      const big = Buffer.alloc(1024 * 1024, 'a ');
      for (let index = 0; index < 40; index += 1)
        bodies.keep({ ...body, requestId: `r${index}`, request: big, response: Buffer.alloc(0) });
      await bodies.stop();
      expect(warnings).toEqual([{ lost: 8 }]);
      warnings.length = 0;
    });
  });
});
