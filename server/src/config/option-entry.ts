import { normalOption, type OptionShape, optionShapes, placesOfSecret } from '../settings/index.ts';
import { refusalOf } from './channel-entry.ts';
import { type Fault, type Located, membersOf, plainOf } from './located.ts';
import { type MapSection, mapSections, spreadOptions } from './option-maps.ts';
import { type References, readReference } from './references.ts';
import { type Fields, Secret, type Value } from './value.ts';

/** What a secret option is bound to: itself, and where the other options send it. */
export function optionBinding(key: string, texts: ReadonlyMap<string, string>): string {
  return ['config/option', key, ...placesOfSecret(key, texts)].join('/');
}

/** An option's text as a file writes it. */
export function describeOption({ form }: OptionShape, text: string): Value {
  if (form === 'secret') return text === '' ? '' : new Secret(text);
  if (form === 'flag') return text === 'true';
  if (form === 'number') return Number(text);
  return form === 'json' ? (JSON.parse(text) as Value) : text;
}

/** A map section as the file wants it: name -> fields, values as they would be stored. */
export function readEntries(section: MapSection, located: Located, faults: Fault[]): ReadonlyMap<string, Fields> {
  const known: Readonly<Record<string, string>> = mapSections[section];
  const wanted = new Map<string, Fields>();
  for (const [name, { at }] of membersOf(located, section, faults)) {
    const fields = new Map<string, Value>();
    for (const [field, member] of membersOf(at, `${section}: ${name}`, faults)) {
      const report = (text: string): void =>
        void faults.push({ line: member.line, text: `${section}: ${name}: ${field}: ${text}` });
      const key = Object.hasOwn(known, field) ? known[field] : undefined;
      if (key === undefined) {
        report(`there is no such field; there are ${Object.keys(known).join(', ')}`);
        continue;
      }
      const fault = refusalOf(() => {
        const text = normalOption(key, JSON.stringify(Object.fromEntries([[name, plainOf(member.at)]])));
        const value = (JSON.parse(text) as Record<string, Value>)[name];
        if (value !== undefined) fields.set(field, value);
      });
      if (fault !== undefined) report(fault);
    }
    wanted.set(name, fields);
  }
  return wanted;
}

/** An option as the file wants it, as it would be stored; a secret in plain. */
export interface WantedOption {
  readonly line: number;
  readonly text: string;
}

/**
 * The options as the file wants them. `texts`: those of now, which say where secrets go where the file does not.
 */
export function readOptions(
  located: Located,
  texts: ReadonlyMap<string, string>,
  references: References,
  faults: Fault[],
): ReadonlyMap<string, WantedOption> {
  const wanted = new Map<string, WantedOption>();
  const secrets: [string, Located][] = [];
  for (const [key, { line, at }] of membersOf(located, 'options', faults)) {
    const report = (text: string): void => void faults.push({ line, text: `options: ${key}: ${text}` });
    const shape = optionShapes.get(key);
    if (shape === undefined) report('there is no such option');
    else if (spreadOptions.has(key)) report('is written under prices or groups, entry by entry');
    else if (shape.form === 'secret' && at.value !== '') secrets.push([key, at]);
    else {
      const text = textOf(shape, plainOf(at));
      if (text === undefined) report(`must be ${forms[shape.form]}`);
      else {
        const fault = refusalOf(() => wanted.set(key, { line, text: normalOption(key, text) }));
        if (fault !== undefined) report(fault);
      }
    }
  }
  // Now it is known where they would be sent.
  const places = new Map([...texts, ...[...wanted].map(([key, { text }]) => [key, text] as const)]);
  for (const [key, at] of secrets) {
    const report = (text: string): void => void faults.push({ line: at.line, text: `options: ${key}: ${text}` });
    const secret = readReference(references, at, optionBinding(key, places));
    if (typeof secret === 'string') {
      report(secret);
      continue;
    }
    const fault = refusalOf(() => wanted.set(key, { line: at.line, text: normalOption(key, secret.plain() ?? '') }));
    if (fault !== undefined) report(fault);
  }
  return wanted;
}

const forms = {
  flag: 'true or false',
  number: 'a number',
  text: 'a text',
  json: 'a map or a list',
  secret: 'a reference',
} as const;

function textOf({ form }: OptionShape, value: Value): string | undefined {
  if (form === 'flag') return typeof value === 'boolean' ? String(value) : undefined;
  if (form === 'number') return typeof value === 'number' ? decimal(value) : undefined;
  if (form === 'json') return typeof value === 'object' && value !== null ? JSON.stringify(value) : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** Without an exponent, as options are entered. */
function decimal(value: number): string {
  return String(value).includes('e') ? value.toFixed(12) : String(value);
}
