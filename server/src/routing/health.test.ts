import { expect, test, vi } from 'vitest';
import { createLocalHealth } from './health.ts';
import { classifyRefusal, coolDownMs, type ErrorClass, type FailureEvidence } from './health-classes.ts';
import { disableReason } from './health-verdict.ts';
import { downModels } from './health-watch.ts';

const subject = { channelId: 1, keyId: 'key', keyIndex: 0, model: 'm' };

function evidence(errorClass: ErrorClass, more: Partial<FailureEvidence> = {}): FailureEvidence {
  return { class: errorClass, status: 500, code: '', type: '', message: '', coolMs: undefined, ...more };
}

function kit() {
  let nowMs = 0;
  const onChange = vi.fn();
  const health = createLocalHealth({ monotonicMs: () => nowMs, random: () => 0, onChange });
  const admission = (model = 'm', keyId = 'key') => health.admission(1, keyId, model);
  return { health, onChange, admission, wait: (ms: number) => (nowMs += ms) };
}

test.each(['client', 'local'] as const)('%s errors are no evidence, however many', (errorClass) => {
  const { health, admission } = kit();
  for (let i = 0; i < 1_000; i++) health.failed(subject, evidence(errorClass));
  expect(admission()).toBe('in');
  expect(health.quiet()).toBe(true);
});

test.each(['server', 'network', 'content', 'rate'] as const)('%s failures close one model of one key only', (errorClass) => {
  const { health, admission } = kit();
  for (let i = 0; i < 5; i++) health.failed(subject, evidence(errorClass));
  expect([admission(), admission('other'), admission('m', 'other key')]).toEqual(['out', 'in', 'in']);
});

test.each(['auth', 'quota'] as const)('%s failures close a key for every model', (errorClass) => {
  const { health, admission } = kit();
  health.failed(subject, evidence(errorClass));
  expect([admission(), admission('other'), admission('m', 'other key')]).toEqual(['out', 'out', 'in']);
});

test('beyond the bound new trouble waits for room, and is not looked for room anew at every failure', () => {
  const { health, wait } = kit();
  const fail = (channelId: number, model: string) => health.failed({ ...subject, channelId, model }, evidence('network'));
  for (let channel = 0; channel < 1_000; channel++) for (let model = 0; model < 50; model++) fail(channel, `m${model}`);
  const looks = vi.spyOn(Map.prototype, Symbol.iterator);
  for (let i = 0; i < 100; i++) fail(5_000, `m${i}`);
  expect(looks.mock.calls.length).toBeLessThan(2_000);
  looks.mockRestore();
  expect(health.view(5_000)).toHaveLength(0);
  wait(61_000);
  fail(5_000, 'm');
  expect(health.view(5_000)).toHaveLength(1);
});

test('one probe at a time; a request that the upstream judged shows that it is alive', () => {
  const { health, admission, wait } = kit();
  for (let i = 0; i < 5; i++) health.failed(subject, evidence('server'));
  expect(health.begin(subject)).toBe(false);
  wait(2_000);
  expect(admission()).toBe('probe');
  expect([health.begin(subject), health.begin(subject)]).toEqual([true, false]);
  health.failed(subject, evidence('client', { status: 400 }));
  expect(admission()).toBe('in');
});

test('the beginning of an answer ends a probe, and is neither a success nor the end of a row of failures', () => {
  const { health, admission, wait } = kit();
  const stream = (isWhole: boolean) => {
    health.begin(subject);
    health.alive(subject);
    if (isWhole) health.succeeded(subject);
    else health.failed(subject, evidence('network'));
  };
  for (let i = 0; i < 5; i++) {
    stream(false);
    if (i < 4) stream(true);
  }
  expect(admission()).toBe('out');
  // Of a call that was running when it opened.
  health.alive(subject);
  expect(admission()).toBe('out');
  wait(2_000);
  health.begin(subject);
  health.alive(subject);
  expect(admission()).toBe('in');
  for (let i = 0; i < 20; i++) health.succeeded(subject);
  for (let i = 0; i < 8; i++) stream(false);
  expect(admission()).toBe('out');
});

test('a probe that ends in a fault of our own leaves the next call to try', () => {
  const { health, admission, wait } = kit();
  for (let i = 0; i < 5; i++) health.failed(subject, evidence('server'));
  wait(2_000);
  health.begin(subject);
  expect(admission()).toBe('out');
  health.failed(subject, evidence('local'));
  expect(admission()).toBe('probe');
});

test('every opening and closing is told of once', () => {
  const { health, onChange, wait } = kit();
  for (let i = 0; i < 50; i++) health.failed(subject, evidence('server'));
  wait(2_000);
  health.begin(subject);
  health.succeeded(subject);
  health.succeeded(subject);
  expect(onChange.mock.calls.map(([{ from, to }]) => `${from} ${to}`)).toEqual([
    'closed open',
    'open half-open',
    'half-open closed',
  ]);
});

test('what is forgotten starts afresh; what was never known costs nothing', () => {
  const { health, admission, wait } = kit();
  health.succeeded(subject);
  expect(health.quiet()).toBe(true);
  for (let i = 0; i < 5; i++) health.failed(subject, evidence('server'));
  health.forget(1);
  expect([admission(), health.quiet()]).toEqual(['in', true]);
  health.failed(subject, evidence('server'));
  wait(120_000);
  health.succeeded(subject);
  expect(health.quiet()).toBe(true);
});

test('a channel is down when no key of its own is left for a model, not when one of several is away or was replaced', () => {
  const { health } = kit();
  const channel = (...ids: string[]) => ({
    id: 1,
    keys: ids.map((id, index) => ({ id, index, secret: id, disabled: id === 'off' })),
  });
  const fails = (keyId: string, errorClass: ErrorClass) => {
    for (let i = 0; i < 5; i++) health.failed({ ...subject, keyId, model: 'm' }, evidence(errorClass));
  };
  expect(downModels(health, channel('key'))).toEqual([]);
  fails('key', 'quota');
  expect(downModels(health, channel('key'))).toEqual(['']);
  expect(downModels(health, channel('new'))).toEqual([]);
  expect(downModels(health, channel('key', 'other'))).toEqual([]);
  expect(downModels(health, channel('key', 'off'))).toEqual(['']);
  fails('other', 'server');
  expect(downModels(health, channel('key', 'other'))).toEqual(['m']);
});

test('a breaker that nobody asks any more is not shown as open for ever; who comes back finds out as with any other', () => {
  const { health, onChange, admission, wait } = kit();
  const shown = () => health.view(1).map(({ phase }) => phase);
  health.failed(subject, evidence('quota'));
  wait(2_000 + 60_000);
  expect([shown(), health.openCount()]).toEqual([['open'], 1]);
  wait(240_001);
  expect([shown(), health.openCount(), admission()]).toEqual([[], 0, 'probe']);
  health.begin(subject);
  expect([shown(), health.openCount()]).toEqual([['half-open'], 1]);
  wait(400_000);
  expect([shown(), health.openCount()]).toEqual([[], 0]);
  health.succeeded(subject);
  expect(onChange.mock.lastCall?.[0]).toMatchObject({ from: 'half-open', to: 'closed' });
});

test.each<[number, string, string, ErrorClass]>([
  [400, '', 'invalid_request_error', 'client'],
  [403, '', '', 'client'],
  [404, 'model_not_found', '', 'client'],
  [413, '', '', 'client'],
  [422, '', '', 'client'],
  [400, 'invalid_api_key', '', 'auth'],
  [401, '', '', 'auth'],
  [403, '', 'permission_error', 'auth'],
  [402, '', '', 'quota'],
  [403, 'insufficient_user_quota', 'new_api_error', 'quota'],
  [403, 'pre_consume_token_quota_failed', 'new_api_error', 'quota'],
  [400, 'billing_hard_limit_reached', 'invalid_request_error', 'quota'],
  [400, 'Arrearage', 'Arrearage', 'quota'],
  [403, 'AccountOverdueError', 'Forbidden', 'quota'],
  [429, '', 'exceeded_current_quota_error', 'quota'],
  [400, 'model_price_error', 'new_api_error', 'server'],
  [429, '', 'insufficient_quota', 'quota'],
  [429, '', '', 'rate'],
  [529, '', '', 'rate'],
  [500, '', '', 'server'],
  [504, '', '', 'server'],
  [407, '', '', 'server'],
  [408, '', '', 'server'],
  [302, '', '', 'server'],
  [200, '', '', 'content'],
])('%d %s %s is %s', (status, code, type, expected) => {
  expect(classifyRefusal(status, code, type)).toBe(expected);
});

const wallMs = Date.parse('2030-01-01T00:00:00Z');
test.each<[number, string | undefined, number | undefined]>([
  [429, '2', 2_000],
  [429, '0', 0],
  [429, '86400', 600_000],
  [429, '-1', 5_000],
  [429, 'soon', 5_000],
  [429, undefined, 5_000],
  [429, '9'.repeat(10_240), 5_000],
  [429, 'Tue, 01 Jan 2030 00:01:00 GMT', 60_000],
  [429, 'Mon, 31 Dec 2029 23:00:00 GMT', 0],
  [503, '3', 3_000],
  [503, undefined, undefined],
  [500, '3', undefined],
])('a %d with Retry-After %s rests for %s ms', (status, header, expected) => {
  expect(coolDownMs(status, header, wallMs)).toBe(expected);
});

const rules = { enabled: true, autoBan: true, keywords: 'Your credit balance is too low\n', saidByCaller: () => false };

test('only structured evidence switches a channel off', () => {
  const reason = (more: Partial<FailureEvidence>, with_ = rules) => disableReason(evidence('client', more), with_);
  expect(reason({ status: 401, message: 'bad key' })).toBe('bad key');
  expect(reason({ status: 400, code: 'account_deactivated', message: 'gone' })).toBe('gone');
  expect(reason({ status: 429, type: 'insufficient_quota', message: 'empty' })).toBe('empty');
  expect(reason({ status: 400, message: 'YOUR CREDIT BALANCE IS TOO LOW.' })).toBeDefined();
  for (const status of [400, 403, 404, 422, 429, 500, 503]) expect(reason({ status, message: 'no' })).toBeUndefined();
  expect(reason({ status: 403, message: 'no' }, { ...rules, keyRefusals: [403] } as typeof rules)).toBe('no');
});

test('an option, a channel or the silence of the network switches nothing off', () => {
  const dead = evidence('auth', { status: 401 });
  expect(disableReason(dead, { ...rules, enabled: false })).toBeUndefined();
  expect(disableReason(dead, { ...rules, autoBan: false })).toBeUndefined();
  expect(disableReason(evidence('network', { status: 0, code: 'timeout' }), rules)).toBeUndefined();
});

test('a phrase that the caller sent and the upstream quotes is no evidence', () => {
  const quoted = evidence('client', { status: 400, message: 'cannot parse: your credit balance is too low' });
  expect(disableReason(quoted, { ...rules, saidByCaller: (text) => text === 'your credit balance is too low' })).toBeUndefined();
});
