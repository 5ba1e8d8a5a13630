import { expect, test, vi } from 'vitest';
import { FakeClock } from '../../test/fake-clock.ts';
import { plainPrice } from '../../test/plain-price.ts';
import type { Route, Target } from '../routing/index.ts';
import type { Asked, Outgoing } from './asked.ts';
import type { Call } from './call.ts';
import type { Caller } from './caller.ts';
import { OpenCall } from './open-call.ts';
import type { RelayParts } from './parts.ts';

/** What a caller who asked for a stream is written while nothing comes for 20 s. */
function writtenTo(protocol: string): string[] {
  const written: string[] = [];
  const caller = {
    ...{ gone: false, lastWriteMs: 0, onGone: () => undefined, startStream: (type = 'text/event-stream') => written.push(type) },
    write: (text: string) => written.push(text),
  } as unknown as Caller;
  const env = { STREAM_PING_SECONDS: 15, HOLD_LEASE_SECONDS: 120, HOLD_CHECKPOINT_SECONDS: 60 };
  const parts = { clock: new FakeClock(0), env } as unknown as RelayParts;
  const call = { isStream: true, snapshot: { options: {} } } as unknown as Call;
  const open = new OpenCall(parts, call, caller, { inquiry: { protocol } } as unknown as Asked, '{');
  open.tick(20_000);
  return written;
}

test('a silent stream of events is kept open by comments, which sound has no place for', () => {
  expect(writtenTo('openai-chat')).toEqual(['text/event-stream', ': PING\n\n']);
  expect(writtenTo('images')).toEqual(['text/event-stream', ': PING\n\n']);
  expect(writtenTo('speech')).toEqual([]);
});

test.each([
  ['has no room for its price', 49, true, false, []],
  ['has room for it', 50, true, true, [150]],
  ['cannot pay for it', 50, false, false, [150, 100]],
] as const)(
  'the backup pool is asked under what may still be spent: the caller %s',
  async (_who, room, canPay, isRaised, set) => {
    const reserved: number[] = [];
    let extended = 0;
    const ledger = {
      extend: async (_id: string, extra: number) => {
        extended += extra;
        return canPay;
      },
    };
    const caller = { gone: false, lastWriteMs: 0, onGone: () => undefined } as unknown as Caller;
    const call = {
      ...{
        id: 'c',
        key: { tokenId: 3, user: { id: 7 } },
        completionCap: 10,
        promptCeiling: 10,
        reach: { media: false, lasting: false },
      },
      price: { ...plainPrice, kind: 'call', callPriceNano: 1_000_000_000, quotaPerUnit: 100 },
      snapshot: { options: { PreConsumedQuota: 0 } },
      pass: { room: () => room, reserve: (quota: number) => reserved.push(quota) },
    } as unknown as Call;
    const parts = { clock: new FakeClock(0), ledger } as unknown as RelayParts;
    const open = new OpenCall(parts, call, caller, {} as unknown as Asked, '{');
    const pool: Route = { group: '', model: 'm', tiers: [], size: 0 };
    expect(await open.raise(1.5, pool)).toBe(isRaised);
    expect([reserved, extended]).toEqual([set, room < 50 ? 0 : 50]);
  },
);

test("how long the process itself stood still is nobody's time: an answer has as long as ever", async () => {
  const env = {
    UPSTREAM_TOTAL_TIMEOUT_MS: 60_000,
    STREAM_PING_SECONDS: 0,
    HOLD_LEASE_SECONDS: 900,
    HOLD_CHECKPOINT_SECONDS: 900,
  };
  const failed = vi.fn();
  const parts = {
    ...{ clock: new FakeClock(0), env, upstream: { send: () => ({ abort: () => undefined }) } },
    watch: { began: () => undefined, failed },
  } as unknown as RelayParts;
  const caller = { gone: false, onGone: () => undefined } as unknown as Caller;
  const options = { ModelFirstByteSeconds: new Map() };
  const call = { isStream: true, model: 'm', startedMonotonicMs: 0, snapshot: { options } } as unknown as Call;
  const open = new OpenCall(parts, call, caller, { inquiry: { protocol: 'openai-chat' } } as unknown as Asked, '{');
  const target = { channelId: 1, channel: { id: 1, setting: {} } } as unknown as Target;
  const result = open.attempt(target, {} as Outgoing);
  open.tick(100_000, 60_000);
  expect(failed).not.toHaveBeenCalled();
  open.tick(120_001, 0);
  expect(await result).toMatchObject({ kind: 'fault', fault: { code: 'upstream_timeout' } });
});
