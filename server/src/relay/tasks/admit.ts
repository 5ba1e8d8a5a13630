import { autoGroup } from '@tollgate/contract';
import type { KeyRecord } from '../../identity/index.ts';
import { freshSeed, type RouteChannel, RoutePlan, type Snapshot, type Target } from '../../routing/index.ts';
import { autoGroupsOf } from '../../settings/index.ts';
import type { Task, TaskCharge, TaskInput } from '../../tasks/index.ts';
import type { Authenticated } from '../authenticate.ts';
import type { Arrival } from '../call.ts';
import type { Pass } from '../call-limits.ts';
import { checkKey } from '../check-key.ts';
import { chooseRoutes, priceOf } from '../choose-routes.ts';
import { localFault } from '../faults.ts';
import type { RelayParts } from '../parts.ts';
import { attemptLimit } from '../retry.ts';
import { checkWords } from '../sensitive.ts';
import { chargeOf, isTimed } from './charge.ts';
import type { TaskOrder } from './order.ts';
import { withKeyOf } from './upstream.ts';

/** A task that was let in and priced, and where it may go. */
export interface AdmittedTask {
  readonly key: KeyRecord;
  /** The group whose price comes first. */
  readonly group: string;
  /** What it costs as it was ordered. */
  readonly charge: TaskCharge;
  /** What one of those that may answer is asked for, and its cost there. */
  at(target: Pick<Target, 'channel' | 'group'>): { readonly input: TaskInput; readonly charge: TaskCharge };
  /** The dearest of all. */
  readonly heldQuota: number;
  readonly plan: RoutePlan;
  /** Attempts at most. */
  readonly limit: number;
  next(): Target | undefined;
  readonly pass: Pass | undefined;
  /** What it counts for under limits of tokens. */
  readonly tokens: number;
  /** Its price counts seconds. */
  readonly isTimed: boolean;
}

/** Checks what the key may do (contract 5.3, 5.4), takes a place under the limits and fixes the price. Throws RelayFault. */
export async function admitTask(
  parts: RelayParts,
  { id, ip }: Arrival,
  { key, pinnedChannel }: Authenticated,
  order: TaskOrder,
): Promise<AdmittedTask> {
  const snapshot = parts.snapshot();
  const { model, parent } = order;
  checkKey(key, ip, model);
  checkWords(snapshot.options, order);
  const pinned = parent === undefined ? pinnedChannel : parentChannel(snapshot, parent).id;
  const { group: first, routes } = chooseRoutes(snapshot, key, model, pinned);
  const group = parent === undefined ? first : groupAfter(snapshot, key, parent, first);
  const isLogged = snapshot.options.LogConsumeEnabled;
  const groups = parent === undefined ? [...new Set([group, ...routes.map((route) => route.group)])] : [group];
  const prices = new Map(groups.map((each) => [each, priceOf(snapshot, key, model, each)]));
  const charged = new Map<string, TaskCharge>();
  const chargeIn = (each: string, asked: TaskOrder): TaskCharge => {
    const name = `${each}\n${asked.input.seconds}\n${asked.unitsNano}`;
    const price = prices.get(each) ?? priceOf(snapshot, key, model, each);
    const charge = charged.get(name) ?? chargeOf({ id, ip, key, order: asked, price, group: each, isLogged }, parts.sign);
    charged.set(name, charge);
    return charge;
  };
  const charge = chargeIn(group, order);
  const at = ({ channel, group: own }: Pick<Target, 'channel' | 'group'>) => {
    const asked = { ...order, ...order.measuredAt?.(channel) };
    return { input: asked.input, charge: chargeIn(own, asked) };
  };
  for (const { group: own, tiers } of routes)
    for (const { members } of tiers) for (const channel of members) at({ channel, group: parent === undefined ? own : group });
  const seed = freshSeed(parts.random());
  const plan = new RoutePlan({ routes, model, seed, health: parts.watch.health, turns: parts.turns });
  const only = parent === undefined ? undefined : parentTarget(snapshot, parent, model, group);
  const tokens = tokensOf(order);
  const pass = await parts.limiter.enter({ callId: id, key, options: snapshot.options, tokens });
  return {
    ...{ key, group, charge, at, plan, pass, tokens, isTimed: [...prices.values()].some(isTimed) },
    heldQuota: Math.max(...[...charged.values()].map(({ cost }) => cost)),
    limit: attemptLimit(snapshot.options, pinned),
    next: () => only ?? plan.next(),
  };
}

const charsPerToken = 4;

function tokensOf({ input }: TaskOrder): number {
  return Math.max(1, Math.ceil((input.prompt ?? '').length / charsPerToken));
}

/** Whoever may use several groups goes on in that of the parent: the first of them need not have its channel, nor its price. */
function groupAfter({ options }: Snapshot, { group, user }: KeyRecord, parent: Task, first: string): string {
  const isAuto = (group || user.group) === autoGroup;
  return isAuto && autoGroupsOf(options, user.group).includes(parent.group) ? parent.group : first;
}

function parentChannel(snapshot: Snapshot, { channelId }: Task): RouteChannel {
  const channel = snapshot.channel(channelId);
  if (channel === undefined) throw localFault('task_channel_disabled');
  return channel;
}

/** The very account that has the parent: no other one knows it. */
function parentTarget(snapshot: Snapshot, parent: Task, model: string, group: string): Target {
  const channel = withKeyOf(parentChannel(snapshot, parent), parent.keyId);
  const key = channel.keys.find(({ secret }) => secret === channel.key);
  return {
    ...{ channel, channelId: channel.id, model, group, probe: false },
    keyId: key?.id ?? parent.keyId,
    keyIndex: key?.index ?? 0,
  };
}
