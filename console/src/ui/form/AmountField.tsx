import type { ComponentProps, ReactNode } from 'react';
import { Field } from '../Field.tsx';

interface Props {
  label: string;
  /** What a form of few texts knows of it. */
  input: ComponentProps<'input'>;
  error: string | undefined;
  hint?: ReactNode;
  required?: boolean;
  /** Beside the label: takes as much as there is. */
  all: { label: string; fill(): void };
}

/** An amount that is typed, or all that there is. */
export function AmountField({ label, input, error, hint, required, all }: Props) {
  const aside = (
    <button type="button" className="min-h-6 text-accent text-xs hover:underline" onClick={all.fill}>
      {all.label}
    </button>
  );
  return (
    <Field label={label} error={error} hint={hint} required={required} aside={aside}>
      {(control) => (
        <input {...control} {...input} className="control tabular-nums" inputMode="decimal" autoComplete="off" maxLength={24} />
      )}
    </Field>
  );
}
