import {
  type OptionChange,
  optionShapes,
  optionsOf,
  refuseUnusableGroups,
  requirementFaults,
  secretsLost,
} from '../settings/index.ts';
import { type Change, fieldChanges } from './change.ts';
import { refusalOf } from './channel-entry.ts';
import type { Fault, Located } from './located.ts';
import { describeOption, readEntries, readOptions } from './option-entry.ts';
import { gatherEntries, type MapSection, mapSections, sameOrder, spreadEntries, spreadOptions } from './option-maps.ts';
import type { References } from './references.ts';
import { type Fields, sameValue, type Value } from './value.ts';

interface Ask {
  readonly prune: boolean;
  readonly faults: Fault[];
  readonly references: References;
}

type Texts = ReadonlyMap<string, string>;

interface Part {
  readonly changes: Change[];
  readonly steps: OptionChange[];
  readonly unnamed: Readonly<Record<string, number>>;
}

/** Prices, groups and options: all of them lie in options, and are saved in one go. */
export function planOptions(present: Texts, found: ReadonlyMap<string, Located>, ask: Ask): Part {
  const texts = new Map<string, string>();
  const changes: Change[] = [];
  const unnamed: Record<string, number> = {};
  for (const section of Object.keys(mapSections) as MapSection[]) {
    const located = found.get(section);
    if (located === undefined) continue;
    const wanted = readEntries(section, located, ask.faults);
    for (const [key, text] of spreadEntries(section, present, wanted, ask.prune)) texts.set(key, text);
    changes.push(...entryChanges(section, present, texts, wanted));
    unnamed[section] = [...gatherEntries(section, present).keys()].filter((name) => !wanted.has(name)).length;
  }
  const lines = new Map<string, number>();
  const options = found.get('options');
  if (options !== undefined) {
    const wanted = readOptions(options, present, ask.references, ask.faults);
    for (const [key, { line, text }] of wanted) {
      texts.set(key, text);
      lines.set(key, line);
    }
    const rest = unnamedOptions(present, wanted);
    unnamed.options = rest.length;
    for (const key of ask.prune ? rest : []) texts.set(key, optionShapes.get(key)?.fallback ?? '');
  }
  const changed = new Map([...texts].filter(([key, text]) => !sameOption(key, present.get(key) ?? '', text)));
  changes.push(...optionChanges(present, changed));
  for (const { key, message } of requirementFaults(changed, present)) {
    ask.faults.push({ line: lines.get(key) ?? 0, text: `options: ${key}: ${message}` });
  }
  const unusable = refusalOf(() => refuseUnusableGroups(optionsOf(present), optionsOf(new Map([...present, ...changed]))));
  if (unusable !== undefined) ask.faults.push({ line: (found.get('groups') ?? options)?.line ?? 0, text: `groups: ${unusable}` });
  for (const key of secretsLost(changed, present)) {
    const text = `options: ${key}: was entered for another address: say it anew with the address ('' = none)`;
    ask.faults.push({ line: options?.line ?? 0, text });
  }
  return { changes, steps: [...changed].map(([key, value]) => ({ key, value })), unnamed };
}

/** Secrets are never taken away by what a file does not say. */
function unnamedOptions(present: Texts, wanted: ReadonlyMap<string, unknown>): string[] {
  return [...optionShapes.values()].flatMap(({ key, form, fallback }) => {
    const isSet = present.get(key) !== fallback && form !== 'secret' && !spreadOptions.has(key);
    return isSet && !wanted.has(key) ? [key] : [];
  });
}

function sameOption(key: string, from: string, to: string): boolean {
  if (from === to) return true;
  if (optionShapes.get(key)?.form !== 'json') return false;
  return sameValue(JSON.parse(from) as Value, JSON.parse(to) as Value) && sameOrder(key, from, to);
}

function entryChanges(section: MapSection, present: Texts, texts: Texts, wanted: ReadonlyMap<string, Fields>): Change[] {
  const before = gatherEntries(section, present);
  const after = gatherEntries(section, texts, wanted.keys());
  const none: Fields = new Map();
  const changes = [...new Set([...before.keys(), ...after.keys()])].flatMap((name): Change[] => {
    const fields = fieldChanges(before.get(name) ?? none, after.get(name) ?? none);
    if (fields.length === 0) return [];
    const action = (before.get(name)?.size ?? 0) === 0 ? 'create' : (after.get(name)?.size ?? 0) === 0 ? 'delete' : 'change';
    return [{ action, section, name, fields }];
  });
  const label = mapSections.groups.label;
  const [from, to] = [present, texts].map((each) => Object.keys(JSON.parse(each.get(label) ?? '{}') as object));
  const isMoved = section === 'groups' && changes.length === 0 && String(from) !== String(to);
  return isMoved && from && to ? [{ action: 'change', section, name: 'order', fields: [{ field: 'label', from, to }] }] : changes;
}

function optionChanges(present: Texts, changed: Texts): Change[] {
  return [...changed].flatMap(([key, text]): Change[] => {
    const shape = optionShapes.get(key);
    if (shape === undefined || spreadOptions.has(key)) return [];
    const from = present.get(key) ?? '';
    const action = text === shape.fallback ? 'delete' : from === shape.fallback ? 'create' : 'change';
    const value = (of: string): Fields => new Map([['value', describeOption(shape, of)]]);
    return [{ action, section: 'options', name: key, fields: fieldChanges(value(from), value(text)) }];
  });
}
