import { expect, test } from 'vitest';
import { PublicError } from '../platform/errors.ts';
import { DatabaseError, type DatabaseErrorKind } from '../storage/errors.ts';
import { faultOf, localFault } from './faults.ts';

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
