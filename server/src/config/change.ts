import type { ChannelInput, ChannelUpdate } from '@tollgate/contract';
import type { OptionChange } from '../settings/index.ts';
import type { Fault } from './located.ts';
import { type Fields, sameValue, type Value } from './value.ts';

/** One field that differs; `secret` = what it holds is not shown. */
export interface FieldChange {
  readonly field: string;
  readonly from?: Value;
  readonly to?: Value;
  readonly secret?: true;
}

export const formatVersion = 1;
export const sections = ['channels', 'prices', 'groups', 'options'] as const;

/** One thing that differs between a file and what is here. */
export interface Change {
  readonly action: 'create' | 'change' | 'delete';
  readonly section: (typeof sections)[number];
  readonly name: string;
  readonly fields: readonly FieldChange[];
}

/** What brings a file about, as the console's own routes take it: with secrets in plain, so apart from what is shown. */
export interface Steps {
  readonly remove: number[];
  readonly update: { readonly line: number; readonly input: ChannelUpdate }[];
  readonly create: { readonly line: number; readonly input: ChannelInput }[];
  readonly options: OptionChange[];
}

export interface Plan {
  readonly changes: readonly Change[];
  readonly faults: readonly Fault[];
  /** What is here and not in the file, in sections that it has. Deleted where `prune`. */
  readonly unnamed: Readonly<Record<string, number>>;
}

/** Field by field; what is the same is left out. */
export function fieldChanges(from: Fields, to: Fields): FieldChange[] {
  return [...new Set([...from.keys(), ...to.keys()])].flatMap((field): FieldChange[] => {
    const [before, after] = [from.get(field), to.get(field)];
    return sameValue(before, after) ? [] : [fieldChange(field, before, after)];
  });
}

function fieldChange(field: string, from: Value | undefined, to: Value | undefined): FieldChange {
  const [before, after] = [JSON.stringify(from), JSON.stringify(to)];
  // Secrets are printed alike: nothing of the difference would be seen.
  if (before === after) return { field, secret: true };
  return { field, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
}
