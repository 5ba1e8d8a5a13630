import type { ComponentProps, ReactNode } from 'react';
import { TextButton } from '../Button.tsx';
import { AmountInput, Field } from '../Field.tsx';

interface Props {
  label: string;
  /** What a form of few texts knows of it. */
  input: ComponentProps<'input'>;
  error: string | undefined;
  hint?: ReactNode;
  required?: boolean;
  /** Before the amount. */
  sign?: string;
  /** Beside the label: takes as much as there is. */
  all: { label: string; fill(): void };
}

/** An amount that is typed, or all that there is. */
export function AmountField({ label, input, error, hint, required, sign = '', all }: Props) {
  const aside = <TextButton onClick={all.fill}>{all.label}</TextButton>;
  return (
    <Field label={label} error={error} hint={hint} required={required} aside={aside}>
      {(control) => <AmountInput {...control} {...input} sign={sign} />}
    </Field>
  );
}
