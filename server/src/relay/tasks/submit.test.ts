import { expect, onTestFinished, test, vi } from 'vitest';
import { plainPrice } from '../../../test/plain-price.ts';
import { LedgerUnavailable } from '../../billing/index.ts';
import type { KeyRecord } from '../../identity/index.ts';
import type { UpstreamClient } from '../../platform/http/client.ts';
import { DatabaseError } from '../../storage/errors.ts';
import type { RelayParts } from '../parts.ts';
import type { TaskOrder } from './order.ts';
import { submitTask } from './submit.ts';

const channel = {
  ...{ id: 5, type: 2, baseUrl: 'http://upstream', key: 'k', priority: 0, weight: 1, organization: '', other: '' },
  ...{ autoBan: false, setting: {}, headerOverride: {}, statusMapping: new Map() },
  keys: [{ id: 'k1', index: 0, secret: 'k', disabled: false }],
};
const ratios = new Map([['default', 1]]);
const options = { GroupRatio: ratios, UserUsableGroups: ratios, RetryTimes: 0, LogConsumeEnabled: true };
const price = { ...plainPrice, kind: 'call', callPriceNano: 100_000_000, quotaPerUnit: 500_000 };
const snapshot = { version: 1, options, channel: () => channel, prices: { lookup: () => price } };

/** A drawing whose upstream takes it at once. */
function submitted(tell: () => Promise<unknown>, own: object = {}) {
  const send: UpstreamClient['send'] = (_request, sink) => {
    queueMicrotask(() => {
      sink.head(200, {});
      sink.data(Buffer.from('{"code":1,"description":"ok","result":"drawn"}'));
      sink.end();
    });
    return { sent: true, abort: () => undefined, pause: () => undefined, resume: () => undefined };
  };
  const log = { warn: vi.fn(), error: vi.fn(), debug: vi.fn() };
  const parts = {
    ...{ snapshot: () => snapshot, limiter: { enter: () => undefined }, sign: () => 's', random: () => 0.5, turns: {}, log },
    ...{ clock: { nowMs: () => Date.now(), monotonicMs: () => performance.now() }, upstream: { send }, node: 'n' },
    watch: { health: { quiet: () => true, admission: () => 'in' }, began: () => undefined, succeeded: () => undefined },
    budget: { countCall: () => undefined },
    active: { add: () => undefined, remove: () => undefined },
    env: { HOLD_LEASE_SECONDS: 120, HOLD_CHECKPOINT_SECONDS: 5, TASK_POLL_SECONDS: 15 },
    ledger: { hold: async () => ({ ok: true }) },
    tasks: { begin: async (task: object) => ({ ...task, id: 1 }), tell },
    errorLog: { note: () => undefined },
    ...own,
  } as unknown as RelayParts;
  const user = { id: 7, username: 'u', group: 'default', setting: '' };
  const key = { tokenId: 3, tokenName: 't', group: '', user, modelLimits: undefined } as unknown as KeyRecord;
  const order = {
    ...{ platform: 'mj', action: 'IMAGINE', model: 'mj_imagine', input: {}, bytes: Buffer.from('{}'), mode: '' },
    build: () => ({ method: 'POST', path: '/mj/submit/imagine' }),
  } as unknown as TaskOrder;
  const arrival = { id: 'r', ip: '', startedMonotonicMs: 0 };
  return { log, task: submitTask(parts, arrival, { key, pinnedChannel: channel.id }, order) };
}

test('what an upstream has begun is not lost to a database that is out for some seconds', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const backMs = performance.now() + 3_000;
  const tell = vi.fn(async () => {
    if (performance.now() < backMs) throw new DatabaseError('unavailable', '', 'out');
    return { state: { status: 'SUBMITTED' } };
  });
  const { task } = submitted(tell);
  const outcome = task.catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await outcome).toMatchObject({ answer: { result: 'drawn' } });
  expect(tell).toHaveBeenLastCalledWith(
    expect.objectContaining({ holdId: 'r' }),
    expect.objectContaining({ kind: 'accepted', upstreamId: 'drawn' }),
    expect.objectContaining({ sentTo: expect.objectContaining({ channelId: channel.id }) }),
  );
});

test('should it be out for longer, the operator reads what goes on at the upstream for nobody', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { task, log } = submitted(() => Promise.reject(new DatabaseError('unavailable', '', 'out')));
  const outcome = task.catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await outcome).toBeInstanceOf(DatabaseError);
  expect(log.error).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ requestId: 'r', channel: channel.id, upstreamId: 'drawn' }),
    expect.anything(),
  );
});

test('what could not be held for takes no place under the limits, as no other call does', async () => {
  const pass = { claim: () => true, cancel: vi.fn(), leave: vi.fn() };
  const limiter = { enter: () => pass };
  const refused = [
    ['quota_not_enough', async () => ({ ok: false, reason: 'user', have: 0 })],
    ['billing_unavailable', () => Promise.reject(new LedgerUnavailable('out'))],
  ] as const;
  for (const [code, hold] of refused) {
    const tasks = { begin: async (task: object) => ({ ...task, id: 1 }), forget: async () => undefined };
    const { task } = submitted(async () => undefined, { limiter, tasks, ledger: { hold } });
    await expect(task).rejects.toMatchObject({ code });
  }
  expect([pass.cancel.mock.calls.length, pass.leave.mock.calls.length]).toEqual([2, 2]);
});
