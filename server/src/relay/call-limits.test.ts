import { type CallLimits, neutralPolicy, readCallLimits, type TokenPolicy } from '@tollgate/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FakeClock } from '../../test/fake-clock.ts';
import type { KeyRecord } from '../identity/index.ts';
import type { Options } from '../settings/index.ts';
import { type CallLimiter, createCallLimiter, mostConversations, type Pass } from './call-limits.ts';
import { RelayFault } from './faults.ts';
import type { Spent } from './spending.ts';

const options = { GroupLimits: {}, ModelRequestRateLimitEnabled: false } as unknown as Options;

function keyWith(policy: Partial<TokenPolicy>, limits?: Partial<CallLimits>): KeyRecord {
  const user = { id: 7, username: 'u', role: 1, status: 1, group: 'default', setting: '' };
  return {
    ...{ tokenId: 3, tokenName: 't', status: 1, expiredAt: -1, unlimitedQuota: true, masked: '', group: '' },
    ...{ modelLimits: undefined, allowIps: undefined, denyIps: undefined, endsAt: undefined },
    policy: { ...neutralPolicy, ...policy },
    user: { ...user, limits: limits === undefined ? undefined : { ...readCallLimits(''), ...limits } },
  };
}

function limiterAt(clock: FakeClock, spent: Partial<Spent> = {}): CallLimiter {
  const book: Spent = { day: 0, month: 0, held: 0, reserve: () => undefined, settle: () => undefined, ...spent };
  return createCallLimiter({ clock, spending: { of: () => book } });
}

let calls = 0;
async function enter(
  limiter: CallLimiter,
  key: KeyRecord,
  tokens = 10,
  under: Options = options,
): Promise<Pass | number | undefined> {
  try {
    calls += 1;
    return await limiter.enter({ callId: `c${calls}`, key, options: under, tokens });
  } catch (error) {
    if (error instanceof RelayFault && error.status === 429) return error.retryAfterSeconds ?? 0;
    throw error;
  }
}

test('a key without limits costs no place and no promise', () => {
  const limiter = limiterAt(new FakeClock(0));
  expect(limiter.enter({ callId: 'c', key: keyWith({}), options, tokens: 5 })).toBeUndefined();
});

test('tokens are counted by estimate first and as they were used in the end', async () => {
  const clock = new FakeClock(1_000_000);
  const limiter = limiterAt(clock);
  const key = keyWith({ tpm: 100 });
  const first = (await enter(limiter, key, 40)) as Pass;
  first.settle(90, 1);
  expect(await enter(limiter, key, 20)).toBeTypeOf('number');
  expect(await enter(limiter, key, 10)).toBeTypeOf('object');
  clock.advanceMs(61_000);
  expect(await enter(limiter, key, 500)).toBeTypeOf('object');
});

test('a call that took fewer tokens than expected gives back nothing of later calls once its own minute has passed', async () => {
  const clock = new FakeClock(0);
  const limiter = limiterAt(clock);
  const key = keyWith({ tpm: 100 });
  const long = (await enter(limiter, key, 40)) as Pass;
  clock.advanceMs(70_000);
  expect(await enter(limiter, key, 60)).toBeTypeOf('object');
  long.settle(5, 1);
  expect(await enter(limiter, key, 70)).toBeTypeOf('number');
  expect(await enter(limiter, key, 40)).toBeTypeOf('object');
});

test('F-28: a clock that is set back or ahead neither freezes a window nor empties it', async () => {
  const clock = new FakeClock(10_000_000);
  const limiter = limiterAt(clock);
  const key = keyWith({ rpm: 1 });
  expect(await enter(limiter, key)).toBeTypeOf('object');
  clock.skewMs(-3_600_000);
  expect(await enter(limiter, key)).toBeLessThanOrEqual(61);
  clock.skewMs(7_200_000);
  expect(await enter(limiter, key)).toBeLessThanOrEqual(61);
  clock.skewMs(-7_200_000);
  clock.advanceMs(61_000);
  expect(await enter(limiter, key)).toBeTypeOf('object');
});

test.each([
  ['of the token', (seconds: number) => [keyWith({ rate_limit_enabled: true, rate_limit_count: 2, rate_limit_period: seconds })]],
  [
    'of the operator',
    (seconds: number) => {
      const of = { ModelRequestRateLimitDurationMinutes: seconds / 60, ModelRequestRateLimitSuccessCount: 0 };
      return [keyWith({}), { ...options, ModelRequestRateLimitEnabled: true, ModelRequestRateLimitCount: 2, ...of } as Options];
    },
  ],
] as const)('a window that is made longer or shorter goes on sliding: one %s', async (_, under) => {
  const clock = new FakeClock(0);
  const limiter = limiterAt(clock);
  clock.advanceMs(3_600_000);
  const ask = (seconds: number) => {
    const [key, own] = under(seconds) as [KeyRecord, Options?];
    return enter(limiter, key, 10, own);
  };
  for (const seconds of [60, 600, 60]) {
    for (let hour = 0; hour < 2; hour += 1) {
      expect(await ask(seconds)).toBeTypeOf('object');
      expect(await ask(seconds)).toBeTypeOf('object');
      expect(await ask(seconds)).toBeLessThanOrEqual(seconds + 10);
      clock.advanceMs(3_600_000);
    }
  }
});

test('what is charged beside a call counts for its tokens and its money, and takes no place of its own', async () => {
  const booked: [string, number][] = [];
  const limiter = limiterAt(new FakeClock(0), { settle: (ref, quota) => void booked.push([ref, quota]) });
  const key = keyWith({ tpm: 100, rpm: 2, quota_day: 1_000 });
  const session = (await enter(limiter, key, 0)) as Pass;
  session.also('beside_1', 60, 5);
  session.also('beside_2', 39, 7);
  expect(booked).toEqual([
    ['beside_1', 5],
    ['beside_2', 7],
  ]);
  expect(await enter(limiter, key, 2)).toBeTypeOf('number');
  expect(await enter(limiter, key, 1)).toBeTypeOf('object');
});

test('money that a user and a plan limit both is charged once', async () => {
  let charged = 0;
  const settle = (_call: string, quota: number) => {
    charged += quota;
  };
  const limiter = limiterAt(new FakeClock(0), { settle });
  const plan = { ...options, GroupLimits: { default: { quota_day: 1_000 } } } as unknown as Options;
  const pass = (await enter(limiter, keyWith({}, { quota_day: 100 }), 10, plan)) as Pass;
  pass.also('transcript', 5, 20);
  pass.settle(10, 60);
  expect(charged).toBe(80);
});

test('a hold that grows while its call ends leaves nothing set aside', async () => {
  const running = new Map<string, number>();
  const limiter = limiterAt(new FakeClock(0), {
    reserve: (callId, quota) => void running.set(callId, quota),
    settle: (callId) => void running.delete(callId),
  });
  const pass = (await enter(limiter, keyWith({ quota_day: 1_000 }))) as Pass;
  expect(pass.claim(100)).toBe(true);
  pass.settle(10, 60);
  pass.reserve(200);
  pass.leave();
  expect([...running]).toEqual([]);
});

test('a call that was refused elsewhere gives its places back, a finished one only its slot', async () => {
  const limiter = limiterAt(new FakeClock(0));
  const key = keyWith({ rpm: 1, concurrency: 1 });
  const refused = (await enter(limiter, key)) as Pass;
  refused.cancel();
  refused.leave();
  const finished = (await enter(limiter, key)) as Pass;
  finished.leave();
  finished.leave();
  expect(await enter(limiter, key)).toBeGreaterThan(0);
});

test('all places or none: what the user’s limit refuses takes nothing of the token’s', async () => {
  const limiter = limiterAt(new FakeClock(0));
  const spender = keyWith({ rpm: 5 }, { concurrency: 1 });
  const first = (await enter(limiter, spender)) as Pass;
  for (let k = 0; k < 10; k += 1) expect(await enter(limiter, spender)).toBeTypeOf('number');
  first.leave();
  for (let k = 0; k < 4; k += 1) ((await enter(limiter, spender)) as Pass).leave();
  expect(await enter(limiter, spender)).toBeTypeOf('number');
});

test('a spent day waits for midnight of UTC, a spent month for the first', async () => {
  const clock = new FakeClock(Date.UTC(2026, 10, 20, 18));
  expect(await enter(limiterAt(clock, { day: 50 }), keyWith({ quota_day: 50 }))).toBe(6 * 3600);
  expect(await enter(limiterAt(clock, { day: 49 }), keyWith({ quota_day: 50 }))).toBeTypeOf('object');
  expect(await enter(limiterAt(clock, { month: 50 }), keyWith({ quota_month: 50 }))).toBe(10 * 86_400 + 6 * 3600);
});

test('day and month have room for a call only beside those that run; who waits for these is told so', async () => {
  const clock = new FakeClock(Date.UTC(2026, 10, 20, 18));
  const held = new Map<string, number>();
  const sum = () => [...held.values()].reduce((all, one) => all + one, 0);
  const book = {
    get held() {
      return sum();
    },
    get day() {
      return 20 + sum();
    },
    get month() {
      return 70 + sum();
    },
    reserve: (id: string, quota: number) => void held.set(id, quota),
    settle: (id: string) => void held.delete(id),
  };
  const limiter = createCallLimiter({ clock, spending: { of: () => book } });
  const key = keyWith({ quota_day: 60, quota_month: 100 });
  const [first, second] = [(await enter(limiter, key)) as Pass, (await enter(limiter, key)) as Pass];
  expect([first.claim(31), first.room(), first.claim(20), second.room(), second.claim(11)]).toEqual([false, 30, true, 10, false]);
  expect(second.beyond(11)).toMatchObject({ status: 429, code: 'too_many_requests', retryAfterSeconds: 5, isLasting: false });
  expect(second.beyond(60).message).toContain('本月消费限额');
  const never = { status: 429, code: 'too_many_requests', retryAfterSeconds: undefined, isLasting: true };
  expect(second.beyond(61)).toMatchObject({ ...never, message: expect.stringContaining('全天的消费限额') as string });
  expect(second.beyond(101)).toMatchObject({ ...never, message: expect.stringContaining('全月的消费限额') as string });
  expect(second.claim(10)).toBe(true);
  expect(await enter(limiter, key)).toBe(5);
  first.leave();
  expect(second.room()).toBe(20);
  expect(await enter(limiterAt(clock, { day: 30, month: 90 }), key)).toBeTypeOf('object');
});

test('never more calls at once than allowed, whatever order they come and go in', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 5 }), fc.array(fc.nat(9), { maxLength: 80 }), async (most, steps) => {
      const limiter = limiterAt(new FakeClock(0));
      const key = keyWith({ concurrency: most });
      const open: Pass[] = [];
      for (const step of steps) {
        if (step < 6) {
          const pass = await enter(limiter, key);
          if (typeof pass === 'object') open.push(pass);
          else expect(open.length).toBe(most);
        } else open.splice(step % Math.max(1, open.length), 1)[0]?.leave();
        expect(open.length).toBeLessThanOrEqual(most);
      }
    }),
  );
});

function everyUser(total: number, answered: number): Options {
  const limits = { ModelRequestRateLimitCount: total, ModelRequestRateLimitSuccessCount: answered };
  return { ...options, ModelRequestRateLimitEnabled: true, ModelRequestRateLimitDurationMinutes: 2, ...limits };
}

async function refusal(limiter: CallLimiter, key: KeyRecord, under: Options): Promise<string> {
  try {
    await limiter.enter({ callId: 'refused', key, options: under, tokens: 0 });
    return '';
  } catch (error) {
    return error instanceof RelayFault && error.status === 429 ? error.message : 'another error';
  }
}

test('of a user’s requests all count, of the answers only those that were given; each limit has its own words', async () => {
  const clock = new FakeClock(10_000_000);
  const limiter = limiterAt(clock);
  const [one, other] = [keyWith({}), { ...keyWith({}), tokenId: 4 }];
  const under = everyUser(4, 2);
  const failed = (await enter(limiter, one, 0, under)) as Pass;
  expect(failed.headers.find(([name]) => name === 'x-ratelimit-remaining-requests')).toEqual([
    'x-ratelimit-remaining-requests',
    '1',
  ]);
  failed.leave();
  for (const key of [one, other]) {
    const answered = (await enter(limiter, key, 0, under)) as Pass;
    answered.settle(5, 1);
    answered.leave();
    answered.leave();
  }
  expect(await refusal(limiter, one, under)).toBe('您已达到请求数限制：2分钟内最多请求2次');
  const more = (await enter(limiter, one, 0, everyUser(4, 0))) as Pass;
  more.leave();
  expect(await refusal(limiter, other, under)).toBe(
    '您已达到总请求数限制：2分钟内最多请求4次，包括失败次数，请检查您的请求是否正确',
  );
  expect(await limiter.view(one, under)).toEqual([
    { of: 'user', limit: 'custom', allowed: 4, used: 4 },
    { of: 'user', limit: 'answered', allowed: 2, used: 2 },
  ]);
  clock.advanceMs(121_000);
  expect(await enter(limiter, one, 0, under)).toBeTypeOf('object');
});

test('however calls overlap and fail: never more answers within the window than allowed, and who only fails is not shut out', async () => {
  const step = fc.record({ kind: fc.constantFrom('enter', 'answer', 'fail'), at: fc.nat(20) });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 5 }), fc.array(step, { maxLength: 80 }), async (most, steps) => {
      const limiter = limiterAt(new FakeClock(10_000_000));
      const under = everyUser(0, most);
      const open: Pass[] = [];
      let answers = 0;
      for (const { kind, at } of steps) {
        if (kind === 'enter') {
          const pass = await enter(limiter, keyWith({}), 0, under);
          if (typeof pass === 'object') open.push(pass);
          else expect(open.length + answers).toBe(most);
          continue;
        }
        const [pass] = open.splice(at % Math.max(1, open.length), 1);
        if (pass === undefined) continue;
        if (kind === 'answer') {
          pass.settle(1, 1);
          answers += 1;
        }
        pass.leave();
        expect(open.length + answers).toBeLessThanOrEqual(most);
      }
    }),
  );
});

test('a call that fails after its window has passed takes no place away from a later one', async () => {
  const clock = new FakeClock(10_000_000);
  const limiter = limiterAt(clock);
  const under = everyUser(0, 1);
  const slow = (await enter(limiter, keyWith({}), 0, under)) as Pass;
  clock.advanceMs(125_000);
  const next = (await enter(limiter, keyWith({}), 0, under)) as Pass;
  next.settle(1, 1);
  next.leave();
  slow.leave();
  expect(await enter(limiter, keyWith({}), 0, under)).toBeTypeOf('number');
});

test('a token has so many conversations open and no more; who leaves makes room, and other tokens have rooms of their own', async () => {
  const limiter = limiterAt(new FakeClock(0));
  const open = (id: string, tokenId = 3, most = 2) =>
    limiter.converse(id, { tokenId, userId: 1 }, mostConversations({ MAX_SESSIONS_PER_TOKEN: most, MAX_STREAMS: 10_000 }));
  const [leave] = [await open('a'), await open('b')];
  await expect(open('c')).rejects.toMatchObject({ status: 429, code: 'too_many_requests', retryAfterSeconds: 1 });
  await open('d', 4);
  leave();
  await open('e');
  for (const id of ['f', 'g', 'h']) await open(id, 5, 0);
});

test('over all tokens a user has a tenth of the streams open as conversations and no more; other users have theirs', async () => {
  const limiter = limiterAt(new FakeClock(0));
  const most = mostConversations({ MAX_SESSIONS_PER_TOKEN: 2, MAX_STREAMS: 30 });
  const open = (id: string, tokenId: number, userId = 1) => limiter.converse(id, { tokenId, userId }, most);
  const [leave] = [await open('a', 3), await open('b', 4), await open('c', 5)];
  await expect(open('d', 6)).rejects.toMatchObject({ status: 429, code: 'too_many_requests' });
  await open('e', 7, 2);
  leave();
  await open('f', 6);
  // A token has what is promised to each of them.
  expect(mostConversations({ MAX_SESSIONS_PER_TOKEN: 5, MAX_STREAMS: 30 })).toEqual({ ofToken: 5, ofUser: 5 });
});
