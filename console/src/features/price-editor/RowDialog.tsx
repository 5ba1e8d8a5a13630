import { useState } from 'react';
import { useMoney } from '../../api/status.ts';
import {
  col_model,
  price_add,
  price_col_completion,
  price_col_ratio,
  price_dollars,
  price_edit_title,
  price_field_audio,
  price_field_audio_completion,
  price_field_cache,
  price_field_cache_write,
  price_field_cache_write_1h,
  price_field_image,
  price_field_price,
  price_field_price_hint,
  price_fixed_note,
} from '../../i18n/generated/messages.ts';
import { Alert } from '../../ui/Alert.tsx';
import { Field } from '../../ui/Field.tsx';
import { useSmallForm } from '../../ui/form/useSmallForm.ts';
import { ApplyDialog } from './ApplyDialog.tsx';
import type { PriceNumber, PriceRow } from './draft.ts';
import { dollarsOfRatio, faultsOf, fieldsOf, isByCall, numbersOf, type PriceFields, ratioOfDollars, readNumber } from './form.ts';

type Ratio = Exclude<PriceNumber, 'price'>;
const ratios: readonly [Ratio, () => string][] = [
  ['ratio', price_col_ratio],
  ['completion', price_col_completion],
  ['cache', price_field_cache],
  ['cacheWrite', price_field_cache_write],
  ['cacheWrite1h', price_field_cache_write_1h],
  ['audio', price_field_audio],
  ['audioCompletion', price_field_audio_completion],
  ['image', price_field_image],
];

/** What a ratio of 1 costs in dollars per million tokens: two dollars, the prompt's price, or the spoken prompt's. */
function baseOf(name: Ratio, values: PriceFields, unit: number): number | undefined {
  if (name === 'ratio') return unit;
  const prompt = readNumber(values.ratio);
  const base = prompt === undefined ? undefined : prompt * unit;
  if (name !== 'audioCompletion' || base === undefined) return base;
  return base * (readNumber(values.audio) ?? 1);
}

interface RatioProps {
  label: string;
  value: string;
  error?: string;
  disabled: boolean;
  base: number | undefined;
  set(value: string): void;
  onBlur(): void;
}

/** A ratio and the same in dollars, side by side: a change of one is a change of the other. */
function RatioField({ label, value, error, disabled, base, set, onBlur }: RatioProps) {
  /** What is typed as dollars, while it is typed. */
  const [typed, setTyped] = useState<string>();
  return (
    <Field label={label} error={error}>
      {(control) => (
        <div className="grid grid-cols-2 gap-2">
          <input
            {...control}
            className="control tabular-nums"
            inputMode="decimal"
            autoComplete="off"
            maxLength={24}
            disabled={disabled}
            value={value}
            onChange={(event) => set(event.currentTarget.value)}
            onBlur={onBlur}
          />
          <span className="relative">
            <span aria-hidden className="-translate-y-1/2 absolute top-1/2 left-2.5 text-muted">
              $
            </span>
            <span aria-hidden className="-translate-y-1/2 absolute top-1/2 right-2.5 text-muted text-xs">
              / 1M
            </span>
            <input
              aria-label={price_dollars({ name: label })}
              className="control px-6 tabular-nums"
              inputMode="decimal"
              autoComplete="off"
              maxLength={24}
              disabled={disabled || base === undefined || base === 0}
              value={typed ?? dollarsOfRatio(value, base)}
              onChange={(event) => {
                setTyped(event.currentTarget.value);
                set(ratioOfDollars(event.currentTarget.value, base));
              }}
              onBlur={() => {
                setTyped(undefined);
                onBlur();
              }}
            />
          </span>
        </div>
      )}
    </Field>
  );
}

interface Props {
  row: Pick<PriceRow, 'model' | 'numbers'>;
  taken: ReadonlySet<string>;
  onClose(): void;
  onDone(model: string, numbers: PriceRow['numbers']): void;
}

/** The prices of one model. */
export function RowDialog({ row, taken, onClose, onDone }: Props) {
  const { quotaPerUnit } = useMoney();
  const form = useSmallForm<PriceNumber | 'model'>(fieldsOf(row), (fields) => faultsOf(fields, taken));
  const byCall = isByCall(form.values);
  const submit = form.submit((fields) => onDone(fields.model.trim(), numbersOf(fields)));
  return (
    <ApplyDialog
      title={row.model === '' ? price_add() : price_edit_title({ model: row.model })}
      wide
      layout="grid grid-cols-2 gap-x-4 gap-y-3 max-sm:grid-cols-1"
      dirty={form.dirty}
      onClose={onClose}
      onSubmit={submit}
    >
      <Field label={col_model()} required error={form.errors.model}>
        {(control) => <input {...control} {...form.field('model')} className="control" autoComplete="off" maxLength={255} />}
      </Field>
      <Field label={price_field_price()} hint={price_field_price_hint()} error={form.errors.price}>
        {(control) => (
          <input {...control} {...form.field('price')} className="control tabular-nums" inputMode="decimal" autoComplete="off" />
        )}
      </Field>
      {byCall && (
        <div className="col-span-full">
          <Alert tone="info">{price_fixed_note()}</Alert>
        </div>
      )}
      {ratios.map(([name, label]) => (
        <RatioField
          key={name}
          label={label()}
          value={form.values[name]}
          error={form.errors[name]}
          disabled={byCall}
          base={baseOf(name, form.values, 1e6 / quotaPerUnit)}
          set={(value) => form.set(name, value)}
          onBlur={form.field(name).onBlur}
        />
      ))}
    </ApplyDialog>
  );
}
