import type { ChannelInput } from '@tollgate/contract';
import { destinationOf } from '../routing/index.ts';
import { type Change, type FieldChange, fieldChanges, type Steps } from './change.ts';
import { keyBinding, type WantedChannel, withProxy } from './channel-entry.ts';
import { channelFields, describeChannel } from './channel-fields.ts';
import type { Fault } from './located.ts';
import type { PresentChannel } from './present.ts';
import { type Fields, isRecord, ordered, type Secret, sameValue, type Value } from './value.ts';

interface Ask {
  readonly prune: boolean;
  readonly faults: Fault[];
}

type ChannelSteps = Pick<Steps, 'remove' | 'update' | 'create'>;

/** Channels are known by their names; of several with one name, those that are alike belong together. */
export function planChannels(
  present: readonly PresentChannel[],
  wanted: readonly WantedChannel[],
  { prune, faults }: Ask,
): { changes: Change[]; steps: ChannelSteps; unnamed: number } {
  const changes: Change[] = [];
  const steps: ChannelSteps = { remove: [], update: [], create: [] };
  const { pairs, left } = pair(present, wanted);
  for (const [want, here] of pairs) {
    const change = here === undefined ? creation(want, steps, faults) : update(want, here, steps, faults);
    if (change !== undefined) changes.push(change);
  }
  for (const { row } of prune ? left : []) {
    steps.remove.push(row.id);
    changes.push({ action: 'delete', section: 'channels', name: row.name, fields: [] });
  }
  return { changes, steps, unnamed: left.length };
}

type Pair = [WantedChannel, PresentChannel | undefined];

function pair(present: readonly PresentChannel[], wanted: readonly WantedChannel[]): { pairs: Pair[]; left: PresentChannel[] } {
  const free = new Map([...Map.groupBy(present, ({ row }) => row.name)].map(([name, list]) => [name, [...list]]));
  const found = new Map<WantedChannel, PresentChannel>();
  const rules: ((want: WantedChannel, here: PresentChannel) => boolean)[] = [
    (want, here) => sameKeys(want, here) && sameValue(asValue(want.fields), asValue(here.fields)),
    (want, here) => want.keys !== undefined && want.keys.length > 0 && sameKeys(want, here),
    () => true,
  ];
  for (const rule of rules) {
    for (const want of wanted) {
      const list = free.get(want.name) ?? [];
      const at = found.has(want) ? -1 : list.findIndex((here) => rule(want, here));
      const [here] = at === -1 ? [] : list.splice(at, 1);
      if (here !== undefined) found.set(want, here);
    }
  }
  const left = present.filter((each) => free.get(each.row.name)?.includes(each));
  return { pairs: wanted.map((want) => [want, found.get(want)]), left };
}

function sameKeys({ keys }: WantedChannel, here: PresentChannel): boolean {
  return keys === undefined || sameValue(keys, here.keys);
}

const asValue = (fields: Fields): Value => Object.fromEntries(fields);

function creation(want: WantedChannel, { create }: ChannelSteps, faults: Fault[]): Change {
  const refuse = (text: string): void => void faults.push({ line: want.line, text: `channel ${want.name}: ${text}` });
  if (want.keys === undefined) refuse('is new and needs keys ([] = none)');
  if (want.keepsProxy) refuse('is new: there is no proxy to keep');
  create.push({ line: want.line, input: { ...inputOf(want), key: keyText(want.keys) } });
  const keys: FieldChange[] = want.keys?.length ? [{ field: 'keys', secret: true }] : [];
  return { action: 'create', section: 'channels', name: want.name, fields: [...fieldChanges(new Map(), want.fields), ...keys] };
}

function update(
  wish: WantedChannel,
  here: PresentChannel,
  { update: updates }: ChannelSteps,
  faults: Fault[],
): Change | undefined {
  const want = wish.keepsProxy ? withProxyOf(here, wish) : wish;
  const { row } = here;
  const refuse = (text: string): void => void faults.push({ line: want.line, text: `channel ${want.name}: ${text}` });
  const fields = fieldChanges(here.fields, want.fields);
  const newKeys = !sameKeys(want, here);
  const moves = destinationOf(row) !== destinationOf(want.columns) && here.keys.length > 0;
  if (moves && want.keys === undefined) refuse('goes to another address: say its keys, they were entered for the present one');
  if (newKeys && want.keys?.length === 0) refuse('keys: those of a channel cannot be taken away; disable or delete it');
  if (newKeys) fields.push({ field: 'keys', secret: true });
  if (fields.length === 0) return undefined;
  const all = inputOf(want) as Record<string, unknown>;
  const changed = fields.flatMap(({ field }) => channelFields[field]?.input ?? []);
  const input = Object.fromEntries(changed.map((name) => [name, all[name]]));
  const key = newKeys || moves ? { key: keyText(want.keys) } : {};
  updates.push({ line: want.line, input: { id: row.id, ...input, ...key } });
  return { action: 'change', section: 'channels', name: want.name, fields };
}

/** The proxy of now, in the setting that the file wants. */
function withProxyOf({ row }: PresentChannel, want: WantedChannel): WantedChannel {
  const now = row.setting === '' ? {} : (JSON.parse(row.setting) as Value);
  const proxy = isRecord(now) ? (now as { proxy?: Value }).proxy : undefined;
  const setting = withProxy(want.columns.setting, proxy ?? '');
  const columns = { ...want.columns, setting };
  return { ...want, columns, fields: describeChannel({ ...columns, status: want.status }) };
}

function inputOf({ columns, status }: WantedChannel): ChannelInput {
  const { group_names: group, ...rest } = columns;
  return { ...rest, group, status };
}

function keyText(keys: readonly Secret[] = []): string {
  return keys.map((key) => key.plain()).join('\n');
}

/** The order of channels in a file: nothing but what they are decides it. */
export function sortText({ row, fields, keys }: PresentChannel, hide: (plain: string) => string): string {
  return `${row.name}\0${ordered([asValue(fields), keys, keyBinding(row)], hide)}`;
}
