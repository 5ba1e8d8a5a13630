import { expect, test } from 'vitest';
import type { RouteChannel } from '../routing/index.ts';
import { refusalFault, retryAfterIn } from './refusal-fault.ts';

const channelOf = (type: number) =>
  ({ type, key: 'secret-key', statusMapping: new Map<number, number>() }) as unknown as RouteChannel;
const google = channelOf(24);
const body = (retryDelay: unknown) =>
  Buffer.from(JSON.stringify({ error: { details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay }] } }));

test('the time to wait is read from the body where the vendor tells it there, and closes the channel for as long', () => {
  const retryAfter = retryAfterIn(body('34.074824224s'), google);
  expect(retryAfter).toBe('35');
  const error = { message: 'no', type: 'RESOURCE_EXHAUSTED', param: null, code: 429 };
  const fault = refusalFault(google, { status: 429, error, retryAfter }, 0);
  expect([fault.retryAfterSeconds, fault.evidence?.coolMs]).toEqual([35, 35_000]);
  expect(retryAfterIn(body('34s'), channelOf(1))).toBeUndefined();
});

test('the caller is told to wait for as long as the upstream said, however it said that, within bounds', () => {
  const error = { message: 'no', type: '', param: null, code: null };
  const nowMs = Date.UTC(2026, 10, 20, 12);
  const told = (retryAfter?: string) => refusalFault(channelOf(1), { status: 429, error, retryAfter }, nowMs).retryAfterSeconds;
  const said = [
    '7',
    '2.5',
    'Fri, 20 Nov 2026 12:00:40 GMT',
    '86400',
    '0',
    'Fri, 20 Nov 2026 11:00:00 GMT',
    '-1',
    'soon',
    undefined,
  ];
  expect(said.map(told)).toEqual([7, 3, 40, 60, 1, 1, 5, 5, 5]);
});

test.each(['', '34', '-1s', '1e9s', '99999999s', null, {}, []])('%j is no time to wait', (value) => {
  expect(retryAfterIn(body(value), google)).toBeUndefined();
});

test.each(['', '{', 'null', '[]', '[1]', '{"error":[]}', '{"error":{"details":{}}}'])('no body makes it throw: %s', (text) => {
  expect(retryAfterIn(Buffer.from(text), google)).toBeUndefined();
});

test('a dead key is one by its code where the vendor says so, whatever the status', () => {
  const dead = { message: 'no', type: 'INVALID_ARGUMENT', param: null, code: 'invalid_api_key' };
  expect(refusalFault(google, { status: 400, error: dead }, 0)).toMatchObject({ allowsOtherKey: true, retryable: true });
  expect(refusalFault(channelOf(1), { status: 400, error: dead }, 0)).toMatchObject({ allowsOtherKey: false, retryable: false });
});

test('a 400 that speaks of the account and not of the request is the account’s: another channel is asked, and the breaker hears of it', () => {
  const error = { message: 'Your credit balance is too low', type: 'invalid_request_error', param: null, code: null };
  const broke = refusalFault(channelOf(14), { status: 400, error }, 0, (message) => message.includes('credit balance'));
  expect(broke).toMatchObject({ status: 400, retryable: true, allowsOtherKey: false, evidence: { class: 'quota', status: 400 } });
  const usual = refusalFault(channelOf(14), { status: 400, error }, 0, () => false);
  expect(usual).toMatchObject({ status: 400, retryable: false, evidence: { class: 'client' } });
});

test('the key is told in no member of what an upstream refused with', () => {
  const error = { message: 'no: secret-key', type: 'bad secret-key', param: 'header secret-key', code: 'secret-key_revoked' };
  const { message, type, param, code } = refusalFault(channelOf(1), { status: 401, error }, 0);
  expect([message, type, param, code]).toEqual(['no: ***', 'bad ***', 'header ***', '***_revoked']);
});

test('nor any part of a key that is made of several, or that is echoed without its beginning', () => {
  const told = (key: string, message: string) => {
    const error = { message, type: '', param: null, code: null };
    return refusalFault({ ...channelOf(1), key }, { status: 401, error }, 0).message;
  };
  expect(told('AKIA12345678|secret-part|eu-west-1', 'secret-part of AKIA12345678 is wrong')).toBe('*** of *** is wrong');
  expect(told('sk-live-1:rest-of-it', 'no: sk-live-1:rest-of-it, live-1:rest-of-it')).toBe('no: ***, ***');
});
