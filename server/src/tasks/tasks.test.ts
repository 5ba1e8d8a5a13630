import fc from 'fast-check';
import { expect, test } from 'vitest';
import { onEachEngine } from '../../test/engines.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import { draftOf, giveToken, giveWallet, holdOf, tokenOf, walletOf } from '../../test/ledger-kit.ts';
import { createLedger, type Ledger, LedgerUnavailable, type LogDraft, proveLedger } from '../billing/index.ts';
import type { Log } from '../platform/log.ts';
import type { Database } from '../storage/database.ts';
import { createTaskDesk } from './desk.ts';
import { isFinal, type TaskEvent } from './machine.ts';
import { type AskUpstream, createPoller } from './poller.ts';
import { markClosed, readTask } from './store.ts';
import type { Task, TaskReport } from './types.ts';

const hourMs = 3_600_000;
const cost = 700;
const granted = 10_000;
const options = () => ({ DisplayInCurrencyEnabled: true, QuotaPerUnit: 500_000 });
const log = { info: () => undefined, warn: () => undefined, error: () => undefined, debug: () => undefined } as unknown as Log;

/** A ledger that can be away: before it did anything, or after it did and nobody heard. */
function brittle(ledger: Ledger): { readonly ledger: Ledger; mood: 'well' | 'away' | 'deaf' } {
  const kit = {
    mood: 'well' as 'well' | 'away' | 'deaf',
    ledger: {
      ...ledger,
      settle: (request: Parameters<Ledger['settle']>[0]) => through(() => ledger.settle(request)),
      release: (id: string) => through(() => ledger.release(id)),
    },
  };
  const through = async <T>(work: () => Promise<T>): Promise<T> => {
    if (kit.mood === 'away') throw new LedgerUnavailable('away');
    const done = await work();
    if (kit.mood === 'deaf') throw new LedgerUnavailable('deaf');
    return done;
  };
  return kit;
}

interface World {
  readonly db: Database;
  readonly clock: FakeClock;
  readonly real: Ledger;
  readonly kit: ReturnType<typeof brittle>;
  /** What the upstream would say now; undefined = nothing at all. */
  said: TaskReport | undefined;
}

function worldOn(db: Database): World {
  const clock = new FakeClock(1_000_000_000);
  const real = createLedger({ db, clock });
  return { db, clock, real, kit: brittle(real), said: undefined };
}

function nodeOf(world: World, name: string, ask?: AskUpstream) {
  const { db, clock, kit } = world;
  const gate = { db, clock, ledger: kit.ledger, options, log };
  const desk = createTaskDesk(gate);
  const usual: AskUpstream = async ({ tasks }) => {
    const { said } = world;
    if (said === undefined) throw new Error('silence');
    return { kind: 'reports', reports: new Map(tasks.map(({ state }) => [state.upstreamId, said])) };
  };
  const poller = createPoller({
    ...gate,
    desk,
    ask: ask ?? usual,
    node: name,
    periodMs: 15_000,
    leaseMs: 30_000,
    submitMs: 120_000,
    random: () => 0.5,
  });
  return { desk, poller };
}

let counter = 0;

/** A task under a hold, as a submit leaves it before the upstream answers. */
async function begin(
  world: World,
  desk: ReturnType<typeof createTaskDesk>,
  userId: number,
  tokenId: number,
  fields: Partial<LogDraft> = {},
) {
  counter += 1;
  const id = `req${counter}`;
  const nowMs = world.clock.nowMs();
  const draft = draftOf(id, userId, tokenId, { content: '模型固定价格 0.10，分组倍率 1.00，操作 IMAGINE', ...fields });
  const task = await desk.begin({
    ...{ platform: 'mj', action: 'IMAGINE', model: 'mj_imagine', group: 'default', mode: '', input: {} },
    ...{ publicId: `p${counter}`, userId, tokenId, channelId: 1, keyId: 'k', holdId: id, quota: cost },
    charge: { cost, draft },
    ...{ submitAtMs: nowMs, deadlineAtMs: nowMs + hourMs, nowMs, dueAtMs: nowMs + 120_000 },
  });
  const leaseUntil = Math.floor((nowMs + hourMs) / 1000);
  await world.real.hold(holdOf(id, userId, tokenId, cost, { now: Math.floor(nowMs / 1000), leaseUntil, draft, keeper: 'task' }));
  return task;
}

type Step =
  | { readonly kind: 'tell'; readonly event: TaskEvent }
  | { readonly kind: 'together'; readonly events: readonly TaskEvent[] }
  | { readonly kind: 'poll'; readonly said: TaskReport | undefined }
  | { readonly kind: 'notify' }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'ledger'; readonly mood: 'well' | 'away' | 'deaf' }
  | { readonly kind: 'sweep' };

const report: fc.Arbitrary<TaskReport> = fc.record({
  status: fc.constantFrom('SUBMITTED', 'IN_PROGRESS', 'MODAL', 'FAILURE', 'SUCCESS', 'UNKNOWN'),
  progress: fc.integer({ min: 0, max: 100 }),
});
const event: fc.Arbitrary<TaskEvent> = fc.oneof(
  fc.constant({ kind: 'accepted', upstreamId: 'u', code: 1 } as const),
  fc.constant({ kind: 'refused', code: 24, reason: 'no' } as const),
  fc.constant({ kind: 'given-up', reason: 'late' } as const),
  report.map((each) => ({ kind: 'report', report: each }) as const),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  event.map((each) => ({ kind: 'tell', event: each }) as const),
  fc.array(event, { minLength: 2, maxLength: 4 }).map((events) => ({ kind: 'together', events }) as const),
  fc.option(report, { nil: undefined }).map((said) => ({ kind: 'poll', said }) as const),
  fc.constant({ kind: 'notify' } as const),
  fc.constantFrom(1_000, 16_000, 200_000, hourMs).map((ms) => ({ kind: 'wait', ms }) as const),
  fc.constantFrom('well', 'away', 'deaf').map((mood) => ({ kind: 'ledger', mood }) as const),
  fc.constant({ kind: 'sweep' } as const),
);

onEachEngine((engine, open) => {
  test('any order of answer, poll, notification, time-out, crash and repetition: one final state, one close of the hold', async () => {
    const db = await open();
    let userId = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 10 }), async (steps) => {
        userId += 1;
        const world = worldOn(db);
        await giveWallet(db, userId, granted);
        const tokenId = await giveToken(db, userId, { remain: granted, unlimited: false });
        const nodes = [nodeOf(world, 'a'), nodeOf(world, 'b')] as const;
        const task = await begin(world, nodes[0].desk, userId, tokenId);
        let first: string | undefined;
        for (const [index, each] of steps.entries()) {
          const node = nodes[index % 2] ?? nodes[0];
          await perform(world, node, task, each);
          const { state } = (await readTask(db, task.id)) ?? task;
          if (first !== undefined) expect(state.status).toBe(first);
          else if (isFinal(state)) first = state.status;
        }
        // Everybody is well again, and the upstream says nothing any more.
        world.kit.mood = 'well';
        world.said = undefined;
        for (let round = 0; round < 3; round += 1) {
          world.clock.advanceMs(2 * hourMs);
          await Promise.all(nodes.map(({ poller }) => poller.tick()));
        }
        const end = await readTask(db, task.id);
        expect(end?.state.status).toBe(first ?? 'FAILURE');
        expect(end?.closedAt).toBeGreaterThan(0);
        const charged = end?.state.status === 'SUCCESS' ? cost : 0;
        expect(await walletOf(db, userId)).toMatchObject({ available: granted - charged, held: 0, used: charged });
        expect(await tokenOf(db, tokenId)).toMatchObject({ remain: granted - charged, held: 0, used: charged });
        const rows = await db.read.selectFrom('log').select(['type', 'quota', 'content']).where('user_id', '=', userId).execute();
        expect(rows.filter(({ type }) => type === 2).map(({ quota }) => quota)).toEqual(charged > 0 ? [cost] : []);
        expect(rows.filter(({ type, quota }) => type === 4 && quota === 0).length).toBeLessThanOrEqual(charged > 0 ? 0 : 1);
        const holds = await db.read.selectFrom('hold').select('id').where('user_id', '=', userId).execute();
        expect(holds).toEqual([]);
      }),
      { numRuns: engine === 'sqlite' ? 120 : 60 },
    );
  }, 120_000);

  test('a sweep leaves holds of tasks alone, however old they are', async () => {
    const db = await open();
    const world = worldOn(db);
    await giveWallet(db, 1, granted);
    const { desk } = nodeOf(world, 'a');
    await begin(world, desk, 1, 0);
    world.clock.advanceMs(100 * hourMs);
    expect(await world.real.sweep(Math.floor(world.clock.nowMs() / 1000))).toBe(0);
    expect(await walletOf(db, 1)).toMatchObject({ held: cost });
  });

  test('a hold that no task will close is found by the proof', async () => {
    const db = await open();
    const world = worldOn(db);
    await giveWallet(db, 1, granted);
    const { desk } = nodeOf(world, 'a');
    await begin(world, desk, 1, 0);
    const kept = async () =>
      (await proveLedger({ db, clock: world.clock })).checks.find(({ name }) => name === 'task_holds_kept');
    expect(await kept()).toMatchObject({ ok: true });
    await world.real.hold(holdOf('orphan', 1, 0, 5, { keeper: 'task' }));
    expect(await kept()).toMatchObject({ ok: false, first_difference: expect.stringContaining('hold:orphan') });
  });

  test('a hold that came after its task was given up is given back by what is told of the task, and without that by the poller', async () => {
    const db = await open();
    const world = worldOn(db);
    await giveWallet(db, 1, granted);
    const { desk, poller } = nodeOf(world, 'a');
    const along = { dueAtMs: world.clock.nowMs() };
    const task = await begin(world, desk, 1, 0);
    await desk.tell(task, { kind: 'given-up', reason: 'late' }, along);
    const late = () => world.real.hold(holdOf(task.holdId, 1, 0, cost, { keeper: 'task' }));
    expect(await late()).toMatchObject({ ok: true });
    await desk.tell(task, { kind: 'accepted', upstreamId: 'u', code: 1 }, along);
    expect(await walletOf(db, 1)).toMatchObject({ available: granted, held: 0 });
    await late();
    await world.real.hold(holdOf('never', 1, 0, 5, { keeper: 'task' }));
    await begin(world, desk, 1, 0);
    // What a call holds never had a task.
    await world.real.hold(holdOf('call', 1, 0, 7));
    await poller.tick();
    expect(await walletOf(db, 1)).toMatchObject({ available: granted - cost - 7, held: cost + 7 });
    expect(await proveLedger({ db, clock: world.clock })).toMatchObject({ ok: true });
  });

  test('what happens to a task that a fail-over forgot is not done to the one that has its number now', async () => {
    const db = await open();
    const world = worldOn(db);
    await giveWallet(db, 1, granted);
    const { desk } = nodeOf(world, 'a');
    const along = { dueAtMs: world.clock.nowMs() };
    const task = await begin(world, desk, 1, 0);
    const forgotten = { ...task, holdId: 'forgotten' };
    const before = await readTask(db, task.id);
    const events: TaskEvent[] = [
      { kind: 'accepted', upstreamId: 'another', code: 1 },
      { kind: 'refused', code: 0, reason: 'another' },
    ];
    for (const event of events) expect(await desk.tell(forgotten, event, along)).toBeUndefined();
    await desk.keep(forgotten, 1);
    await desk.forget(forgotten);
    await markClosed(db, forgotten, along.dueAtMs, () => Promise.reject(new Error('closed')));
    expect(await readTask(db, task.id)).toEqual(before);
    expect(await walletOf(db, 1)).toMatchObject({ available: granted - cost, held: cost });
  });

  test.each([
    ['where there is a log', {}, '，ID u'],
    ['and without one its row says nothing', { hidden: true, content: '', other: '{}' } as const, ''],
  ])('a drawing that succeeds is charged under its name %s', async (_, fields, ending) => {
    const db = await open();
    const world = worldOn(db);
    await giveWallet(db, 1, granted);
    const { desk } = nodeOf(world, 'a');
    const task = await begin(world, desk, 1, 0, fields);
    const along = { dueAtMs: world.clock.nowMs() };
    await desk.tell(task, { kind: 'accepted', upstreamId: 'u', code: 1 }, along);
    await desk.tell(task, { kind: 'report', report: { status: 'SUCCESS', progress: 100 } }, along);
    const row = await db.read.selectFrom('log').select(['content', 'other', 'quota', 'hidden']).executeTakeFirstOrThrow();
    expect(row).toMatchObject({ quota: cost, hidden: ending === '' ? 1 : 0 });
    expect(ending === '' ? row.content === '' : row.content.endsWith(ending)).toBe(true);
  });

  test('two nodes look at each due task once', async () => {
    const db = await open();
    const world = worldOn(db);
    await giveWallet(db, 1, 100 * cost);
    const { desk } = nodeOf(world, 'x');
    const total = 60;
    for (let k = 0; k < total; k += 1) {
      const task = await begin(world, desk, 1, 0);
      await desk.tell(task, { kind: 'accepted', upstreamId: `u${k}`, code: 1 }, { dueAtMs: world.clock.nowMs() + 1_000 });
    }
    const asked: string[] = [];
    const ask: AskUpstream = async ({ tasks }) => {
      for (const { state } of tasks) asked.push(state.upstreamId);
      await new Promise((resolve) => setImmediate(resolve));
      return {
        kind: 'reports',
        reports: new Map(tasks.map(({ state }) => [state.upstreamId, { status: 'IN_PROGRESS' as const }])),
      };
    };
    const pollers = ['a', 'b', 'c'].map((name) => nodeOf(world, name, ask).poller);
    for (let round = 1; round <= 3; round += 1) {
      world.clock.advanceMs(20_000);
      await Promise.all(pollers.map((poller) => poller.tick()));
      expect(asked.length).toBe(total * round);
      expect(new Set(asked.slice(-total)).size).toBe(total);
    }
  }, 60_000);

  test('a node that died with rows in its hands hands them over when its lease ends', async () => {
    const db = await open();
    const world = worldOn(db);
    await giveWallet(db, 1, granted);
    const { desk } = nodeOf(world, 'a');
    const task = await begin(world, desk, 1, 0);
    await desk.tell(task, { kind: 'accepted', upstreamId: 'u', code: 1 }, { dueAtMs: world.clock.nowMs() });
    const dying = nodeOf(world, 'dying', () => new Promise(() => undefined));
    void dying.poller.tick();
    const alive = nodeOf(world, 'alive');
    world.said = { status: 'SUCCESS' };
    await eventuallyLeased(db);
    await alive.poller.tick();
    expect((await readTask(db, task.id))?.state.status).toBe('SUBMITTED');
    world.clock.advanceMs(300_000);
    await alive.poller.tick();
    expect(await readTask(db, task.id)).toMatchObject({ state: { status: 'SUCCESS' } });
    expect(await walletOf(db, 1)).toMatchObject({ held: 0, used: cost });
  });
});

async function eventuallyLeased(db: Database): Promise<void> {
  for (;;) {
    const row = await db.read.selectFrom('task').select('id').where('lease_owner', '=', 'dying').executeTakeFirst();
    if (row !== undefined) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function perform(world: World, { desk, poller }: ReturnType<typeof nodeOf>, task: Task, each: Step): Promise<void> {
  const along = { dueAtMs: world.clock.nowMs() + 15_000 };
  switch (each.kind) {
    case 'tell':
      await desk.tell(task, each.event, along);
      return;
    case 'together':
      await Promise.all(each.events.map((event) => desk.tell(task, event, along)));
      return;
    case 'poll':
      world.said = each.said;
      world.clock.advanceMs(20_000);
      return poller.tick();
    case 'notify':
      return desk.hasten('u');
    case 'wait':
      return world.clock.advanceMs(each.ms);
    case 'ledger':
      world.kit.mood = each.mood;
      return;
    case 'sweep':
      await world.real.sweep(Math.floor(world.clock.nowMs() / 1000) + 10 * hourMs);
  }
}
