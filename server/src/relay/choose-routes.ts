import { autoGroup } from '@tollgate/contract';
import type { PriceSnapshot } from '../billing/index.ts';
import type { KeyRecord } from '../identity/index.ts';
import { type Route, type Snapshot, tiersOf, urnOf } from '../routing/index.ts';
import { autoGroupsOf, usableGroups } from '../settings/index.ts';
import { routesTo } from './continued-response.ts';
import { codelessFault, localFault } from './faults.ts';
import type { Continued } from './inquiry.ts';

/**
 * Where a key's calls for a model may go, and the group whose price applies to the first of it (contract 5.4); nowhere
 * only if `hasBackup`. Throws RelayFault.
 */
export function chooseRoutes(
  snapshot: Snapshot,
  key: KeyRecord,
  model: string,
  pinned: number | undefined,
  continued?: Continued,
  hasBackup = false,
) {
  const { options } = snapshot;
  const own = key.user.group;
  const tokenGroup = key.group === '' ? own : key.group;
  const groups = tokenGroup === autoGroup ? autoGroupsOf(options, own) : [tokenGroup];
  if (groups.length === 0) throw codelessFault('auto_groups_disabled');
  if (key.group !== '' && !usableGroups(options, own).has(tokenGroup))
    throw codelessFault('token_group_refused', { group: tokenGroup });
  // Only a group that the token names must have a ratio: in their own, users pay 1 when it has none (contract 5.4, 7.2).
  if (key.group !== '' && tokenGroup !== autoGroup && !options.GroupRatio.has(tokenGroup))
    throw codelessFault('group_gone', { group: tokenGroup });
  if (pinned !== undefined) {
    const pinnedGroup = groups[0] ?? own;
    return { group: pinnedGroup, routes: [pinnedRoute(snapshot, pinned, pinnedGroup, model)] };
  }
  const all: Route[] = [];
  for (const candidate of groups) {
    const route = snapshot.route(candidate, model);
    if (route !== undefined) all.push(route);
  }
  const routes = continued?.owner === undefined ? all : routesTo(continued, continued.owner, all);
  const [first] = routes;
  if (first === undefined && hasBackup) return { group: groups[0] ?? own, routes };
  if (first === undefined) throw localFault('no_channel', { group: tokenGroup, model }, { codeless: true, isLasting: true });
  return { group: first.group, routes };
}

function pinnedRoute(snapshot: Snapshot, id: number, group: string, model: string): Route {
  if (Number.isNaN(id)) throw codelessFault('pinned_channel_invalid');
  const channel = snapshot.channel(id);
  if (channel === undefined) throw codelessFault('pinned_channel_disabled');
  return { group, model, tiers: tiersOf([channel]).map(urnOf), size: 1 };
}

/** The user's setting accept_unset_model_ratio_model (rulings 2). */
function acceptsUnpriced(setting: string): boolean {
  return setting.includes('"accept_unset_model_ratio_model":true');
}

/** Throws RelayFault when the model has no price. */
export function priceOf(snapshot: Snapshot, key: KeyRecord, model: string, group: string): PriceSnapshot {
  const price = snapshot.prices.lookup({
    model,
    userGroup: key.user.group,
    usingGroup: group,
    acceptUnpriced: acceptsUnpriced(key.user.setting),
  });
  if (price === undefined) {
    const code = key.user.id === 1 ? 'model_price_error_root' : 'model_price_error';
    throw localFault(code, { model }, { isLasting: true });
  }
  return price;
}

/** Of a model that is used beside the one that was asked for; undefined = it has none of its own. */
export function priceBeside(snapshot: Snapshot, key: KeyRecord, model: string, group: string): PriceSnapshot | undefined {
  return snapshot.prices.lookup({ model, userGroup: key.user.group, usingGroup: group, acceptUnpriced: false });
}

/** Of the further groups that may answer; `chosen`: at what the call chose. */
export function pricesOf(
  snapshot: Snapshot,
  key: KeyRecord,
  model: string,
  routes: readonly Route[],
  chosen = (price: PriceSnapshot): PriceSnapshot => price,
): ReadonlyMap<string, PriceSnapshot> {
  return new Map(routes.map(({ group }) => [group, chosen(priceOf(snapshot, key, model, group))]));
}
