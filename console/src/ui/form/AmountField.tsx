import type { ComponentProps, ReactNode } from 'react';
import type { MoneyFormat } from '../../lib/money.ts';
import { TextButton } from '../Button.tsx';
import { Field } from '../Field.tsx';

interface Props {
  label: string;
  /** What a form of few texts knows of it. */
  input: ComponentProps<'input'>;
  error: string | undefined;
  hint?: ReactNode;
  required?: boolean;
  /** Of an amount of quota. */
  format?: MoneyFormat | undefined;
  /** Beside the label: takes as much as there is. */
  all: { label: string; fill(): void };
}

/** An amount that is typed, or all that there is. */
export function AmountField({ label, input, error, hint, required, format, all }: Props) {
  const aside = <TextButton onClick={all.fill}>{all.label}</TextButton>;
  return (
    <Field label={label} error={error} hint={hint} required={required} aside={aside}>
      {(control) => <AmountInput {...control} {...input} format={format} />}
    </Field>
  );
}

/** What is typed of an amount; with the sign before it where quota is shown as money. */
export function AmountInput({ format, ...input }: ComponentProps<'input'> & Pick<Props, 'format'>) {
  return (
    <div className="relative">
      {format?.inCurrency && (
        <span aria-hidden className="pointer-events-none absolute top-1/2 left-3 -translate-y-1/2 text-muted">
          $
        </span>
      )}
      <input
        className={format?.inCurrency ? 'control pl-6 tabular-nums' : 'control tabular-nums'}
        inputMode="decimal"
        autoComplete="off"
        maxLength={24}
        {...input}
      />
    </div>
  );
}
