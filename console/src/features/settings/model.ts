import type { OptionControl, OptionRow } from '@tollgate/contract';
import {
  settings_address,
  settings_chat_incomplete,
  settings_number,
  settings_number_max,
  settings_number_min,
  settings_number_whole,
} from '../../i18n/generated/messages.ts';
import { type ChatLink, readChats } from '../../lib/chats.ts';
import { formatJson, parseJson } from '../../lib/json.ts';
import { jsonFaultText } from '../../ui/form/JsonField.tsx';
import { allGroups, type Entry } from './entries.ts';

export type Rows = ReadonlyMap<string, OptionRow>;
/** Edited texts by option; a secret stands here only while it is to be changed, "" = cleared. */
export type Draft = Readonly<Record<string, string>>;

export interface Change {
  key: string;
  value: string;
}

const isJson = (control: OptionControl): boolean => control === 'json' || control === 'chats';

/** The text that the form starts with. */
export function shownText({ control }: Entry, value: string): string {
  if (isJson(control)) return formatJson(value);
  return control === 'words' ? value.split(',').join(', ') : value;
}

/** Where a slash at the end would double those of the paths that follow. */
const bases = new Set(['ServerAddress', 'WorkerUrl', 'PayAddress', 'CustomCallbackAddress', 'WeChatServerAddress']);

/** The text that is sent; equal texts mean the same value. */
export function sentText({ key, control }: Entry, text: string): string {
  if (isJson(control)) return formatJson(text, 0);
  if (control === 'words')
    return text
      .split(/[,\s]+/)
      .filter((word) => word !== '')
      .join(',');
  if (control === 'number' || control === 'quota') return /^\d/.test(text.trim()) ? String(Number(text)) : text.trim();
  if (control === 'address') return bases.has(key) ? text.trim().replace(/\/+$/, '') : text.trim();
  return text;
}

/** What a save of these options would send: only what differs from what is stored. */
export function changesOf(entries: readonly Entry[], rows: Rows, draft: Draft): Change[] {
  return entries.flatMap((entry) => {
    const text = draft[entry.key];
    const row = rows.get(entry.key);
    if (text === undefined || row === undefined) return [];
    const value = sentText(entry, text);
    const same = entry.control !== 'secret' && value === sentText(entry, shownText(entry, row.value));
    return same ? [] : [{ key: entry.key, value }];
  });
}

const secrets = new Set(
  allGroups.flatMap(({ entries }) => entries.filter(({ control }) => control === 'secret')).map(({ key }) => key),
);
const placeOf = ({ key, value }: Change): number => (value === 'true' ? 2 : Number(secrets.has(key)));

/**
 * Secrets come after the addresses that they are sent to, as one that moves drops the secret that is there; switches that are
 * turned on come last: what they need is saved before.
 */
export const inOrder = (changes: readonly Change[]): Change[] =>
  changes.toSorted((left, right) => placeOf(left) - placeOf(right));

function numberFault(text: string, { min = 0, max = Number.MAX_SAFE_INTEGER, whole }: OptionRow): string | undefined {
  const value = /^-?\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (Number.isNaN(value)) return settings_number();
  if (whole && !Number.isInteger(value)) return settings_number_whole();
  if (value < min) return settings_number_min({ min });
  return value > max ? settings_number_max({ max }) : undefined;
}

/** Why a text cannot be the value; undefined when the server may judge it. */
export function faultOf({ control }: Entry, row: OptionRow, text: string): string | undefined {
  if (control === 'number' || control === 'quota') return numberFault(text, row);
  if (control === 'json') return jsonFaultText(text.trim() || '?');
  if (control === 'chats') return jsonFaultText(text.trim() || '?') ?? chatsFault(text);
  const isAddress = /^(https?:\/\/[^\s/]|mailto:|\/(?!\/))/i.test(text.trim());
  return control === 'address' && text.trim() !== '' && !isAddress ? settings_address() : undefined;
}

/** The list as rows; undefined when the text is no such list. */
export const chatsIn = (text: string): ChatLink[] | undefined => readChats(parseJson(text));

export const writeChats = (chats: readonly ChatLink[]): string =>
  JSON.stringify(
    chats.map(({ label, template }) => ({ [label]: template })),
    null,
    2,
  );

function chatsFault(text: string): string | undefined {
  const chats = chatsIn(text);
  const names = new Set(chats?.map(({ label }) => label.trim()));
  const complete = chats?.every(({ label, template }) => label.trim() !== '' && template.trim() !== '');
  return chats && complete && names.size === chats.length ? undefined : settings_chat_incomplete();
}
