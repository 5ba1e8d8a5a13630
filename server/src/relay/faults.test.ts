import { expect, test } from 'vitest';
import { PublicError } from '../platform/errors.ts';
import { DatabaseError, type DatabaseErrorKind } from '../storage/errors.ts';
import { faultOf, localFault } from './faults.ts';
import { insufficient } from './reserve.ts';

test('a database that is out, as when a key is looked up, asks to come again; a defect does not', () => {
  const told = (kind: DatabaseErrorKind) => faultOf(new DatabaseError(kind, '', 'no matter')).code;
  for (const kind of ['busy', 'unavailable', 'full', 'unknown'] as const) expect(told(kind)).toBe('billing_unavailable');
  for (const kind of ['unique', 'constraint', 'other'] as const) expect(told(kind)).toBe('internal_error');
  expect(faultOf(new TypeError('x of undefined')).code).toBe('internal_error');
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
