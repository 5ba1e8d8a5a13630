import { sha256 } from '../platform/crypto.ts';
import { type Change, formatVersion, type Plan, type Steps, sections } from './change.ts';
import { readChannel, type WantedChannel } from './channel-entry.ts';
import { type Fault, isList, type Located, membersOf, readYaml } from './located.ts';
import { planChannels } from './plan-channels.ts';
import { planOptions } from './plan-options.ts';
import type { Present } from './present.ts';
import type { References } from './references.ts';

/** A file as it was read. */
export interface ConfigFile {
  readonly sections: ReadonlyMap<string, Located>;
  readonly channels: readonly WantedChannel[];
  readonly faults: readonly Fault[];
  /** SHA-256 of its text. */
  readonly digest: string;
  readonly references: References;
}

/** Reads what does not depend on what is here: the long part, so that it is done before anybody has to wait. */
export function readConfig(text: string, references: References): ConfigFile {
  const faults: Fault[] = [];
  const found = readSections(text, faults);
  const list = found.get('channels');
  const entries = list === undefined ? [] : channelList(list, faults);
  const channels = entries.flatMap((each) => readChannel(each, references, faults) ?? []);
  return { sections: found, channels, faults, digest: sha256(text), references };
}

/** What makes the configuration that of the file, to be shown and to be done. Nothing may be done of a plan with faults. */
export function planFor(present: Present, file: ConfigFile, { prune }: { prune: boolean }): { plan: Plan; steps: Steps } {
  const faults = [...file.faults];
  const changes: Change[] = [];
  const steps: Steps = { remove: [], update: [], create: [], options: [] };
  const unnamed: Record<string, number> = {};
  if (file.sections.has('channels')) {
    const part = planChannels(present.channels, file.channels, { prune, faults });
    changes.push(...part.changes);
    Object.assign(steps, part.steps);
    unnamed.channels = part.unnamed;
  }
  const options = planOptions(present.options, file.sections, { prune, faults, references: file.references });
  changes.push(...options.changes);
  steps.options.push(...options.steps);
  Object.assign(unnamed, options.unnamed);
  faults.sort((left, right) => left.line - right.line);
  return { plan: { changes, faults, unnamed }, steps };
}

function readSections(text: string, faults: Fault[]): ReadonlyMap<string, Located> {
  const root = readYaml(text, faults);
  if (root === undefined) return new Map();
  const members = membersOf(root, 'the file', faults);
  const version = members.get('version');
  if (version?.at.value !== formatVersion) faults.push({ line: version?.line ?? 1, text: `version: must be ${formatVersion}` });
  const known: readonly string[] = sections;
  for (const [name, { line }] of members) {
    if (name === 'version' || known.includes(name)) continue;
    faults.push({ line, text: `${name}: there is no such section; there are version, ${known.join(', ')}` });
  }
  // A name with nothing behind it says nothing; to mean that there are none one writes so.
  return new Map([...members].flatMap(([name, { at }]) => (at.value === null ? [] : [[name, at]])));
}

function channelList({ line, value }: Located, faults: Fault[]): readonly Located[] {
  if (isList(value)) return value;
  faults.push({ line, text: 'channels: must be a list' });
  return [];
}
