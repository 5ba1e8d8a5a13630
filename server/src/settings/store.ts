import type { OptionRow, PriceOption } from '@tollgate/contract';
import { type Actor, commandLine, recordAudit } from '../audit/index.ts';
import type { ChangeSignal } from '../platform/change-signal.ts';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import type { Crypto } from '../platform/crypto.ts';
import { PublicError } from '../platform/errors.ts';
import { notifyChange } from '../storage/changes.ts';
import type { Database, Transaction, Work } from '../storage/database.ts';
import { type OptionKey, type Options, optionKeys } from './definitions.ts';
import { type JournalEntry, recordVersion } from './journal.ts';
import { checkRequirements } from './requirements.ts';
import {
  droppedSecrets,
  kindOf,
  movedOption,
  type OptionChange,
  type Reading,
  readChanges,
  readOptions,
  readRows,
  refusing,
  standInsOf,
  storedText,
  textOf,
  toOptions,
  withChanges,
} from './values.ts';

export interface SettingsDeps {
  db: Database;
  clock: Clock;
  crypto: Crypto;
  changes: ChangeSignal;
  /** A stored value that cannot be used; the last good one stands in for it, or one that opens nothing. */
  warn(fault: { option: string; reason: string }): void;
}

/** What stands or falls with a save. */
export type Also = (tx: Transaction) => Promise<unknown>;

export interface Settings {
  /** The options as of the last refresh; never waits. */
  current(): Options;
  /** Reads the options again: at the start and on every change of kind `option`. */
  refresh(): Promise<Options>;
  /** All options as text, secrets blank. One that cannot be read shows what counts in its place. */
  list(): Promise<OptionRow[]>;
  /**
   * Checks and writes all changes or none, `also` what goes with them. Throws PublicError `option_unknown`, `option_invalid`
   * or `option_moved`.
   */
  save(changes: readonly OptionChange[], actor?: Actor, note?: string, also?: Also): Promise<void>;
  /** The options as they would be after these changes; nothing is written. Throws like `save`. */
  tryOut(changes: readonly OptionChange[]): Options;
}

export async function createSettings(deps: SettingsDeps): Promise<Settings> {
  let options = await loadOptions(deps);
  let refreshing: Promise<unknown> = Promise.resolve();
  // One after the other: an older read must not overwrite a newer one.
  const refresh = (): Promise<Options> => {
    const next = refreshing.then(async () => {
      options = await loadOptions(deps, options);
      return options;
    });
    refreshing = next.catch(() => undefined);
    return next;
  };
  return {
    current: () => options,
    refresh,
    list: async () => listRows(await loadOptions(deps, options)),
    async save(changes, actor = commandLine, note = '', also = undefined) {
      await saveOptions(deps, changes, { actor, note, also });
      deps.changes.notify();
      await refresh();
    },
    tryOut: (changes) => withChanges(options, readChanges(changes)),
  };
}

/** Defaults overwritten by the stored rows, as one immutable record. */
async function loadOptions(deps: Pick<SettingsDeps, 'db' | 'crypto' | 'warn'>, before?: Options): Promise<Options> {
  return readOptions(await deps.db.read.selectFrom('option').selectAll().execute(), deps, before);
}

function listRows(options: Options): OptionRow[] {
  const unreadable = standInsOf(options);
  return optionKeys.map((key) => {
    const kind = kindOf(key);
    const value = kind.write(options[key]);
    if (kind.secret) return { key, value: '', is_set: value !== '' || unreadable.has(key) };
    return { key, value, default: kind.write(kind.fallback), ...kind.limits };
  });
}

async function saveOptions(
  deps: SettingsDeps,
  changes: readonly OptionChange[],
  { also, ...by }: { actor: Actor; note: string; also: Also | undefined },
): Promise<void> {
  // Before the transaction: what cannot be read needs none.
  readChanges(changes);
  const now = nowSeconds(deps.clock);
  await deps.db.transaction(async (tx) => {
    await saveOptionsIn(tx, changes, { ...deps, ...by, now });
    await also?.(tx);
  });
}

/** What `save` does, inside the caller's transaction; `now` in unix seconds. Throws like it. */
export async function saveOptionsIn(
  tx: Transaction,
  changes: readonly OptionChange[],
  { actor, note, now, ...deps }: Reading & { actor: Actor; note: string; now: number },
): Promise<void> {
  const submitted = readChanges(changes);
  await tx.perform(oneAfterTheOther());
  const unreadable = new Set<string>();
  const warn: Reading['warn'] = (fault) => {
    unreadable.add(fault.option);
    deps.warn(fault);
  };
  const before = readRows(await tx.query.selectFrom('option').selectAll().execute(), { ...deps, warn });
  // Of what cannot be read its editor saw what stands in for it.
  const moved = movedOption(
    changes.filter(({ key }) => !unreadable.has(key)),
    before,
  );
  if (moved !== undefined) throw new PublicError('option_moved', { option: moved });
  const written = new Map([...submitted, ...droppedSecrets(submitted, before)]);
  refusing(() => checkRequirements(new Set(submitted.keys()), toOptions(new Map([...before, ...written]))));
  for (const [key, value] of written) {
    const row = { key, value: storedText(key, value, deps.crypto) };
    await tx.query
      .insertInto('option')
      .values(row)
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: row.value }))
      .execute();
    await tx.perform(notifyChange('option', key, now));
  }
  const after = new Map([...before, ...written]);
  const entries = [...written.keys()].flatMap((key) => journalEntry(key, textOf(key, before), textOf(key, after)));
  const priceBefore = (key: PriceOption) => textOf(key, before);
  await recordVersion(tx, { actor, note, now, entries, priceBefore, priceAfter: (key) => textOf(key, after) });
  for (const [key, value] of written) {
    const detail = { from: auditText(key, before.get(key), deps.crypto), to: auditText(key, value, deps.crypto) };
    if (detail.from === detail.to) continue;
    await tx.perform(recordAudit({ actor, action: 'option.change', target: `option:${key}`, detail, now }));
  }
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
