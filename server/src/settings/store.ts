import type { OptionRow, PriceOption } from '@tollgate/contract';
import { type Actor, commandLine, recordAudit } from '../audit/index.ts';
import type { ChangeSignal } from '../platform/change-signal.ts';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import type { Crypto } from '../platform/crypto.ts';
import { PublicError } from '../platform/errors.ts';
import { notifyChange } from '../storage/changes.ts';
import type { Database, Work } from '../storage/database.ts';
import type { SealedColumn } from '../storage/reseal.ts';
import { definitions, isOptionKey, type OptionKey, type Options, optionKeys } from './definitions.ts';
import { type JournalEntry, recordVersion } from './journal.ts';
import { type OptionKind, OptionRefused } from './kinds.ts';
import { checkRequirements } from './requirements.ts';

export interface SettingsDeps {
  db: Database;
  clock: Clock;
  crypto: Crypto;
  changes: ChangeSignal;
  /** A stored value that cannot be used; the default stands in for it. */
  warn(fault: { option: string; reason: string }): void;
}

export interface OptionChange {
  key: string;
  value: string | number | boolean;
}

export interface Settings {
  /** The options as of the last refresh; never waits. */
  current(): Options;
  /** Reads the options again: at the start and on every change of kind `option`. */
  refresh(): Promise<Options>;
  /** All options as text, secrets blank. */
  list(): Promise<OptionRow[]>;
  /** Checks and writes all changes or none. Throws PublicError `option_unknown` or `option_invalid`. */
  save(changes: readonly OptionChange[], actor?: Actor, note?: string): Promise<void>;
  /** The options as they would be after these changes; nothing is written. Throws like `save`. */
  tryOut(changes: readonly OptionChange[]): Options;
}

type StoredRow = { key: string; value: string };

export async function createSettings(deps: SettingsDeps): Promise<Settings> {
  let options = await loadOptions(deps);
  let refreshing: Promise<unknown> = Promise.resolve();
  // One after the other: an older read must not overwrite a newer one.
  const refresh = (): Promise<Options> => {
    const next = refreshing.then(async () => {
      options = await loadOptions(deps);
      return options;
    });
    refreshing = next.catch(() => undefined);
    return next;
  };
  return {
    current: () => options,
    refresh,
    list: async () => listRows(readRows(await deps.db.read.selectFrom('option').selectAll().execute(), deps)),
    async save(changes, actor = commandLine, note = '') {
      await saveOptions(deps, changes, actor, note);
      deps.changes.notify();
      await refresh();
    },
    tryOut: (changes) => Object.freeze({ ...options, ...Object.fromEntries(readChanges(changes)) }),
  };
}

/** Defaults overwritten by the stored rows, as one immutable record. */
async function loadOptions(deps: Pick<SettingsDeps, 'db' | 'crypto' | 'warn'>): Promise<Options> {
  return toOptions(readRows(await deps.db.read.selectFrom('option').selectAll().execute(), deps));
}

type Values = ReadonlyMap<OptionKey, unknown>;

function readRows(rows: readonly StoredRow[], { crypto, warn }: Pick<SettingsDeps, 'crypto' | 'warn'>): Values {
  const values = new Map<OptionKey, unknown>();
  for (const { key, value } of rows) {
    if (!isOptionKey(key)) continue;
    try {
      const kind = kindOf(key);
      values.set(key, kind.read(kind.secret && value !== '' ? crypto.open(value, binding(key)) : value));
    } catch (error) {
      warn({ option: key, reason: error instanceof Error ? error.message : 'unreadable' });
    }
  }
  return values;
}

function toOptions(values: Values): Options {
  const record = Object.fromEntries(optionKeys.map((key) => [key, values.get(key) ?? kindOf(key).fallback]));
  return Object.freeze(record) as Options;
}

function listRows(values: Values): OptionRow[] {
  return optionKeys.map((key) => {
    const kind = kindOf(key);
    const value = textOf(key, values);
    if (kind.secret) return { key, value: '', is_set: value !== '' };
    return { key, value, default: kind.write(kind.fallback), ...kind.limits };
  });
}

function readChanges(changes: readonly OptionChange[]): Map<OptionKey, unknown> {
  const submitted = new Map<OptionKey, unknown>();
  for (const { key, value } of changes) {
    if (!isOptionKey(key)) throw new PublicError('option_unknown');
    submitted.set(
      key,
      refusing(() => kindOf(key).read(String(value))),
    );
  }
  return submitted;
}

async function saveOptions(deps: SettingsDeps, changes: readonly OptionChange[], actor: Actor, note: string): Promise<void> {
  const submitted = readChanges(changes);
  await deps.db.transaction(async (tx) => {
    await tx.perform(oneAfterTheOther());
    const before = readRows(await tx.query.selectFrom('option').selectAll().execute(), deps);
    const written = new Map([...submitted, ...droppedSecrets(submitted, before)]);
    refusing(() => checkRequirements(new Set(submitted.keys()), toOptions(new Map([...before, ...written]))));
    for (const [key, value] of written) {
      const row = { key, value: storedText(key, value, deps.crypto) };
      await tx.query
        .insertInto('option')
        .values(row)
        .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: row.value }))
        .execute();
      await tx.perform(notifyChange('option', key, nowSeconds(deps.clock)));
    }
    const now = nowSeconds(deps.clock);
    const after = new Map([...before, ...written]);
    const entries = [...written.keys()].flatMap((key) => journalEntry(key, textOf(key, before), textOf(key, after)));
    const priceBefore = (key: PriceOption) => textOf(key, before);
    await recordVersion(tx, { actor, note, now, entries, priceBefore, priceAfter: (key) => textOf(key, after) });
    for (const [key, value] of written) {
      const detail = { from: auditText(key, before.get(key), deps.crypto), to: auditText(key, value, deps.crypto) };
      if (detail.from === detail.to) continue;
      await tx.perform(recordAudit({ actor, action: 'option.change', target: `option:${key}`, detail, now }));
    }
  });
}

/** Why a text is no value of this option, as the code of the refusal; undefined = it is one. */
export function optionFault(key: string, text: string): string | undefined {
  if (!isOptionKey(key)) return 'option_unknown';
  try {
    kindOf(key).read(text);
    return undefined;
  } catch (error) {
    if (error instanceof OptionRefused) return error.code;
    throw error;
  }
}

function textOf(key: OptionKey, values: Values): string {
  return kindOf(key).write(values.get(key) ?? kindOf(key).fallback);
}

function journalEntry(key: OptionKey, from: string, to: string): JournalEntry[] {
  if (from === to) return [];
  return [kindOf(key).secret ? { key, from: undefined, to: undefined } : { key, from, to }];
}

/** Saves at the same time would each check and remember a state without the other; every save ends at this row anyway. */
function* oneAfterTheOther(): Work<void> {
  yield { sql: 'SELECT seq FROM audit_head WHERE id = 1', parameters: [], lock: 'wait' };
}

const maxAuditedText = 4096;

/** An option's text as the audit log keeps it: secrets and very long texts as a keyed hash. */
function auditText(key: OptionKey, value: unknown, crypto: Crypto): string {
  const kind = kindOf(key);
  const text = kind.write(value ?? kind.fallback);
  const isPlain = text.length <= maxAuditedText && !kind.secret;
  return text === '' || isPlain ? text : `hmac-sha256:${crypto.hmac('audit', text)}`;
}

/** Secrets whose destination changes to another origin without a new secret. */
function droppedSecrets(submitted: Values, before: Values): [OptionKey, ''][] {
  const moves = (place: string): boolean => {
    if (!isOptionKey(place) || !submitted.has(place)) return false;
    const from = originOf(before.get(place));
    return from !== '' && from !== originOf(submitted.get(place));
  };
  return optionKeys.flatMap((key): [OptionKey, ''][] => {
    const places = kindOf(key).boundTo ?? [];
    return !submitted.has(key) && places.some(moves) ? [[key, '']] : [];
  });
}

function originOf(address: unknown): string {
  if (typeof address !== 'string') return '';
  return URL.parse(address)?.origin ?? address;
}

function storedText(key: OptionKey, value: unknown, crypto: Crypto): string {
  const kind = kindOf(key);
  const text = kind.write(value);
  return kind.secret && text !== '' ? crypto.seal(text, binding(key)) : text;
}

function binding(key: OptionKey): string {
  return `option/value/${key}`;
}

/** Where the secrets among them lie sealed. */
export const sealedOptions: SealedColumn = {
  table: 'option',
  key: 'key',
  column: 'value',
  binding: ({ key }) => (isOptionKey(String(key)) && kindOf(String(key) as OptionKey).secret ? `option/value/${key}` : undefined),
};

/** The kinds differ in their value's type; reading and writing stay inside one kind, so `unknown` is safe here. */
function kindOf(key: OptionKey): OptionKind<unknown> {
  return definitions[key] as OptionKind<unknown>;
}

function refusing<Value>(check: () => Value): Value {
  try {
    return check();
  } catch (error) {
    if (error instanceof OptionRefused) throw new PublicError(error.code, error.values);
    throw error;
  }
}
