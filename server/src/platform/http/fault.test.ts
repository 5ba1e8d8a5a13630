import { expect, test } from 'vitest';
import { faultOf } from './fault.ts';

test('a fault of a socket says what it is once', () => {
  const fault = (code: string, message: string) => faultOf(Object.assign(new Error(message), { code }));
  expect(fault('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:1').message).toBe('connect ECONNREFUSED 127.0.0.1:1');
  expect(fault('ENOTFOUND', 'no address of a.example').message).toBe('ENOTFOUND no address of a.example');
  expect(fault('ECONNREFUSED', '')).toMatchObject({ kind: 'connect', message: 'ECONNREFUSED' });
});
