import { expect, test } from 'vitest';
import { LedgerUnavailable } from '../billing/index.ts';
import { PublicError } from '../platform/errors.ts';
import type { Answer, ServedRequest } from '../platform/http/served.ts';
import { DatabaseError, type DatabaseErrorKind } from '../storage/errors.ts';
import type { ErrorEntry } from '../usage/index.ts';
import type { Authenticated } from './authenticate.ts';
import type { Arrival } from './call.ts';
import { noteRefusal } from './error-rows.ts';
import { faultOf, localFault, type RelayFault } from './faults.ts';
import type { RelayParts } from './parts.ts';
import { createRelay } from './pipeline.ts';
import { insufficient } from './reserve.ts';

test('a database that is out, as when a key is looked up, asks to come again; a defect does not', () => {
  const told = (kind: DatabaseErrorKind) => faultOf(new DatabaseError(kind, '', 'no matter')).code;
  for (const kind of ['busy', 'unavailable', 'full', 'unknown'] as const) expect(told(kind)).toBe('billing_unavailable');
  for (const kind of ['unique', 'constraint', 'other'] as const) expect(told(kind)).toBe('internal_error');
  expect(faultOf(new TypeError('x of undefined')).code).toBe('internal_error');
});

test('a call that the ledger refuses leaves its error row, with what was behind it for administrators; a defect keeps its words', () => {
  const rows: ErrorEntry[] = [];
  const parts = {
    errorLog: { note: (row: ErrorEntry) => rows.push(row) },
    clock: { monotonicMs: () => 5 },
  } as unknown as RelayParts;
  const who = {
    key: { user: { id: 1, username: 'u', group: 'default' }, tokenId: 2, tokenName: 't', group: '' },
  } as Authenticated;
  const full = new DatabaseError('full', 'SQLITE_FULL', 'database or disk is full');
  for (const error of [new LedgerUnavailable('The database is out', full), new TypeError('private'), undefined])
    noteRefusal(parts, { id: 'a', ip: '', startedMonotonicMs: 0 } as Arrival, who, 'm', error);
  expect(rows).toMatchObject([
    {
      code: 'billing_unavailable',
      status: 503,
      userId: 1,
      model: 'm',
      adminInfo: expect.stringContaining(`(The database is out: ${full.message})`),
    },
    { code: 'internal_error', adminInfo: '{"use_channel":[]}' },
  ]);
});

test('a call whose key cannot be looked up is counted as failed, one whose key is wrong is nobody’s failure', async () => {
  const counted: string[] = [];
  const ask = (lookup: () => Promise<undefined>) =>
    new Promise<number>((resolve) => {
      const parts = {
        keyring: { lookup },
        clock: { monotonicMs: () => 5, nowMs: () => 5_000 },
        clientIp: () => '',
        bodies: { leave: () => undefined },
        onUnknownFailed: ({ code, status }: RelayFault) => counted.push(`${code} ${status}`),
      } as unknown as RelayParts;
      const request = {
        method: 'GET',
        url: '/v1/models',
        headers: { authorization: 'Bearer sk-a' },
        leaveUnread: () => undefined,
      };
      createRelay(parts)(request as unknown as ServedRequest, { onGone: () => undefined, whole: resolve } as unknown as Answer);
    });
  expect(await ask(() => Promise.reject(new DatabaseError('unavailable', '', 'away')))).toBe(503);
  expect(await ask(() => Promise.resolve(undefined))).toBe(401);
  expect(counted).toEqual(['billing_unavailable 503']);
});

test('what has a code keeps it, and when to come again', () => {
  const fault = localFault('token_expired');
  expect(faultOf(fault)).toBe(fault);
  expect(faultOf(new PublicError('overloaded', {}, 7))).toMatchObject({ code: 'overloaded', status: 503, retryAfterSeconds: 7 });
});

test('an empty wallet and a missing price have one code each, whoever is told (contract 6.2, 7.4)', () => {
  expect(localFault('user_quota_empty')).toMatchObject({
    ...{ status: 403, code: 'insufficient_user_quota', message: 'user quota is not enough' },
  });
  const root = localFault('model_price_error_root', { model: 'm' });
  expect(root).toMatchObject({ status: 500, code: 'model_price_error' });
  expect(root.message).not.toBe(localFault('model_price_error', { model: 'm' }).message);
  expect(localFault('user_quota_empty', {}, { codeless: true }).code).toBe('');
});

test('who cannot pay is told for what: a conversation, or pictures (contract 6.14, 7.4)', () => {
  const options = { DisplayInCurrencyEnabled: true, QuotaPerUnit: 500_000 };
  const call = { key: {}, snapshot: { options } } as Parameters<typeof insufficient>[0];
  const told = (more: object) => insufficient({ ...call, ...more }, { ok: false, reason: 'user', have: 5 }, 20_000);
  const figures = 'pre-consumed quota failed, user quota: ＄0.000010, need quota: ＄0.040000';
  expect(told({})).toMatchObject({ status: 403, code: 'insufficient_user_quota', message: `chat ${figures}` });
  expect(told({ picture: { size: '1024x1024', quality: 'hd', count: 1 } })).toMatchObject({ message: `image ${figures}` });
});
