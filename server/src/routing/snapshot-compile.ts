import { createPriceBook, type DefaultPrice, priceTables } from '../billing/index.ts';
import type { Options } from '../settings/index.ts';
import type { ChannelRow, KeySource, Snapshot } from './snapshot.ts';
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
  return {
    version,
    options,
    prices: createPriceBook(priceTables(options), defaultPrice, version),
    route: (group, model) => routeIn(table, group, model),
    tiers: (group, model) => routeIn(table, group, model)?.tiers.map(({ members }) => members) ?? [],
    backup: createBackups(table, options.BackupPoolTag.trim()),
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
