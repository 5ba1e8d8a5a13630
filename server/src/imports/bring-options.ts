import { PublicError } from '../platform/errors.ts';
import { isOptionKey, type OptionChange, optionFault, placeOptionsOf } from '../settings/index.ts';
import type { Transaction } from '../storage/database.ts';
import { type MappedOption, mapOptions } from './map-options.ts';
import { type Mark, readMarks, writeMark } from './marks.ts';
import { belowAllIds, type Row } from './source.ts';
import type { Run } from './work.ts';

const maxRows = 100_000;

/** Options, prices and groups. What was changed here after it came is not changed back. */
export async function bringOptions(run: Run): Promise<void> {
  const { tally, product } = run;
  const rows = await readRows(run);
  const { options, notes } = mapOptions(product, rows, isOptionKey);
  const counts = tally.counts.options;
  counts.found += rows.options.length + rows.prices.length + rows.groups.length;
  for (const { what, key, detail } of notes) tally.note('options', what, key, detail);
  const keys = options.map(({ key }) => key);
  const marks = await readMarks(run.db?.read, product, 'option', keys);
  const fresh = options.filter(({ key }) => !marks.has(key));
  const changed = options.filter((option) => isChanged(run, option, marks.get(option.key)));
  counts.changed += changed.length;
  counts.known += options.length - fresh.length - changed.length;
  const refused = await save(run, run.mode === 'delta' ? [...fresh, ...changed, ...secretsOf(changed, options)] : fresh, marks);
  for (const [key, reason] of refused) tally.note('options', 'refused', key, reason);
  const isRefused = (option: MappedOption): boolean => refused.has(option.key);
  counts.skipped += fresh.filter(isRefused).length;
  counts.imported += fresh.length - fresh.filter(isRefused).length;
}

async function readRows({ source, product }: Run) {
  const all = async (table: string, key: string): Promise<readonly Row[]> => {
    const after = key === 'id' ? belowAllIds : '';
    return source.tables.has(table) ? source.page(table, { key, after, limit: maxRows }) : [];
  };
  const isHub = product === 'one-hub';
  return {
    options: await all('options', 'key'),
    prices: isHub ? await all('prices', 'model') : [],
    groups: isHub ? await all('user_groups', 'id') : [],
  };
}

/** Keyed: a short password would be guessed from a plain digest. */
function digestOf({ crypto }: Run, { key, value }: MappedOption): string {
  return crypto.hmac('audit', `${key}=${value}`);
}

function isChanged(run: Run, option: MappedOption, mark: Mark | undefined): boolean {
  return mark !== undefined && mark.state.digest !== digestOf(run, option);
}

/** The secrets that are sent to places which changed: without them a save takes away those of before. */
function secretsOf(changed: readonly MappedOption[], options: readonly MappedOption[]): MappedOption[] {
  const keys = new Set(changed.map(({ key }) => key));
  return options.filter(({ key }) => !keys.has(key) && placeOptionsOf(key).some((place) => keys.has(place)));
}

/** Writes what differs; answers what is not acceptable here, with the reason. */
async function save(
  run: Run,
  options: readonly MappedOption[],
  marks: ReadonlyMap<string, Mark>,
): Promise<ReadonlyMap<string, string>> {
  const { db, settings, mode } = run;
  const refused = new Map<string, string>();
  const sound = options.filter(({ key, value }) => {
    const fault = optionFault(key, value);
    if (fault !== undefined) refused.set(key, fault);
    return fault === undefined;
  });
  if (mode === 'dry-run' || db === undefined || settings === undefined) return refused;
  const present = new Map((await settings.list()).map(({ key, value }) => [key, value]));
  const isChange = ({ key, value }: MappedOption) => value !== '' && present.get(key) !== value;
  const changes = sound.filter(isChange).sort((left, right) => turnOf(left) - turnOf(right));
  try {
    if (changes.length > 0) await settings.save(changes, undefined, 'import', remember(run, changes, marks));
  } catch (error) {
    if (!(error instanceof PublicError)) throw error;
    for (const change of changes) await saveAlone(run, change, marks, refused);
  }
  const equal = sound.filter((option) => !isChange(option));
  if (equal.length > 0) await db.transaction(remember(run, equal, marks));
  return refused;
}

/** In the transaction of the save: of two runs the one that comes too late must not write over what was changed here since. */
function remember(run: Run, options: readonly MappedOption[], marks: ReadonlyMap<string, Mark>) {
  return async (tx: Transaction): Promise<void> => {
    for (const option of options) {
      const place = { source: run.product, kind: 'option', key: option.key };
      const after = { targetId: 0, state: { digest: digestOf(run, option) } };
      await writeMark(tx, place, { before: marks.get(option.key), after });
    }
  };
}

/** One by one a secret must not come before its place, and some switches ask for texts that come with them. */
function turnOf({ key, value }: OptionChange): number {
  if (value === 'true') return 2;
  return placeOptionsOf(key).length > 0 ? 1 : 0;
}

async function saveAlone(
  run: Run,
  change: MappedOption,
  marks: ReadonlyMap<string, Mark>,
  refused: Map<string, string>,
): Promise<void> {
  try {
    await run.settings?.save([change], undefined, 'import', remember(run, [change], marks));
  } catch (error) {
    if (!(error instanceof PublicError)) throw error;
    refused.set(change.key, error.code);
  }
}
