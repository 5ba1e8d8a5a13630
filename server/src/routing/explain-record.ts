import type { RouteAttempt, RouteCandidate, RouteOutReason, RouteRecord } from '@tollgate/contract';
import { readChannelSetting } from './channel-setting.ts';
import type { HealthView } from './health.ts';
import { type KeyTurns, type PlanInput, RoutePlan, scoreOf } from './plan.ts';
import { tiersOf, urnOf } from './select.ts';
import type { Route, RouteChannel } from './snapshot.ts';

/** One attempt of a real call. */
export interface AttemptRecord {
  readonly channelId: number;
  readonly keyIndex: number;
  readonly status: number;
  readonly error: string;
  readonly ms: number;
  /** -1 = no head came. */
  readonly headMs: number;
  readonly upstreamRequestId: string;
  /** Since the call came; absent where nobody looked. */
  readonly startMs?: number;
}

/**
 * A decision as it lies in a log row: short names, nothing that the seed can bring back. `c` = per group, [id, priority,
 * weight] of its channels; `o` = those that were out.
 */
export interface CompactRoute {
  readonly v: number;
  readonly s: number;
  /** Attempts that were allowed. */
  readonly l: number;
  readonly c: readonly (readonly [string, readonly (readonly number[])[]])[];
  /** Channels beyond those in `c`. */
  readonly n?: number;
  readonly o?: readonly (readonly [number, RouteOutReason])[];
  /** 1 = conversations have a channel of their own; told only where this one may have gone to another. */
  readonly k?: 1;
  /** The backup pool, when the call came to it: what everything cost times, and its channels as in `c`. */
  readonly b?: readonly [number, readonly [string, readonly (readonly number[])[]]];
  /** Channel, key, status, ms, ms to the head, then error and upstream's id when there is one of them, and when it began. */
  readonly a: readonly (readonly [number, number, number, number, number, ...(string | number)[]])[];
}

/** Channels of one group that a log row names. */
const keptMembers = 32;
/** Channels whose health is asked for a log row: more would cost every call. */
const lookedAt = 128;

/**
 * What was known when the plan was made, as JSON of a `CompactRoute` that lacks `a` and its end; call it before the first
 * attempt. Written by hand, since it is made for every call.
 */
export function describePlan(plan: RoutePlan, version: number, limit: number, quiet: boolean, hasAffinity = false): string {
  const { routes, seed } = plan.input;
  let groups = '';
  let more = 0;
  for (const route of routes) {
    groups += groups === '' ? membersText(route) : `,${membersText(route)}`;
    more += Math.max(0, route.size - keptMembers);
  }
  const out = quiet ? [] : outOf(plan);
  const rest = `${more > 0 ? `,"n":${more}` : ''}${out.length > 0 ? `,"o":${JSON.stringify(out)}${hasAffinity ? affinityText : ''}` : ''}`;
  return `{"v":${version},"s":${seed},"l":${limit},"c":[${groups}]${rest}`;
}

/** Goes behind the text of a plan when a conversation may have gone to another channel than its own. */
export const affinityText = ',"k":1';

/** Goes behind the text of a plan when its backup pool is asked. */
export function backupText(pool: Route, ratio: number): string {
  return `,"b":[${ratio},${membersText(pool)}]`;
}

export function attemptText(attempt: AttemptRecord): string {
  const { channelId, keyIndex, status, error, ms, headMs, upstreamRequestId, startMs } = attempt;
  const figures = `${channelId},${keyIndex},${status},${Math.round(ms)},${Math.round(headMs)}`;
  const start = startMs === undefined ? '' : `,${Math.round(startMs)}`;
  if (error === '' && upstreamRequestId === '') return `[${figures}${start}]`;
  return `[${figures},${JSON.stringify(error)},${JSON.stringify(upstreamRequestId)}${start}]`;
}

function membersText(route: Route): string {
  const known = memberTexts.get(route);
  if (known !== undefined) return known;
  const members = route.tiers
    .flatMap((tier) => tier.members)
    .slice(0, keptMembers)
    .map(({ id, priority, weight }) => [id, priority, weight]);
  const text = JSON.stringify([route.group, members]);
  memberTexts.set(route, text);
  return text;
}

/** Routes live as long as their snapshot: each list is made once. */
const memberTexts = new WeakMap<Route, string>();

function outOf(plan: RoutePlan): (readonly [number, RouteOutReason])[] {
  const out = new Map<number, RouteOutReason>();
  let looked = 0;
  for (const { tiers } of plan.input.routes) {
    for (const { members } of tiers) {
      for (const member of members) {
        looked += 1;
        if (looked > lookedAt) return [...out];
        const reason = plan.whyOut(member);
        if (reason !== undefined) out.set(member.id, reason);
      }
    }
  }
  return [...out];
}

const noTurns: KeyTurns = { peek: () => 0, advance: () => undefined };

/** Brings a stored decision back to the shape of an explanation, with the arithmetic of every place. */
export function expandRoute(
  compact: CompactRoute,
  model: string,
  group: string,
  names: ReadonlyMap<number, string>,
): RouteRecord {
  const out = new Map(compact.o ?? []);
  const health: HealthView = { admission: (channelId) => (out.has(channelId) ? 'out' : 'in') };
  const routes = compact.c.map(([name, members]) => routeFrom(name, model, members));
  const attempts = compact.a.map(readAttempt);
  const keyOf = new Map(attempts.map(({ channel_id, key_index }) => [channel_id, key_index]));
  const input = { routes, model, seed: compact.s, health, turns: noTurns };
  const poolOf = (members: readonly (readonly number[])[]) =>
    candidatesOf([routeFrom(group, model, members)], compact.s, () => undefined, names);
  const strayed = strayedFrom(compact, { ...input, health: allWell }, attempts);
  const steps = planSteps(input, compact.l).map((step) => ({ ...step, key_index: keyOf.get(step.channel_id) ?? 0 }));
  return {
    plan: steps,
    candidates: candidatesOf(routes, compact.s, (channel) => out.get(channel.id), names),
    more_candidates: compact.n ?? 0,
    ...(compact.b === undefined ? {} : { backup: { ratio: compact.b[0], channels: poolOf(compact.b[1][1]) } }),
    group,
    model,
    seed: compact.s,
    attempts,
    ...(strayed === undefined ? {} : { strayed }),
    version: compact.v,
  };
}

const allWell: HealthView = { admission: () => 'in' };

/** Where a conversation belongs that was answered elsewhere. Of more channels than a row names nobody can tell. */
function strayedFrom(compact: CompactRoute, input: PlanInput, attempts: readonly RouteAttempt[]): RouteRecord['strayed'] {
  const answered = attempts.at(-1);
  if (compact.k !== 1 || compact.n !== undefined || (answered?.error !== '' && answered?.error !== 'broken_off'))
    return undefined;
  const id = new RoutePlan(input).next()?.channelId;
  const reason =
    attempts.find(({ channel_id }) => channel_id === id)?.error ?? compact.o?.find(([channel]) => channel === id)?.[1];
  return id === undefined || id === answered.channel_id || reason === undefined ? undefined : { channel_id: id, reason };
}

/** The order of attempts when each fails, at most `limit`. */
export function planSteps(input: PlanInput, limit: number): RouteRecord['plan'] {
  const plan = new RoutePlan(input);
  const steps: RouteRecord['plan'] = [];
  for (let target = plan.next(); target !== undefined && steps.length < limit; target = plan.next()) {
    const { id, priority, weight } = target.channel;
    const order = steps.length + 1;
    steps.push({ channel_id: id, key_index: target.keyIndex, priority, weight, order, group: target.group });
  }
  return steps;
}

export function candidatesOf(
  routes: readonly Route[],
  seed: number,
  reasonOf: (channel: RouteChannel) => RouteOutReason | undefined,
  names: ReadonlyMap<number, string>,
): RouteCandidate[] {
  return routes.flatMap((route) =>
    route.tiers.flatMap(({ members }) =>
      members.map((channel) => {
        const reason = reasonOf(channel);
        return {
          channel_id: channel.id,
          name: names.get(channel.id) ?? channel.name,
          group: route.group,
          in: reason === undefined,
          reason: reason ?? ('' as const),
          score: { priority: channel.priority, ...scoreOf(seed, channel) },
        };
      }),
    ),
  );
}

function routeFrom(group: string, model: string, members: readonly (readonly number[])[]): Route {
  const channels = members.map(([id = 0, priority = 0, weight = 0]) => placeholder(id, priority, weight));
  return { group, model, size: channels.length, tiers: tiersOf(channels).map(urnOf) };
}

function placeholder(id: number, priority: number, weight: number): RouteChannel {
  const setting = readChannelSetting({});
  return {
    ...{ id, priority, weight, setting, name: '', type: 0, baseUrl: '', key: '', organization: '', other: '' },
    ...{ autoBan: false, tag: '' },
    keys: [{ id: '', index: 0, secret: '', disabled: false }],
    modelMapping: new Map(),
    statusMapping: new Map(),
    paramOverride: {},
    headerOverride: {},
  };
}

function readAttempt([channelId, keyIndex, status, ms, headMs, ...rest]: CompactRoute['a'][number]): RouteAttempt {
  const [error, upstreamId] = rest.filter((each) => typeof each === 'string');
  const startMs = rest.find((each) => typeof each === 'number');
  return {
    channel_id: channelId,
    key_index: keyIndex,
    status,
    error: error ?? '',
    ms,
    start_ms: startMs ?? -1,
    ttfb_ms: headMs,
    upstream_request_id: upstreamId ?? '',
  };
}
