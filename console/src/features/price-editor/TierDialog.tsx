import { Plus, Trash2 } from 'lucide-react';
import { type SubmitEvent, useState } from 'react';
import {
  col_model,
  price_col_ratio,
  price_tier_add,
  price_tier_add_model,
  price_tier_cache,
  price_tier_cache_write,
  price_tier_completion,
  price_tier_dollars,
  price_tier_edit,
  price_tier_limit_hint,
  price_tier_limit_label,
  price_tier_number,
  price_tier_remove,
} from '../../i18n/generated/messages.ts';
import { formatPrice } from '../../lib/price.ts';
import { Button, IconButton } from '../../ui/Button.tsx';
import { Field } from '../../ui/Field.tsx';
import { ApplyDialog } from './ApplyDialog.tsx';
import { readNumber } from './form.ts';
import { emptyTier, maxTiers, type Tier, type TierFaults, type TierFields, tierFaults, tierNameFault, tiersOf } from './tiers.ts';

const names: readonly [keyof TierFields, () => string][] = [
  ['up_to', price_tier_limit_label],
  ['ratio', price_col_ratio],
  ['completion', price_tier_completion],
  ['cache', price_tier_cache],
  ['cache_write', price_tier_cache_write],
];

interface TierProps {
  index: number;
  fields: TierFields;
  faults: TierFaults;
  /** Dollars per million prompt tokens at a ratio of 1. */
  base: number;
  /** Absent: the only one. */
  remove?: () => void;
  change(fields: TierFields): void;
}

/** Dollars beside a ratio, as far as there are any. */
function hintOf(name: keyof TierFields, { fields, base, index }: TierProps): string | undefined {
  if (name === 'up_to') return index === 0 ? price_tier_limit_hint() : undefined;
  const ratio = readNumber(fields.ratio);
  const factor = name === 'ratio' ? 1 : readNumber(fields[name]);
  if (ratio === undefined || factor === undefined) return undefined;
  return price_tier_dollars({ price: formatPrice(ratio * factor * base) });
}

function TierFieldset(props: TierProps) {
  const { index, fields, faults, remove, change } = props;
  return (
    <fieldset className="min-w-0 rounded-lg border px-3 pt-1 pb-3">
      <legend className="px-1 font-medium">{price_tier_number({ number: index + 1 })}</legend>
      <div className="flex items-start gap-2">
        <div className="grid min-w-0 grow grid-cols-5 gap-x-2.5 gap-y-2 max-sm:grid-cols-2">
          {names.map(([name, label]) => (
            <Field key={name} label={label()} error={faults[name]} hint={hintOf(name, props)}>
              {(control) => (
                <input
                  {...control}
                  className="control tabular-nums"
                  inputMode="decimal"
                  autoComplete="off"
                  maxLength={24}
                  value={fields[name]}
                  onChange={(event) => change({ ...fields, [name]: event.currentTarget.value })}
                />
              )}
            </Field>
          ))}
        </div>
        {remove && (
          <IconButton icon={Trash2} tone="bad" label={price_tier_remove({ number: index + 1 })} size="sm" onClick={remove} />
        )}
      </div>
    </fieldset>
  );
}

interface Props {
  model: string;
  tiers: readonly TierFields[];
  taken: ReadonlySet<string>;
  base: number;
  onClose(): void;
  onDone(model: string, tiers: Tier[]): void;
}

interface Draft {
  name: string;
  tiers: readonly (TierFields & { key: number })[];
}

/** The tiers of one model. Faults show once something was submitted, then at every change. */
export function TierDialog({ model, tiers, taken, base, onClose, onDone }: Props) {
  const [first] = useState<Draft>({ name: model, tiers: tiers.map((tier, key) => ({ ...tier, key })) });
  const [draft, setDraft] = useState(first);
  const [submitted, setSubmitted] = useState(false);
  const faults = tierFaults(draft.tiers);
  const nameFault = tierNameFault(draft.name, taken);
  const setTiers = (next: Draft['tiers']) => setDraft({ ...draft, tiers: next });
  const add = () => setTiers([...draft.tiers, { ...emptyTier, key: Math.max(-1, ...draft.tiers.map(({ key }) => key)) + 1 }]);
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    setSubmitted(true);
    if (nameFault === undefined && faults.every((fault) => Object.keys(fault).length === 0))
      return onDone(draft.name.trim(), tiersOf(draft.tiers));
    const form = event.currentTarget;
    requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid]')?.focus());
  };
  return (
    <ApplyDialog
      title={model === '' ? price_tier_add_model() : price_tier_edit({ model })}
      wide
      layout="flex flex-col gap-3"
      dirty={JSON.stringify(draft) !== JSON.stringify(first)}
      onClose={onClose}
      onSubmit={submit}
    >
      <Field label={col_model()} required error={submitted ? nameFault : undefined}>
        {(control) => (
          <input
            {...control}
            className="control"
            autoComplete="off"
            maxLength={255}
            value={draft.name}
            onChange={(event) => setDraft({ ...draft, name: event.currentTarget.value })}
          />
        )}
      </Field>
      {draft.tiers.map((tier, index) => (
        <TierFieldset
          key={tier.key}
          index={index}
          fields={tier}
          faults={submitted ? (faults[index] ?? {}) : {}}
          base={base}
          remove={draft.tiers.length > 1 ? () => setTiers(draft.tiers.filter(({ key }) => key !== tier.key)) : undefined}
          change={(fields) => setTiers(draft.tiers.map((old) => (old.key === tier.key ? { ...fields, key: old.key } : old)))}
        />
      ))}
      <Button icon={Plus} className="self-start" disabled={draft.tiers.length >= maxTiers} onClick={add}>
        {price_tier_add()}
      </Button>
    </ApplyDialog>
  );
}
