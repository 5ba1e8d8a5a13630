import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readChannelSetting } from './channel-setting.ts';
import { affinityText, attemptText, type CompactRoute, describePlan, expandRoute, planSteps } from './explain-record.ts';
import type { HealthView } from './health.ts';
import type { Admission } from './health-breaker.ts';
import { createKeyTurns, type PlanInput, RoutePlan } from './plan.ts';
import { tiersOf, urnOf } from './select.ts';
import type { Route, RouteChannel } from './snapshot.ts';

interface Shape {
  id: number;
  weight?: number;
  priority?: number;
  keys?: number;
  polling?: boolean;
}

function channel({ id, weight = 0, priority = 0, keys = 1, polling = false }: Shape): RouteChannel {
  return {
    ...{
      id,
      weight,
      priority,
      name: `channel ${id}`,
      type: 1,
      baseUrl: '',
      key: `secret-${id}-0`,
      organization: '',
      other: '',
      autoBan: true,
      tag: '',
    },
    keys: Array.from({ length: keys }, (_, index) => ({
      id: `${id}/${index}`,
      index,
      secret: `secret-${id}-${index}`,
      disabled: false,
    })),
    modelMapping: new Map(),
    statusMapping: new Map(),
    paramOverride: {},
    headerOverride: {},
    setting: readChannelSetting(keys > 1 ? { multi_key: polling ? 'polling' : 'random' } : {}),
  };
}

function route(shapes: Shape[], group = 'default'): Route {
  return { group, model: 'm', size: shapes.length, tiers: tiersOf(shapes.map(channel)).map(urnOf) };
}

const attempt = { keyIndex: 0, status: 200, ms: 1, headMs: 1, upstreamRequestId: '' };
const well: HealthView = { admission: () => 'in' };
const sick = (states: Record<number, Admission>): HealthView => ({ admission: (id) => states[id] ?? 'in' });

function input(routes: Route[], more: Partial<PlanInput> = {}): PlanInput {
  return { routes, model: 'm', seed: 7, health: well, turns: createKeyTurns(), ...more };
}

function order(plan: RoutePlan): number[] {
  const ids: number[] = [];
  for (let target = plan.next(); target !== undefined; target = plan.next()) ids.push(target.channelId);
  return ids;
}

const shapes = fc.uniqueArray(
  fc.record({ id: fc.integer({ min: 1, max: 500 }), weight: fc.nat(100), priority: fc.integer({ min: -2, max: 2 }) }),
  { selector: ({ id }) => id, minLength: 1, maxLength: 30 },
);
const states = fc.dictionary(fc.integer({ min: 1, max: 500 }).map(String), fc.constantFrom<Admission>('in', 'probe', 'out'));

describe('the order of attempts', () => {
  test('the same seed gives the same order: what explain shows, what is tried, and what the log row gives back', () => {
    fc.assert(
      fc.property(shapes, fc.nat(), states, fc.integer({ min: 1, max: 6 }), (list, seed, health, limit) => {
        const planInput = input([route(list)], { seed, health: sick(health) });
        const explained = planSteps(planInput, limit);
        const real = new RoutePlan(planInput);
        const text = describePlan(real, 3, limit, false);
        const tried = order(real).slice(0, limit);
        expect(explained.map((step) => step.channel_id)).toEqual(tried);
        const stored = JSON.parse(`${text},"a":[]}`) as CompactRoute;
        const record = expandRoute(stored, 'm', 'default', new Map());
        expect(record.plan.map((step) => step.channel_id)).toEqual(tried);
        expect(record.candidates.filter((candidate) => candidate.in)).toHaveLength(
          list.filter(({ id }) => health[id] !== 'out').length,
        );
      }),
    );
  });

  test('a conversation that another channel answered is told its own one, and why that did not', () => {
    fc.assert(
      fc.property(shapes, fc.nat(), states, fc.nat(3), fc.boolean(), (list, seed, health, failures, hasAffinity) => {
        const home = new RoutePlan(input([route(list)], { seed })).next()?.channelId;
        const real = new RoutePlan(input([route(list)], { seed, health: sick(health) }));
        const text = describePlan(real, 3, 9, false, hasAffinity);
        const tried = order(real).slice(0, failures + 1);
        const last = tried.length - 1;
        const attempts = tried.map((channelId, at) => attemptText({ ...attempt, channelId, error: at < last ? 'failed' : '' }));
        const strayed = tried.length > 1 && hasAffinity && !text.includes(affinityText) ? affinityText : '';
        const stored = JSON.parse(`${text}${strayed},"a":[${attempts}]}`) as CompactRoute;
        const told = { channel_id: home, reason: home !== undefined && tried.includes(home) ? 'failed' : 'breaker_open' };
        const isHome = tried[last] === home;
        expect(expandRoute(stored, 'm', 'default', new Map()).strayed).toEqual(isHome || !hasAffinity ? undefined : told);
        const [failed] = [attemptText({ ...attempt, channelId: tried[last] ?? 0, error: 'failed' })];
        const inVain = JSON.parse(`${text}${strayed},"a":[${failed}]}`) as CompactRoute;
        expect(expandRoute(inVain, 'm', 'default', new Map())).not.toHaveProperty('strayed');
      }),
    );
  });

  test('tier by tier, each once, the sick ones never while a well one exists', () => {
    fc.assert(
      fc.property(shapes, fc.nat(), states, (list, seed, health) => {
        const ids = order(new RoutePlan(input([route(list)], { seed, health: sick(health) })));
        expect(new Set(ids).size).toBe(ids.length);
        const priority = new Map(list.map((shape) => [shape.id, shape.priority]));
        const asked = ids.filter((id) => health[id] !== 'out').map((id) => priority.get(id) ?? 0);
        expect(asked).toEqual([...asked].sort((a, b) => b - a));
        const anyWell = list.some(({ id }) => (health[id] ?? 'in') === 'in');
        if (anyWell) expect(ids.every((id) => health[id] !== 'out')).toBe(true);
        else expect(ids).toHaveLength(list.length);
      }),
    );
  });

  test('the last one is never ejected, and a probe that fails leaves the others to be asked', () => {
    expect(order(new RoutePlan(input([route([{ id: 1 }])], { health: sick({ 1: 'out' }) })))).toEqual([1]);
    const plan = new RoutePlan(input([route([{ id: 1 }, { id: 2 }])], { health: sick({ 1: 'out', 2: 'probe' }) }));
    expect(order(plan)).toEqual([2, 1]);
  });

  test('auto groups: the next group follows when the tiers of the one before are exhausted, with its own name', () => {
    const plan = new RoutePlan(
      input([route([{ id: 1 }, { id: 2, priority: -5 }], 'a'), route([{ id: 1 }, { id: 3, priority: 9 }], 'b')]),
    );
    const seen = [plan.next(), plan.next(), plan.next(), plan.next()].map((target) => target && [target.channelId, target.group]);
    expect(seen).toEqual([[1, 'a'], [2, 'a'], [3, 'b'], undefined]);
  });

  test('a group whose channels are all sick is passed over for one that is well', () => {
    const routes = [route([{ id: 1 }], 'a'), route([{ id: 2 }], 'b')];
    expect(order(new RoutePlan(input(routes, { health: sick({ 1: 'out' }) })))).toEqual([2]);
  });

  test('excluded channels do not exist', () => {
    const plan = new RoutePlan(input([route([{ id: 1 }, { id: 2 }])], { exclude: new Set([2]) }));
    expect(order(plan)).toEqual([1]);
  });
});

describe('several keys', () => {
  test('another key is another target only when that was allowed, and no key is used twice', () => {
    const plan = new RoutePlan(input([route([{ id: 1, keys: 3 }])]));
    const first = plan.next();
    expect(plan.next()).toBeUndefined();
    if (first !== undefined) plan.allowOtherKeys(first);
    const second = plan.next();
    expect(second?.keyIndex).not.toBe(first?.keyIndex);
    expect(second?.channel.key).toBe(`secret-1-${second?.keyIndex}`);
  });

  test('polling takes them in turns, random draws them evenly', () => {
    const turns = createKeyTurns();
    const polled = Array.from({ length: 6 }, () => new RoutePlan(input([route([{ id: 1, keys: 3, polling: true }])], { turns })));
    expect(polled.map((plan) => plan.next()?.keyIndex)).toEqual([0, 1, 2, 0, 1, 2]);
    const counts = [0, 0, 0];
    const keys = [route([{ id: 1, keys: 3 }])];
    for (let seed = 0; seed < 30_000; seed++) {
      const index = new RoutePlan(input(keys, { seed: Math.imul(seed, 2_654_435_761) >>> 0 })).next()?.keyIndex ?? 0;
      counts[index] = (counts[index] ?? 0) + 1;
    }
    for (const count of counts) expect(Math.abs(count / 30_000 - 1 / 3)).toBeLessThan(0.01);
  });

  test('keys that are left take their turns evenly, whoever is passed over', () => {
    const turns = createKeyTurns();
    const health: HealthView = { admission: (_id, keyId) => (keyId === '1/0' ? 'out' : 'in') };
    const routes = [route([{ id: 1, keys: 4, polling: true }])];
    const polled = Array.from({ length: 7 }, () => new RoutePlan(input(routes, { turns, health })).next()?.keyIndex);
    expect(polled).toEqual([1, 2, 3, 1, 2, 3, 1]);
  });

  test('a key that its breaker keeps out is passed over, the channel stays in', () => {
    const health: HealthView = { admission: (_id, keyId) => (keyId === '1/0' ? 'out' : 'in') };
    for (let seed = 0; seed < 50; seed++)
      expect(new RoutePlan(input([route([{ id: 1, keys: 2 }])], { seed, health })).next()?.keyIndex).toBe(1);
  });

  test('one conversation stays with its channel and key while they are well', () => {
    const keys = [
      route([
        { id: 1, keys: 4 },
        { id: 2, keys: 4 },
      ]),
    ];
    const first = new RoutePlan(input(keys, { seed: 99 })).next();
    const again = new RoutePlan(input(keys, { seed: 99 })).next();
    expect([again?.channelId, again?.keyIndex]).toEqual([first?.channelId, first?.keyIndex]);
    const health: HealthView = { admission: (id) => (id === first?.channelId ? 'out' : 'in') };
    expect(new RoutePlan(input(keys, { seed: 99, health })).next()?.channelId).not.toBe(first?.channelId);
  });
});

test.each([
  { error: 'rate "x"', upstreamRequestId: 'req', startMs: 6.6 },
  { error: '', upstreamRequestId: '', startMs: 6.6 },
  { error: 'rate', upstreamRequestId: '' },
  { error: '', upstreamRequestId: '' },
])('an attempt of a log row reads back as it was: %o', ({ error, upstreamRequestId, startMs }) => {
  const figures = { channelId: 5, keyIndex: 1, status: 429, ms: 12.4, headMs: 11.6 };
  const attempt = { ...figures, error, upstreamRequestId, ...(startMs !== undefined && { startMs }) };
  const [back] = expandRoute(
    { v: 1, s: 1, l: 3, c: [['default', [[5, 0, 0]]]], a: [JSON.parse(attemptText(attempt)) as CompactRoute['a'][number]] },
    'm',
    'default',
    new Map(),
  ).attempts;
  expect(back).toEqual({
    ...{ channel_id: 5, key_index: 1, status: 429, error, ms: 12, ttfb_ms: 12 },
    start_ms: startMs === undefined ? -1 : 7,
    upstream_request_id: upstreamRequestId,
  });
});
