import { channelStatus } from '@tollgate/contract';
import { tiersOf, urnOf } from './select.ts';
import { type ChannelRow, type KeySource, type Route, type RouteChannel, routeChannel, servingColumns } from './snapshot.ts';
import { createPace, type Pace } from './snapshot-pace.ts';
import { type ByPair, type PairLists, pairsOf, replacedLists } from './snapshot-pairs.ts';
import type { Scope } from './snapshot-rows.ts';

/** All channels that serve, ready to be asked. Never changed: the next one shares with it whatever stayed as it was. */
export interface RouteTable {
  readonly channels: ReadonlyMap<number, ServingChannel>;
  readonly lists: PairLists;
  /** The routes that were asked for so far. */
  readonly routes: ByPair<Route>;
}

/** A channel and what it was made of. */
interface ServingChannel {
  readonly row: ChannelRow;
  /** Its credentials that are switched off, as text to compare. */
  readonly disabled: string;
  readonly channel: RouteChannel;
}

export interface TableNews extends KeySource {
  /** What is new: the rows of these channels, complete. One that has no row serves no more. */
  readonly scope: Scope;
  readonly pages: AsyncIterable<readonly ChannelRow[]> | Iterable<readonly ChannelRow[]>;
}

export const emptyTable: RouteTable = { channels: new Map(), lists: new Map(), routes: new Map() };

/** Sorted when first asked for: most pairs of a large installation are never used. */
export function routeIn(table: RouteTable, group: string, model: string): Route | undefined {
  const known = table.routes.get(group)?.get(model);
  if (known !== undefined) return known;
  const members = table.lists.get(group)?.get(model);
  if (members === undefined) return undefined;
  return remember(table.routes, routeOver(group, model, members));
}

/**
 * Reads the news and makes the next table; the same one when nothing that matters changed. A row whose key or JSON cannot
 * be read is left out, never half used. Throws what reading the pages throws.
 */
export async function updateTable(table: RouteTable, news: TableNews): Promise<RouteTable> {
  const pace = createPace();
  const changed = await changedChannels(table, news, pace);
  if (changed.size === 0) return table;
  const before = [...changed.keys()].flatMap((id) => table.channels.get(id) ?? []);
  const after = [...changed.values()].filter((one) => one !== undefined);
  const touched = await pairsOf({ before, after }, pace);
  const lists = await replacedLists({ lists: table.lists, touched, isStale: ({ id }) => changed.has(id) }, pace);
  const channels = new Map(table.channels);
  for (const [id, one] of changed) {
    if (one === undefined) channels.delete(id);
    else channels.set(id, one);
  }
  return { channels, lists, routes: await keptRoutes(table.routes, lists, touched, pace) };
}

/** Opening keys and reading JSON is most of the work: rows that are as they were are taken over. */
async function changedChannels(table: RouteTable, news: TableNews, pace: Pace) {
  const changed = new Map<number, ServingChannel | undefined>();
  const present = new Set<number>();
  for await (const page of news.pages) {
    for (const row of page) {
      if (pace.isDue()) await pace.rest();
      const known = table.channels.get(row.id);
      const next = servingChannel(row, known, news);
      if (next === undefined) continue;
      present.add(row.id);
      if (next !== known) changed.set(row.id, next);
    }
  }
  for (const id of news.scope === 'all' ? table.channels.keys() : news.scope) {
    if (!present.has(id) && table.channels.has(id)) changed.set(id, undefined);
  }
  return changed;
}

function servingChannel(row: ChannelRow, known: ServingChannel | undefined, source: KeySource): ServingChannel | undefined {
  if (row.status !== channelStatus.enabled) return undefined;
  const disabled = disabledOf(row, source.disabledKeys);
  if (known?.disabled === disabled && servingColumns.every((column) => known.row[column] === row[column])) return known;
  const channel = routeChannel(row, { ...source, openKey: (sealed) => openedBefore(sealed, known) ?? source.openKey(sealed) });
  return channel && { row, disabled, channel };
}

/** Columns that decide how a stored credential reads. */
const keyColumns = ['key_sealed', 'type', 'base_url', 'setting'] as const;

function openedBefore(row: ChannelRow, known: ServingChannel | undefined): string | undefined {
  if (known === undefined || keyColumns.some((column) => known.row[column] !== row[column])) return undefined;
  return known.channel.keys.map(({ secret }) => secret).join('\n');
}

function disabledOf({ id, key_hmac }: ChannelRow, disabledKeys: ReadonlySet<string> | undefined): string {
  if (disabledKeys === undefined || disabledKeys.size === 0) return '';
  return key_hmac
    .split(',')
    .filter((hmac) => disabledKeys.has(`${id}:${hmac}`))
    .join(',');
}

/** Routes whose channels stayed are shared; those that were in use are made again here, so that no request has to. */
async function keptRoutes(routes: ByPair<Route>, lists: PairLists, touched: PairLists, pace: Pace): Promise<ByPair<Route>> {
  const kept: ByPair<Route> = new Map();
  for (const [group, byModel] of routes) {
    for (const [model, route] of byModel) {
      if (pace.isDue()) await pace.rest();
      const members = lists.get(group)?.get(model);
      if (members === undefined) continue;
      remember(kept, touched.get(group)?.has(model) === true ? routeOver(group, model, members) : route);
    }
  }
  return kept;
}

export function routeOver(group: string, model: string, members: readonly RouteChannel[]): Route {
  return { group, model, tiers: tiersOf(members).map(urnOf), size: members.length };
}

function remember(routes: ByPair<Route>, route: Route): Route {
  const byModel = routes.get(route.group);
  if (byModel === undefined) routes.set(route.group, new Map([[route.model, route]]));
  else byModel.set(route.model, route);
  return route;
}
