import { type ChangeEvent, type SubmitEvent, useState } from 'react';
import { afterPress } from '../../lib/press.ts';

type Texts<Name extends string> = Record<Name, string>;
/** What is wrong with each field, for whoever typed it. */
export type Faults<Name extends string> = Partial<Record<Name, string>>;

interface SmallForm<Name extends string> {
  values: Texts<Name>;
  /** Something is not as it was at the beginning. */
  dirty: boolean;
  /** Faults of the fields that were left or submitted. */
  errors: Faults<Name>;
  field(name: Name): {
    name: Name;
    value: string;
    onChange(event: ChangeEvent<HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement>): void;
    onBlur(): void;
  };
  /** For what is no field of its own. */
  set(name: Name, value: string): void;
  /** Several at once, of those that there are by then; what was left stays left. */
  update(change: (values: Texts<Name>) => Texts<Name>): void;
  /** Starts anew with these values; without faults. */
  reset(values: Texts<Name>): void;
  submit(handle: (values: Texts<Name>) => void): (event: SubmitEvent<HTMLFormElement>) => void;
}

/**
 * A form of a few texts, for the pages in front of the door, where a form library would outweigh the page. Same manners:
 * rules speak on blur, then at every change; submitting moves the focus to the first fault.
 */
export function useSmallForm<Name extends string>(
  initial: Texts<Name>,
  faultsOf: (values: Texts<Name>) => Faults<Name>,
): SmallForm<Name> {
  const [first, setFirst] = useState(initial);
  const [values, setValues] = useState(initial);
  const [touched, setTouched] = useState<ReadonlySet<Name>>(new Set());
  const names = Object.keys(initial) as Name[];
  const faults = faultsOf(values);
  const errors: Faults<Name> = {};
  for (const name of names) if (touched.has(name)) errors[name] = faults[name];
  return {
    values,
    dirty: names.some((name) => values[name] !== first[name]),
    errors,
    field: (name) => ({
      name,
      value: values[name],
      onChange: (event) => setValues({ ...values, [name]: event.currentTarget.value }),
      // An empty field that was only passed through is not a fault yet.
      onBlur: () => values[name] !== '' && afterPress(() => setTouched((before) => new Set([...before, name]))),
    }),
    set: (name, value) => setValues({ ...values, [name]: value }),
    update: setValues,
    reset(next) {
      setFirst(next);
      setValues(next);
      setTouched(new Set());
    },
    submit: (handle) => (event) => {
      event.preventDefault();
      setTouched(new Set(names));
      if (names.every((name) => faults[name] === undefined)) return handle(values);
      // The first of the page, whatever order the values are in.
      const isWrong = (control: Element) => faults[control.getAttribute('name') as Name] !== undefined;
      ([...event.currentTarget.elements].find(isWrong) as HTMLElement | undefined)?.focus();
    },
  };
}
