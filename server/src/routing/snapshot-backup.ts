import { splitList } from '../platform/split-list.ts';
import type { Route, Snapshot } from './snapshot.ts';
import { type RouteTable, routeOver } from './snapshot-table.ts';

/** Who serves which model among the channels with the tag; looked for when first asked. */
export function createBackups({ channels }: RouteTable, tag: string): Snapshot['backup'] {
  if (tag === '') return () => undefined;
  const routes = new Map<string, Route | undefined>();
  let tagged: readonly { readonly models: ReadonlySet<string>; readonly id: number }[] | undefined;
  return (model) => {
    if (routes.has(model)) return routes.get(model);
    tagged ??= [...channels.values()].flatMap(({ row, channel }) =>
      channel.tag === tag ? [{ id: row.id, models: new Set(splitList(row.models)) }] : [],
    );
    const members = tagged.flatMap(({ id, models }) => (models.has(model) ? (channels.get(id)?.channel ?? []) : []));
    const route = members.length === 0 ? undefined : routeOver('', model, members);
    // Only what is served is kept: names are the callers' choice.
    if (route !== undefined) routes.set(model, route);
    return route;
  };
}
