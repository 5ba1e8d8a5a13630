import type { DefaultPrice } from '../billing/index.ts';
import type { Options } from '../settings/index.ts';
import type { ChangeFeed } from '../storage/change-feed.ts';
import type { Change } from '../storage/changes.ts';
import type { Database } from '../storage/database.ts';
import type { KeySource, Snapshot } from './snapshot.ts';
import { snapshotOver } from './snapshot-compile.ts';
import { readChannelPages, readDisabledKeys, type Scope } from './snapshot-rows.ts';
import { emptyTable, type RouteTable, updateTable } from './snapshot-table.ts';

/** Holds the present snapshot and replaces it as a whole when something it was compiled from changed. */
export interface Snapshots {
  current(): Snapshot;
}

interface SnapshotsDeps {
  readonly db: Database;
  readonly feed: Pick<ChangeFeed, 'on' | 'seq'>;
  readonly options: () => Options;
  readonly openKey: KeySource['openKey'];
  readonly defaultPrice: (model: string) => DefaultPrice;
  /** Told of channels that serve now and did not before. */
  readonly onAppeared: (channelId: number) => void;
}

/** More changed channels than this are read as "all". */
const maxSingly = 500;

/**
 * Reads everything once, then only the channels that a change names; a read that fails keeps the last good snapshot, and
 * the feed says the same again. Throws DatabaseError when the first read fails.
 */
export async function createSnapshots(deps: SnapshotsDeps): Promise<Snapshots> {
  const compiled = (table: RouteTable, version: number): Compiled => {
    return { table, snapshot: snapshotOver(table, { version, options: deps.options(), defaultPrice: deps.defaultPrice }) };
  };
  const firstVersion = deps.feed.seq();
  const opening = readTable(deps, emptyTable, 'all').then((table) => compiled(table, firstVersion));
  let latest: Compiled | undefined;
  // Registered before the first read ends: what changes meanwhile must not be missed.
  deps.feed.on(async (changes) => {
    const before = latest ?? (await opening);
    const scope = scopeOf(changes);
    if (scope === undefined) return;
    const table = scope.length === 0 ? before.table : await readTable(deps, before.table, scope);
    const version = changes.reduce((highest, { seq }) => Math.max(highest, seq), before.snapshot.version);
    for (const id of table.channels.keys()) if (!before.table.channels.has(id)) deps.onAppeared(id);
    latest = compiled(table, version);
  });
  const opened = await opening;
  return { current: () => (latest ?? opened).snapshot };
}

interface Compiled {
  readonly table: RouteTable;
  readonly snapshot: Snapshot;
}

async function readTable({ db, openKey }: SnapshotsDeps, table: RouteTable, scope: Scope): Promise<RouteTable> {
  const disabledKeys = await readDisabledKeys(db, scope);
  return updateTable(table, { scope, pages: readChannelPages(db, scope), openKey, disabledKeys });
}

/** What has to be read again; undefined when nothing concerns a snapshot, an empty list when only options changed. */
function scopeOf(changes: readonly Change[]): Scope | undefined {
  const concerning = changes.filter(({ kind }) => kind === 'channel' || kind === 'option');
  if (concerning.length === 0) return undefined;
  const ids = concerning.flatMap(({ kind, key }) => (kind === 'channel' ? [Number(key)] : []));
  return ids.length > maxSingly || ids.some((id) => !Number.isSafeInteger(id)) ? 'all' : ids;
}
