import {
  autoGroup,
  type ChannelHealth,
  channelStatus,
  type ExplainInput,
  type RouteCandidate,
  type RouteExplanation,
  type RouteOutReason,
  type RouteRecord,
  readTokenPolicy,
} from '@tollgate/contract';
import { priceName } from '../billing/index.ts';
import type { Crypto } from '../platform/crypto.ts';
import { PublicError } from '../platform/errors.ts';
import { autoGroupsOf } from '../settings/index.ts';
import type { Database } from '../storage/database.ts';
import { freshSeed } from './affinity.ts';
import { keyHints } from './channel-key.ts';
import { readStored } from './channel-view.ts';
import { type CompactRoute, candidatesOf, expandRoute, planSteps } from './explain-record.ts';
import type { Health } from './health.ts';
import { keyIdOf } from './health-switch.ts';
import { type KeyTurns, RoutePlan, scoreOf } from './plan.ts';
import type { Route, Snapshot } from './snapshot.ts';

/** Says why calls go where they go. */
export interface RouteExplainer {
  /** What would happen to a call now: the planning of real calls, without a call. */
  explain(input: ExplainInput): Promise<RouteExplanation>;
  /** What was decided for the call of a log row. Throws PublicError `not_found` when the row has no record. */
  record(logId: number): Promise<RouteRecord>;
  health(channelId: number): Promise<ChannelHealth>;
}

interface Deps {
  db: Pick<Database, 'read'>;
  crypto: Crypto;
  snapshot: () => Snapshot;
  health: Health;
  turns: KeyTurns;
  random: () => number;
}

const maxCandidates = 1_000;

export function createRouteExplainer(deps: Deps): RouteExplainer {
  return {
    explain: (input) => explain(deps, input),
    record: (logId) => record(deps, logId),
    health: (channelId) => channelHealth(deps, channelId),
  };
}

async function explain(deps: Deps, input: ExplainInput): Promise<RouteExplanation> {
  const snapshot = deps.snapshot();
  const { model } = input;
  const group = await groupOf(deps, input);
  const groups = group.name === autoGroup ? autoGroupsOf(snapshot.options, group.userGroup) : [group.name];
  const routes = groups.flatMap((name) => snapshot.route(name, model) ?? []);
  const seed = input.seed ?? freshSeed(deps.random());
  const turns: KeyTurns = { peek: deps.turns.peek, advance: () => undefined };
  const planInput = { routes, model, seed, health: deps.health, turns, exclude: new Set(input.exclude) };
  const plan = new RoutePlan(planInput);
  const serving = candidatesOf(routes, seed, (channel) => plan.whyOut(channel), new Map());
  const candidates = [...serving, ...(await sittingOut(deps, groups, model, routes, seed))];
  return {
    plan: planSteps(planInput, 1 + snapshot.options.RetryTimes),
    candidates: candidates.slice(0, maxCandidates),
    more_candidates: Math.max(0, candidates.length - maxCandidates),
    ...(group.wantsBackup ? backupIn(deps, group.name, model, seed) : {}),
    group: group.name,
    model,
    seed,
  };
}

/** The pool that a call may come to, whoever is tried before it. */
function backupIn({ snapshot, health, turns }: Deps, group: string, model: string, seed: number) {
  const { options, backup } = snapshot();
  const pool = backup(model);
  if (pool === undefined) return {};
  const routes = [{ ...pool, group }];
  const plan = new RoutePlan({ routes, model, seed, health, turns });
  const channels = candidatesOf(routes, seed, (channel) => plan.whyOut(channel), new Map()).slice(0, maxCandidates);
  return { backup: { ratio: options.BackupPoolRatio, channels } };
}

interface Asking {
  readonly name: string;
  readonly userGroup: string;
  /** Of a token that is named; any other may. */
  readonly wantsBackup: boolean;
}

/** The group a call would ask for, and whose groups `auto` walks. */
async function groupOf({ db }: Deps, input: ExplainInput): Promise<Asking> {
  const { token_id, user_id } = input;
  const token =
    token_id === undefined
      ? undefined
      : await db.read
          .selectFrom('token')
          .select(['user_id', 'group_name', 'policy'])
          .where('id', '=', token_id)
          .executeTakeFirst();
  if (token_id !== undefined && token === undefined) throw new PublicError('token_not_found');
  const userId = token?.user_id ?? user_id;
  const user =
    userId === undefined
      ? undefined
      : await db.read.selectFrom('users').select('group_name').where('id', '=', userId).executeTakeFirst();
  if (userId !== undefined && user === undefined) throw new PublicError('not_found');
  const userGroup = user?.group_name ?? 'default';
  const wantsBackup = token === undefined || readTokenPolicy(token.policy).backup_pool_enabled;
  return { name: input.group || token?.group_name || userGroup, userGroup, wantsBackup };
}

/** Channels that list the model but cannot serve it. */
async function sittingOut(
  { db }: Deps,
  groups: readonly string[],
  model: string,
  routes: readonly Route[],
  seed: number,
): Promise<RouteCandidate[]> {
  if (groups.length === 0) return [];
  const rows = await db.read
    .selectFrom('ability')
    .innerJoin('channel', 'channel.id', 'ability.channel_id')
    .select(['channel.id', 'channel.name', 'channel.status', 'channel.priority', 'channel.weight', 'ability.group_name'])
    .where('ability.model', 'in', [model, priceName(model)])
    .where('ability.group_name', 'in', [...groups])
    .orderBy('channel.id')
    .limit(maxCandidates)
    .execute();
  const serving = new Set(
    routes.flatMap((route) => route.tiers.flatMap(({ members }) => members.map(({ id }) => `${route.group} ${id}`))),
  );
  return rows
    .filter((row) => !serving.has(`${row.group_name} ${row.id}`))
    .map((row) => ({
      channel_id: row.id,
      name: row.name,
      group: row.group_name,
      in: false,
      reason: statusReason(row.status),
      score: { priority: row.priority, ...scoreOf(seed, row) },
    }));
}

function statusReason(status: number): RouteOutReason {
  if (status === channelStatus.autoDisabled) return 'auto_disabled';
  return status === channelStatus.enabled ? 'unusable' : 'disabled';
}

async function record({ db }: Deps, logId: number): Promise<RouteRecord> {
  const row = await db.read
    .selectFrom('log')
    .select(['other', 'model_name', 'group_name'])
    .where('id', '=', logId)
    .executeTakeFirst();
  const route = row === undefined ? undefined : routeIn(row.other);
  if (row === undefined || route === undefined) throw new PublicError('not_found');
  const lists = [...route.c, ...(route.b === undefined ? [] : [route.b[1]])];
  const ids = lists.flatMap(([, members]) => members.map(([id = 0]) => id));
  const channels =
    ids.length === 0 ? [] : await db.read.selectFrom('channel').select(['id', 'name']).where('id', 'in', ids).execute();
  return expandRoute(route, row.model_name, row.group_name, new Map(channels.map(({ id, name }) => [id, name])));
}

function routeIn(other: string): CompactRoute | undefined {
  try {
    return (JSON.parse(other) as { admin_info?: { route?: CompactRoute } }).admin_info?.route;
  } catch {
    return undefined;
  }
}

async function channelHealth({ db, crypto, health }: Deps, channelId: number): Promise<ChannelHealth> {
  const row = await readStored(db.read, channelId);
  const off = await db.read.selectFrom('channel_key').selectAll().where('channel_id', '=', channelId).execute();
  const offBy = new Map(off.map((state) => [state.key_hmac, state]));
  const hmacs = row.key_hmac === '' ? [] : row.key_hmac.split(',');
  const hints = keyHints(crypto, row);
  const indexOf = new Map(hmacs.map((_, index) => [keyIdOf(row, index), index]));
  return {
    keys: hmacs.map((hmac, index) => {
      const state = offBy.get(hmac);
      return {
        index,
        hint: hints[index] ?? '',
        enabled: state === undefined,
        reason: state?.reason ?? '',
        changed_at: state?.changed_at ?? 0,
      };
    }),
    breakers: health.view(channelId).flatMap((breaker) => {
      const key_index = indexOf.get(breaker.keyId);
      if (key_index === undefined) return [];
      const { model, phase, ok, bad } = breaker;
      return [{ key_index, model, phase, ok, bad, rest_ms: breaker.restMs, last_class: breaker.lastClass }];
    }),
  };
}
