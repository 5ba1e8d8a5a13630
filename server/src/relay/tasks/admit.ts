import { autoGroup } from '@tollgate/contract';
import type { KeyRecord } from '../../identity/index.ts';
import { freshSeed, type RouteChannel, RoutePlan, type Snapshot, type Target } from '../../routing/index.ts';
import { autoGroupsOf } from '../../settings/index.ts';
import type { Task, TaskCharge } from '../../tasks/index.ts';
import type { Authenticated } from '../authenticate.ts';
import type { Pass } from '../call-limits.ts';
import { checkKey } from '../check-key.ts';
import { chooseRoutes, priceOf } from '../choose-routes.ts';
import { localFault } from '../faults.ts';
import type { RelayParts } from '../parts.ts';
import { checkWords } from '../sensitive.ts';
import { chargeOf, isTimed } from './charge.ts';
import type { Arrival, TaskOrder } from './order.ts';
import { withKeyOf } from './upstream.ts';

/** A task that was let in and priced, and where it may go. */
export interface AdmittedTask {
  readonly key: KeyRecord;
  /** The group whose price comes first. */
  readonly group: string;
  /** What it costs in each group that may answer. */
  readonly charges: ReadonlyMap<string, TaskCharge>;
  /** The dearest of them. */
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
  const prices = groups.map((each) => [each, priceOf(snapshot, key, model, each)] as const);
  const charges = new Map(
    prices.map(([each, price]) => [each, chargeOf({ id, ip, key, order, price, group: each, isLogged }, parts.sign)]),
  );
  const plan = new RoutePlan({
    ...{ routes, model, seed: freshSeed(parts.random()) },
    ...{ health: parts.watch.health, turns: parts.turns },
  });
  const only = parent === undefined ? undefined : parentTarget(snapshot, parent, model, group);
  const tokens = tokensOf(order);
  const pass = await parts.limiter.enter({ callId: id, key, options: snapshot.options, tokens });
  return {
    ...{ key, group, charges, plan, pass, tokens, isTimed: prices.some(([, price]) => isTimed(price)) },
    heldQuota: Math.max(...[...charges.values()].map(({ cost }) => cost)),
    limit: pinned === undefined ? 1 + snapshot.options.RetryTimes : 1,
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
