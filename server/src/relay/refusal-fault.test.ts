import { errorText } from '@tollgate/contract';
import { errorStatus, upstreamDialect } from '@tollgate/wire';
import { expect, test } from 'vitest';
import type { RouteChannel } from '../routing/index.ts';
import { toldOf } from './faults.ts';
import { refusalFault, retryAfterIn, retryAfterTold } from './refusal-fault.ts';

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

const nowMs = 1_795_000_000_000;

test.each([
  [{ 'retry-after': 'soon', 'x-ratelimit-reset': '9' }, 'soon'],
  [{ 'x-ratelimit-reset': '9' }, '9'],
  [{ 'x-ratelimit-reset': '1795000030' }, '30'],
  [{ 'x-ratelimit-reset': '1795000000500' }, '1'],
  [{ 'x-ratelimit-reset': '1794999999' }, '0'],
  [{ 'x-ratelimit-reset-requests': '6m0s', 'x-ratelimit-reset-tokens': '120ms' }, '360'],
  [{ 'x-ratelimit-reset-requests': '1h2m3.5s', 'x-ratelimit-remaining-requests': '0' }, '3724'],
  [
    {
      ...{ 'x-ratelimit-reset-requests': '8s', 'x-ratelimit-remaining-requests': '40' },
      ...{ 'x-ratelimit-reset-tokens': '20s', 'x-ratelimit-remaining-tokens': '0' },
    },
    '20',
  ],
  [{ 'x-ratelimit-reset': 'tomorrow' }, undefined],
  [{ 'x-ratelimit-reset': '1'.repeat(70) }, undefined],
  [{}, undefined],
])('a limit that is used up is waited for until it begins anew (F-19): %j', (headers, told) => {
  expect(retryAfterTold(429, headers, nowMs)).toBe(told);
  // Every answer tells of limits; only of a refusal for them they are the reason.
  expect(retryAfterTold(500, headers, nowMs)).toBe('retry-after' in headers ? told : undefined);
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
  expect(refusalFault(channelOf(1), { status: 400, error: dead }, 0)).toMatchObject({ allowsOtherKey: false, retryable: true });
});

test('a 400 that speaks of the account and not of the request is the account’s: another channel is asked, and the breaker hears of it', () => {
  const error = { message: 'Your credit balance is too low', type: 'invalid_request_error', param: null, code: null };
  const broke = refusalFault(channelOf(1), { status: 400, error }, 0, { keywords: 'Credit balance', saidByCaller: () => false });
  expect(broke).toMatchObject({ status: 400, retryable: true, allowsOtherKey: false, evidence: { class: 'quota', status: 400 } });
  const usual = refusalFault(channelOf(1), { status: 400, error }, 0, { keywords: 'Credit balance', saidByCaller: () => true });
  expect(usual).toMatchObject({ status: 400, retryable: false, evidence: { class: 'client' } });
  expect(broke.evidence?.byWords).toBe(true);
});

test.each([404, 413, 415, 422])('a %d quotes what it refuses: its words are no account’s', (status) => {
  const error = { message: "unknown: 'your credit balance is too low'", type: 'invalid_request_error', param: null, code: null };
  const rules = { keywords: 'credit balance', saidByCaller: () => false };
  expect(refusalFault(channelOf(14), { status, error }, 0, rules).evidence).toMatchObject({ class: 'client' });
});

test.each([
  ['pre_consume_token_quota_failed', 403, 'quota'],
  ['insufficient_user_quota', 400, 'quota'],
  ['model_price_error', 400, 'server'],
])('%s of an upstream gateway is its account’s, with %d as well: another channel is asked at once', (code, status, expected) => {
  const error = { message: 'no', type: 'new_api_error', param: null, code };
  const fault = refusalFault(channelOf(8), { status, error }, 0);
  expect(fault).toMatchObject({ retryable: true, evidence: { class: expected, code } });
  expect(fault.evidence?.byWords).toBeUndefined();
});

const xaiKey = 'Incorrect API key provided: xx***yz. You can obtain an API key from https://console.x.ai.';

test.each([
  ['xAI', 48, 400, xaiKey, 'bad_response_status_code', 'auth'],
  ['xAI', 48, 403, "Your newly created team doesn't have any credits or licenses yet.", null, 'quota'],
  ['Zhipu', 26, 429, 'in debt', '1113', 'quota'],
  ['Z.ai', 1113, 429, 'in debt', 1113, 'quota'],
  ['SiliconFlow', 40, 403, 'Sorry, your account balance is insufficient', 'bad_response_status_code', 'quota'],
  ['Novita', 1008, 403, 'not enough balance', null, 'quota'],
  ['Anthropic', 14, 400, 'Your credit balance is too low to access the Anthropic API.', null, 'quota'],
  [
    'Anthropic',
    14,
    400,
    'You have reached your specified API usage limits. You will regain access on 2026-12-01.',
    null,
    'quota',
  ],
  ['Anthropic', 14, 400, 'This organization has been disabled.', null, 'auth'],
  ['Anthropic', 14, 400, 'messages.0: Your credit balance is too low', null, 'client'],
  ['DashScope', 17, 400, 'Access denied, please make sure your account is in good standing.', null, 'quota'],
  ['Gemini', 24, 400, 'User location is not supported for the API use.', 400, 'server'],
  ['another vendor', 1005, 403, 'not enough balance', null, 'client'],
  ['xAI', 48, 400, 'no such tool: Incorrect API key provided', null, 'client'],
])('%s (%i) says with %i and words of its own whose fault it is: %s', (_, type, status, message, code, expected) => {
  const fault = refusalFault(channelOf(type), { status, error: { message, type: 'upstream_error', param: null, code } }, 0);
  expect(fault.evidence?.class).toBe(expected);
  expect(fault.retryable).toBe(status !== 400 || expected !== 'client');
  expect(fault.evidence?.byWords).toBeUndefined();
  expect(fault.allowsOtherKey).toBe(expected === 'auth' || status === 429);
  if (expected === 'auth') expect(fault.evidence?.code).toBe('invalid_api_key');
});

test.each([
  ['tencent-chat', 23, 200, { Response: { Error: { Code: 'FailedOperation.ResourcePackExhausted', Message: 'used up' } } }],
  ['tencent-chat', 23, 200, { Response: { Error: { Code: 'ResourceUnavailable.InArrears', Message: 'in debt' } } }],
  ['dify-chat', 37, 400, { code: 'provider_quota_exceeded', message: 'exhausted', status: 400 }],
])('%s (%i) tells an empty account with status %i: another channel is asked', (name, type, status, body) => {
  const error = upstreamDialect(name)?.readError(status, Buffer.from(JSON.stringify(body)));
  if (error === undefined) throw new Error('no such dialect');
  const fault = refusalFault(channelOf(type), { status: status === 200 ? errorStatus(error) : status, error }, 0);
  expect(fault).toMatchObject({ retryable: true, evidence: { class: 'quota' } });
});

test('an empty account of the upstream is never told as the caller’s own; what the operator maps its status to stays', () => {
  const error = { message: 'user quota is not enough', type: 'new_api_error', param: null, code: 'insufficient_user_quota' };
  const told = (channel: RouteChannel, status: number) => toldOf(refusalFault(channel, { status, error }, 0));
  const away = { code: 'upstream_unavailable', type: 'new_api_error', message: errorText('upstream_unavailable', {}) };
  expect(told(channelOf(8), 403)).toMatchObject({ ...away, status: 503 });
  expect(told({ ...channelOf(8), statusMapping: new Map([[403, 500]]) }, 403)).toMatchObject({ ...away, status: 500 });
  expect(told(channelOf(8), 429)).toMatchObject({ code: 'upstream_saturated', status: 429, retryAfterSeconds: 5 });
  const wrong = refusalFault(channelOf(8), { status: 400, error: { ...error, code: null } }, 0);
  expect(toldOf(wrong)).toBe(wrong);
});

test('a proxy that wants a login of ours is not told as one of the caller’s: clients show nothing of a 407', () => {
  const error = { message: 'Proxy Authentication Required', type: '', param: null, code: null };
  const fault = refusalFault(channelOf(1), { status: 407, error }, 0);
  expect(fault).toMatchObject({ status: 502, message: error.message, retryable: true });
  expect(fault.evidence).toMatchObject({ class: 'server', status: 407 });
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
