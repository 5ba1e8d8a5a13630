import { type ChannelInput, channelBody, channelStatus, channelTypes } from '@tollgate/contract';
import { PublicError } from '../platform/errors.ts';
import { type ChannelColumns, completeColumns, destinationOf, keyLines, multiKeyMode, readColumns } from '../routing/index.ts';
import { channelFields, describeChannel } from './channel-fields.ts';
import { type Fault, isList, type Located, membersOf, plainOf } from './located.ts';
import { isReference, type References, readReference } from './references.ts';
import { type Fields, isRecord, Secret, type Value } from './value.ts';

/** A channel as a file wants it. */
export interface WantedChannel {
  readonly name: string;
  readonly line: number;
  /** All of it but the keys. */
  readonly columns: ChannelColumns;
  /** Enabled, or disabled by hand. */
  readonly status: number;
  readonly fields: Fields;
  /** Absent = the file says nothing of them; empty = there are none. */
  readonly keys: readonly Secret[] | undefined;
  /** The proxy's address stays as it is here. */
  readonly keepsProxy: boolean;
}

export const keyBinding = (place: Parameters<typeof destinationOf>[0]): string => `config/channel/key/${destinationOf(place)}`;
export const proxyBinding = 'config/channel/proxy';

type Member = { readonly line: number; readonly at: Located };
type Report = (line: number, text: string) => void;

/** A stored setting with another proxy. */
export function withProxy(setting: string, proxy: Value): string {
  return JSON.stringify({ ...(setting === '' ? {} : (JSON.parse(setting) as object)), proxy });
}

/** Reads one entry of `channels`; undefined where something is wrong with it. */
export function readChannel(entry: Located, references: References, faults: Fault[]): WantedChannel | undefined {
  const found = faults.length;
  const members = membersOf(entry, 'channel', faults);
  const name = members.get('name')?.at.value;
  const label = typeof name === 'string' && name.trim() !== '' ? name.trim() : undefined;
  const report: Report = (line, text) => void faults.push({ line, text: `channel ${label ?? ''}: ${text}` });
  if (label === undefined) report(entry.line, 'name: must be a text');
  const input: Record<string, Value> = { name: label ?? '' };
  let keepsProxy = false;
  for (const [key, member] of members) {
    if (key === 'name' || key === 'keys') continue;
    const known = Object.hasOwn(channelFields, key) ? channelFields[key] : undefined;
    if (known === undefined) {
      report(member.line, `${key}: there is no such field; there are name, keys, ${Object.keys(channelFields).join(', ')}`);
      continue;
    }
    if (key === 'setting') {
      const setting = readSetting(member, references, report);
      keepsProxy = setting.keepsProxy;
      input.setting = setting.text;
      continue;
    }
    const value = readers[known.form](plainOf(member.at));
    if (value instanceof Wrong) report(member.line, `${key}: must be ${value.wanted}`);
    else input[known.input] = value;
  }
  const columns = faults.length > found ? undefined : judge(input as ChannelInput, { entry, members, report });
  // Nothing is sealed for a proxy that the file does not name.
  const place = columns && keepsProxy ? { ...columns, setting: withProxy(columns.setting, '?') } : columns;
  const keys = place && readKeys(members.get('keys'), place, references, report);
  if (columns === undefined || faults.length > found) return undefined;
  const status = input.status === channelStatus.disabled ? channelStatus.disabled : channelStatus.enabled;
  return {
    name: columns.name,
    line: entry.line,
    columns,
    status,
    fields: describeChannel({ ...columns, status }),
    keys,
    keepsProxy,
  };
}

/** A value has another form than its field. */
class Wrong {
  readonly wanted: string;
  constructor(wanted: string) {
    this.wanted = wanted;
  }
}

const readers: Readonly<Record<(typeof channelFields)[string]['form'], (value: Value) => Value | Wrong>> = {
  type: (value) =>
    channelTypes.find(({ type, label }) => type === value || label === value)?.type ??
    new Wrong('the name or the number of a channel type'),
  text: (value) => (typeof value === 'string' ? value : new Wrong('a text')),
  whole: (value) => (Number.isSafeInteger(value) ? value : new Wrong('a whole number')),
  flag: (value) => (typeof value === 'boolean' ? Number(value) : new Wrong('true or false')),
  status: (value) => {
    if (value === 'enabled') return channelStatus.enabled;
    return value === 'disabled' ? channelStatus.disabled : new Wrong('enabled or disabled');
  },
  list: (value) => {
    const isListed = Array.isArray(value) && value.every((each: Value) => typeof each === 'string' && !each.includes(','));
    return isListed
      ? (value as readonly string[]).join(',')
      : new Wrong('a list of texts without commas; quote what looks like a number');
  },
  json: (value) => {
    if (typeof value === 'string') return value;
    return isRecord(value) ? JSON.stringify(value) : new Wrong('a map, or JSON as a text');
  },
};

function readSetting(member: Member, references: References, report: Report): { text: string; keepsProxy: boolean } {
  const { value } = member.at;
  const proxy = value instanceof Map ? (value as ReadonlyMap<string, Member>).get('proxy') : undefined;
  const whole = readers.json(plainOf(member.at));
  if (whole instanceof Wrong) report(member.line, `setting: must be ${whole.wanted}`);
  if (proxy === undefined || !isReference(proxy.at)) {
    const text = typeof whole === 'string' ? whole : '';
    return { text, keepsProxy: false };
  }
  const rest = plainOf(member.at) as { [name: string]: Value };
  const keepsProxy = isRecord(rest.proxy ?? null) && Object.hasOwn(rest.proxy as object, 'keep');
  const secret = keepsProxy ? new Secret('') : readReference(references, proxy.at, proxyBinding);
  if (typeof secret === 'string') report(proxy.line, `setting.proxy: ${secret}`);
  return { text: JSON.stringify({ ...rest, proxy: secret instanceof Secret ? secret.plain() : '' }), keepsProxy };
}

interface Entry {
  readonly entry: Located;
  readonly members: ReadonlyMap<string, Member>;
  readonly report: Report;
}

/** What the console's own route says to it: the shape, then each field, then all together. */
function judge(input: ChannelInput, { entry, members, report }: Entry): ChannelColumns | undefined {
  const lineOf = (name: string): number => {
    const [written = name] = Object.entries(channelFields).find(([, { input: entered }]) => entered === name) ?? [];
    return members.get(written)?.line ?? entry.line;
  };
  const parsed = channelBody.safeParse(input);
  for (const { path, message } of parsed.success ? [] : parsed.error.issues) {
    report(lineOf(String(path[0])), `${String(path[0])}: ${message}`);
  }
  if (!parsed.success) return undefined;
  let isSound = true;
  for (const [name, value] of Object.entries(parsed.data)) {
    const fault = refusalOf(() => readColumns({ [name]: value }));
    if (fault === undefined) continue;
    report(lineOf(name), `${name}: ${fault}`);
    isSound = false;
  }
  if (!isSound) return undefined;
  let columns: ChannelColumns | undefined;
  const fault = refusalOf(() => {
    columns = completeColumns(parsed.data);
  });
  if (fault !== undefined) report(entry.line, fault);
  return columns;
}

function readKeys(
  member: Member | undefined,
  columns: ChannelColumns,
  references: References,
  report: Report,
): readonly Secret[] | undefined {
  if (member === undefined) return undefined;
  const { value } = member.at;
  if (!isList(value)) {
    report(member.line, 'keys: must be a list of { sealed: ... } or { env: NAME }');
    return undefined;
  }
  const secrets = value.map((each) => ({ line: each.line, secret: readReference(references, each, keyBinding(columns)) }));
  for (const { line, secret } of secrets) if (typeof secret === 'string') report(line, `keys: ${secret}`);
  const plains = secrets.flatMap(({ secret }) => (secret instanceof Secret ? [secret.plain() ?? ''] : []));
  if (plains.length < secrets.length) return undefined;
  let lines: string[] = [];
  const fault = refusalOf(() => {
    lines = keyLines(columns.type, plains.join('\n'));
  });
  if (fault !== undefined) report(member.line, `keys: ${fault}`);
  if (lines.length > 1 && multiKeyMode(columns.setting) === undefined) {
    report(member.line, 'keys: more than one needs setting.multi_key: random or polling');
  }
  // As they are stored: each once.
  return [...new Set(lines)].map((line) => new Secret(line));
}

/** Why our rules refuse something; undefined = they do not. */
export function refusalOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof PublicError) return error.message;
    throw error;
  }
}
