import { createPriceBook, type DefaultPrice, priceName, priceTables } from '../billing/index.ts';
import type { Options } from '../settings/index.ts';
import type { ChannelRow, KeySource, Route, Snapshot } from './snapshot.ts';
import { createBackups } from './snapshot-backup.ts';
import { emptyTable, type RouteTable, routeIn, updateTable } from './snapshot-table.ts';

interface Setting {
  readonly version: number;
  readonly options: Options;
  readonly defaultPrice: (model: string) => DefaultPrice;
}

export interface SnapshotSource extends Setting, KeySource {
  readonly channels: readonly ChannelRow[];
}

/** A snapshot of these rows alone, compiled in slices between which requests are served. */
export async function compileSnapshot(source: SnapshotSource): Promise<Snapshot> {
  return snapshotOver(await updateTable(emptyTable, { ...source, scope: 'all', pages: [source.channels] }), source);
}

/** What the table says, under these options. Costs nothing: prices are looked up when they are asked for. */
export function snapshotOver(table: RouteTable, { version, options, defaultPrice }: Setting): Snapshot {
  const names = new Map<string, readonly string[]>();
  const backups = createBackups(table, options.BackupPoolTag);
  const route = (group: string, model: string) => byName(model, (name) => routeIn(table, group, name));
  return {
    version,
    options,
    prices: createPriceBook(priceTables(options), defaultPrice, version),
    route,
    backup: (model) => byName(model, backups),
    channel: (id) => table.channels.get(id)?.channel,
    channelIds: () => table.channels.keys(),
    models(group) {
      const known = names.get(group);
      if (known !== undefined) return known;
      const byModel = table.lists.get(group);
      if (byModel === undefined) return [];
      const sorted = [...byModel.keys()].sort();
      names.set(group, sorted);
      return sorted;
    },
  };
}

/** Who lists the model itself, else who lists the name that it shares with others; the route is the model's own in both cases. */
function byName(model: string, find: (name: string) => Route | undefined): Route | undefined {
  const listed = find(model);
  const shared = priceName(model);
  if (listed !== undefined || shared === model) return listed;
  const route = find(shared);
  return route && { ...route, model };
}
