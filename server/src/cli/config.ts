import { readFileSync } from 'node:fs';
import { commandLine } from '../audit/index.ts';
import {
  applyConfig,
  type Change,
  ConfigRefused,
  countsOf,
  exportConfig,
  type Fault,
  type FieldChange,
  type Plan,
  planFor,
  readConfig,
  readPresent,
  type SecretForm,
} from '../config/index.ts';
import { readEnv } from '../env.ts';
import { replaceFile } from '../platform/durable.ts';
import { lookedAt, presentCrypto, written } from './database.ts';
import { type CliWorld, type Outcome, UsageError } from './outcome.ts';

export interface ExportOptions {
  readonly to?: string;
  readonly secrets?: SecretForm;
}

/** Channels, prices, groups and options as a file, or printed. */
export function exportConfigCommand(world: CliWorld, { to, secrets = 'sealed' }: ExportOptions): Promise<Outcome> {
  return lookedAt(world, async (db, env) => {
    const crypto = await presentCrypto(db, env);
    const present = await readPresent(db.read, crypto);
    const yaml = exportConfig(present, { secrets, crypto });
    const channels = present.channels.length;
    if (to === undefined) return { exitCode: 0, text: yaml.trimEnd(), json: { channels, secrets, yaml } };
    replaceFile(to, yaml);
    return {
      exitCode: 0,
      text: `${channels} channels, prices, groups and options are in ${to}.`,
      json: { channels, secrets, file: to },
    };
  });
}

/** What applying the file would change; changes nothing. */
export function planConfigCommand(world: CliWorld, file: string, { prune = false }: { prune?: boolean }): Promise<Outcome> {
  const text = readText(file);
  return lookedAt(world, async (db, env) => {
    const crypto = await presentCrypto(db, env);
    const wanted = readConfig(text, { crypto, env: world.env });
    const { plan } = planFor(await readPresent(db.read, crypto), wanted, { prune });
    if (plan.faults.length > 0) return refusal(file, plan.faults);
    const lines = [...described(plan), summary(plan, 'to create', 'to change', 'to delete'), ...unnamedLines(plan, prune)];
    return { exitCode: plan.changes.length === 0 ? 0 : 1, text: lines.join('\n'), json: jsonOf(plan, false) };
  });
}

/** Makes the configuration that of the file, all of it or nothing; also beside a running server. */
export function applyConfigCommand(world: CliWorld, file: string, { prune = false }: { prune?: boolean }): Promise<Outcome> {
  const text = readText(file);
  return written(world, async ({ db, clock }) => {
    const wanted = readConfig(text, { crypto: await presentCrypto(db, readEnv(world.env)), env: world.env });
    try {
      const plan = await applyConfig({ db, clock, actor: commandLine }, wanted, { prune });
      const done = plan.changes.length === 0 ? [] : ['Running servers know within seconds.'];
      const lines = [...described(plan), summary(plan, 'created', 'changed', 'deleted'), ...done];
      return { exitCode: 0, text: lines.join('\n'), json: jsonOf(plan, true) };
    } catch (error) {
      if (!(error instanceof ConfigRefused)) throw error;
      return refusal(file, error.faults);
    }
  });
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const mostFaults = 200;

function refusal(file: string, faults: readonly Fault[]): Outcome {
  const shown = faults.slice(0, mostFaults).map(({ line, text }) => `${file}${line === 0 ? '' : `:${line}`}: ${visible(text)}`);
  const more = faults.length > shown.length ? [`and ${faults.length - shown.length} more`] : [];
  const text = [...shown, ...more, 'Nothing was changed.'].join('\n');
  return { exitCode: 2, text, json: { error: `${faults.length} faults in ${file}`, faults: faults.slice(0, mostFaults) } };
}

function jsonOf(plan: Plan, applied: boolean) {
  return {
    ok: true,
    applied: applied && plan.changes.length > 0,
    ...countsOf(plan),
    changes: plan.changes,
    unnamed: plan.unnamed,
  };
}

const marks = { create: '+', change: '~', delete: '-' } as const;
const nouns = { channels: 'channel', prices: 'price', groups: 'group', options: 'option' } as const;

function described({ changes }: Plan): string[] {
  return changes.flatMap(({ action, section, name, fields }: Change) => [
    `${marks[action]} ${nouns[section]} ${visible(name)}`,
    ...fields.map((field) => `    ${fieldLine(field, action)}`),
  ]);
}

function fieldLine({ field, from, to, secret }: FieldChange, action: Change['action']): string {
  if (secret) return `${field}: ${action === 'create' ? 'set' : 'changed'}`;
  if (from === undefined) return `${field}: ${shown(to)}`;
  return `${field}: ${shown(from)} -> ${to === undefined ? 'default' : shown(to)}`;
}

/** Without what a terminal would take for a command. */
const visible = (text: string): string => text.replaceAll(/\p{Cc}/gu, ' ');

const longestShown = 160;

function shown(value: unknown): string {
  const text = visible(JSON.stringify(value));
  return text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
}

function summary(plan: Plan, ...[create, change, remove]: readonly string[]): string {
  const { created, changed, deleted } = countsOf(plan);
  if (plan.changes.length === 0) return 'Nothing to do: everything is as the file says.';
  return `${created} ${create}, ${changed} ${change}, ${deleted} ${remove}.`;
}

function unnamedLines({ unnamed }: Plan, prune: boolean): string[] {
  const counts = Object.entries(unnamed).filter(([, count]) => count > 0);
  if (prune || counts.length === 0) return [];
  return [
    `Not in the file, and staying (--prune removes them): ${counts.map(([name, count]) => `${count} ${name}`).join(', ')}.`,
  ];
}
